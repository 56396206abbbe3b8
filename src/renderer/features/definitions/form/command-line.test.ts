import { expect, test } from 'vitest'
import { lineOfWords, whatIsWrongWithLine, wordsOf } from './program-fields.tsx'

test.each([
  [['goose', 'acp']],
  [['/opt/My Programs/goose', '--name', "it's", 'say "hi"', '']],
  [['C:\\Tools\\goose.exe', 'a b\\']],
  [['goose', '--emoji', '🪿', 'שלום']],
])('the words %j are read back from their line', (words) => {
  expect(wordsOf(lineOfWords(words))).toEqual(words)
})

test('a line from a terminal is a program with its arguments', () => {
  expect(wordsOf('  npx -y "@makers/goose" --acp ')).toEqual(['npx', '-y', '@makers/goose', '--acp'])
  expect(whatIsWrongWithLine('npx -y @makers/goose --acp')).toBeNull()
})

test.each([
  ['', 'Enter the program'],
  ['   ', 'Enter the program'],
  ['GOOSE_KEY=x goose acp', 'Add GOOSE_KEY under Variables'],
  ['goose acp | tee log', '| has no effect'],
  ['goose acp && ls', '&& has no effect'],
  ['goose acp 2>/dev/null', '2>/dev/null has no effect'],
])('the line “%s” is refused with what to do', (line, message) => {
  expect(whatIsWrongWithLine(line)).toContain(message)
})
