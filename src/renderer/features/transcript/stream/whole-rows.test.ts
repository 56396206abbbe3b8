import { expect, test } from 'vitest'
import { wholeRows } from './split-stream.ts'

const HEAD = '| a | b |\n|---|---|\n'

test.each([
  ['text without a table', 'text without a table'],
  ['a | b', 'a | b'],
  ['text\n\n| a', 'text\n\n'],
  ['| a | b |\n', ''],
  ['| a | b |\n|--', ''],
  [HEAD, ''],
  [`${HEAD}| 1 | `, ''],
  [`${HEAD}| 1 | 2 |`, ''],
  [`${HEAD}| 1 | 2 |\n`, `${HEAD}| 1 | 2 |\n`],
  [`${HEAD}| 1 | 2 |\n| 3 | src/ha`, `${HEAD}| 1 | 2 |\n`],
  [`text\n${HEAD}| 1 | 2 |\n| 3`, `text\n${HEAD}| 1 | 2 |\n`],
  ['a | b\n---|---\n1 | 2\n3 |', 'a | b\n---|---\n1 | 2\n'],
  ['> | a | b |\n> |---|---|\n> | 1 | 2 |\n> | 3', '> | a | b |\n> |---|---|\n> | 1 | 2 |\n'],
  [`${HEAD}| 1 | 2 |\n\nThe end`, `${HEAD}| 1 | 2 |\n\nThe end`],
  ['| no table\nbut text', '| no table\nbut text'],
  ['```\n| a |', '```\n| a |'],
])('%j shows %j', (text, shown) => {
  expect(wholeRows(text)).toBe(shown)
})

test('no prefix of a table shows a part of a row', () => {
  const text = `Intro:\n\n${HEAD}| src/a.ts | one |\n| src/b.ts | two |\n\nDone.`
  const rows = new Set(text.split('\n'))
  for (let length = 0; length < text.length; length++)
    for (const line of wholeRows(text.slice(0, length)).split('\n'))
      if (line.startsWith('|')) expect(rows).toContain(line)
})
