import { describe, expect, test } from 'vitest'
import { parseExpression, UnknownName, withNames } from './expression.ts'

const NAMES = {
  list: [3, 1, 2],
  file: { path: 'src/a.ts', line: 3 },
  nothing: null,
  double: (number: number) => number * 2,
}
const evaluated = (source: string) =>
  parseExpression(source)(
    withNames(NAMES, (name) => {
      throw new UnknownName(name)
    }),
  )

describe('an expression is evaluated as JavaScript evaluates it', () => {
  test.each<[string, unknown]>([
    ['1 + 2 - 4', -1],
    ["'a' + 1", 'a1'],
    ['1 < 2 && 2 <= 2 || double(1)', true],
    ['nothing ?? file.path', 'src/a.ts'],
    ["!nothing && -list[0] === -3 ? 'yes' : 'no'", 'yes'],
    ['nothing?.path?.length', undefined],
    ["nothing?.[0] ?? 'none'", 'none'],
    ['file.missing?.trim()', undefined],
    ['[...list, ...[4]].filter(n => n !== 1).map((n, index) => n + index)', [3, 3, 6]],
    ['{ ...file, line: 4, double }', { path: 'src/a.ts', line: 4, double: NAMES.double }],
    ['list.map(n => ({ n }))[1].n', 1],
    ['(a => b => a + b)(1)(2)', 3],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is an expression
    ['`${file.path}:${list.map(n => `<${n}>`).join("}")}\\``', 'src/a.ts:<3>}<1>}<2>`'],
    ["'it\\'s' + \"\\n\"", "it's\n"],
    ['/A(.)\\/[/\\]]/i.test("ab/]")', true],
    ["'a1b22'.matchAll(/\\d+/g).map(m => m[0])", ['1', '22']],
    ["'a-b'.replaceAll('-', () => '$&').split('$')", ['a', '&b']],
    ['true ? null : false', null],
  ])('%s', (source, expected) => {
    expect(evaluated(source)).toEqual(expected)
  })
})

test('an expression reaches nothing but its names and the methods that change nothing', () => {
  for (const source of [
    'process',
    "list.constructor('x')",
    "'x'.constructor",
    "list['constructor']",
    'list.push(4)',
    "list['__proto__']",
    'double.constructor',
    'double.call(nothing, 1)',
    "(() => 1)['constructor']('return 1')()",
    'nothing.path',
    'file()',
    "file.constructor('x')",
    'file.__proto__.x',
  ])
    expect(() => {
      const value = evaluated(source)
      if (value === undefined) throw new TypeError('undefined')
    }, source).toThrow()
  expect(NAMES.list).toEqual([3, 1, 2])
})

test.each([
  ['1 +', 'ends too early'],
  ['(1', 'ends too early'],
  ['a b', 'unexpected "b"'],
  ['a = 1', 'unexpected "= 1"'],
  ['`a', 'does not end'],
  ['`${a', 'does not end'],
  ['/(/', 'Invalid regular expression'],
  ['a; b', 'unexpected "; b"'],
  ['', 'ends too early'],
])('%j is no expression', (source, message) => {
  expect(() => parseExpression(source)).toThrow(message)
})
