import { expect, test } from 'vitest'
import { lastSentence, plainLine } from './text-of.ts'

test.each([
  ['- I look at **routes**', 'I look at routes'],
  ['## 2. `charge()` makes a *new* key', 'charge() makes a new key'],
  ['> 1. See [the docs](https://example.com/a_b)', 'See the docs'],
  ['- [x] keeps snake_case and 2 * 3', 'keeps snake_case and 2 * 3'],
  ['| charge.ts:38 | new per attempt |', 'charge.ts:38 new per attempt'],
  ['```ts', ''],
  ['|---|:--|', ''],
  ['<b>Done</b>', 'Done'],
  ['fixed `src/**/*.ts` and a `Map<string, b>`, **all', 'fixed src/**/*.ts and a Map<string, b>, all'],
  ['a < b and c > d', 'a < b and c > d'],
])('%s is shown as %s', (line, plain) => expect(plainLine(line)).toBe(plain))

test('a streamed line shows its last sentence from its first word', () => {
  expect(lastSentence('The wrapper retries. Three callers build the key')).toBe('Three callers build the key')
  expect(lastSentence('The wrapper retries. Three')).toBe('The wrapper retries. Three')
  expect(lastSentence('one long line without an end')).toBe('one long line without an end')
  expect(lastSentence('… of a line that was cut')).toBe('of a line that was cut')
  expect(lastSentence('see charge.ts:38 and v1.2 there')).toBe('see charge.ts:38 and v1.2 there')
  expect(lastSentence('')).toBe('')
})
