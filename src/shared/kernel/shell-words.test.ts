import { expect, test } from 'vitest'
import { shellWords } from './shell-words.ts'

test.each([
  ['git commit --no-verify', ['git', ' ', 'commit', ' ', '--no-verify']],
  [`echo "a b" 'c "d' e\\ f`, ['echo', ' ', '"a b"', ' ', `'c "d'`, ' ', 'e\\ f']],
  [`say --to="x y" it's late`, ['say', ' ', '--to="x y"', ' ', "it's", ' ', 'late']],
  ['a  &&\n\tb', ['a', '  ', '&&', '\n\t', 'b']],
  ['a\r\nb\u00a0c\rd', ['a', '\r\n', 'b\u00a0c\rd']],
  ['', []],
  ['\\', ['\\']],
])('%s', (command, words) => {
  expect(shellWords(command)).toEqual(words)
})

test.each(['"', "'", '\\', '"\\', '" ', '\'"'])('%s, many times, is split whole and at once', (part) => {
  const command = part.repeat(50_000)
  expect(shellWords(command).join('')).toBe(command)
})
