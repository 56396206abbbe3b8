import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { triesOf } from '../testing/tries.ts'
import { readPlainYaml } from './plain-yaml.ts'

const yaml = (text: string): unknown => parse(text, { prettyErrors: false, logLevel: 'silent' })

test('common files are read without a parser', () => {
  const text = `name: code-reviewer
description: Use this agent after changes. Examples: none; it's "quick" at https://example.org/#top, 100%.

tools: Read, Grep, Bash(git diff:*)
model:   sonnet  
maxTurns: 12
readOnly: true
color: "#ff8800"
memory: 'project'
skills: [commit, review-pr]
aliases:
  - rev
  - reviewer
`.replace('Examples: none', 'Examples - none')
  expect(readPlainYaml(text)).toEqual(yaml(text))
  expect(readPlainYaml(text)).not.toBeNull()
})

test.each([
  ['a: b: c'],
  ['a: b #c'],
  ['a: b:'],
  ['a: "b\\n"'],
  ["a: 'it''s'"],
  ['a: null'],
  ['a: True'],
  ['a: FALSE'],
  ['a: 020'],
  ['a: 1.5'],
  ['a: -1'],
  ['a: ~'],
  ['a:'],
  ['a: *b'],
  ['a: |\n  b'],
  ['a: b\n  c'],
  ['a: b\na: c'],
  ['a: [b, null]'],
  ['a: [b, 1]'],
  ['a: [b: c]'],
  ['a:\n  - b\n   - c'],
  ['a:\n  - b: c'],
  ['a:\n  - b\n    c'],
  ['a:\n  - null'],
  ['null: b'],
  ['true: b'],
  ['a: b\r'],
  ['a: b\tc'],
  ['a: b\u0085'],
  ['# a'],
  ['a: b\n---\nc: d'],
  ['...'],
  [''],
  ['a'],
  ['- a'],
])('%j is left to yaml, or read as yaml reads it', (text) => {
  const plain = readPlainYaml(`${text}\n`)
  if (plain !== null) expect(plain).toEqual(yaml(`${text}\n`))
})

test('every accepted text is read as yaml reads it', () => {
  const signs = [...'abN10 :#,[]{}"\'\\*&!|>%@`~?.-=\t\r\n\ufeff\u0085\u2028\u00a0é', '🎭', '\ud800']
  const words = ['true', 'null', 'Null', '020', ': ', ' #', ', ', '---', '...', '\n  - b', '\n- b', '<<']
  const bits = fc.array(fc.constantFrom(...signs, ...words, 'a', 'b c', 'Dd'), { maxLength: 4 })
  const value = fc
    .tuple(fc.constantFrom('a', 'Use it', 'b', '', '"', "'", '[', '7', '\n  - ', '\n- '), bits)
    .chain(([start, parts]) => fc.constantFrom('', '"', "'", ']').map((end) => start + parts.join('') + end))
  const line = fc.tuple(fc.constantFrom(': ', ': ', ': ', ':', ':  ', ' : '), value)
  const keys = fc.shuffledSubarray(['a', 'b-c', 'tools', 'null', 'y', 'A_1', 'no', '1', ' a'], {
    maxLength: 3,
  })
  const text = keys.chain((names) =>
    fc
      .array(line, { minLength: names.length, maxLength: names.length })
      .map((lines) => lines.map((parts, at) => `${names[at]}${parts.join('')}\n`).join('')),
  )
  let read = 0
  fc.assert(
    fc.property(text, (written) => {
      const plain = readPlainYaml(written)
      if (plain === null) return
      read++
      expect(plain).toEqual(yaml(written))
    }),
    { numRuns: triesOf(50_000) },
  )
  expect(read).toBeGreaterThan(triesOf(1000))
})
