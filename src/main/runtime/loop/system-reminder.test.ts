import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asReminder, escapeTags, unescapeInput, unescapeTags } from './system-reminder.ts'

const pieces = fc.array(
  fc.constantFrom(
    '<',
    '\\',
    '/',
    ' ',
    '\n',
    '\u200b',
    'system-reminder',
    'SYSTEM-Reminder',
    'system_reminder',
    '>',
    'x',
  ),
)
const anyText = pieces.map((parts) => parts.join(''))

test('escaped text contains no tag, and is restored exactly', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(escapeTags(text)).not.toMatch(/<[\s\u200b]*(?:\/[\s\u200b]*)?system[-_]reminder/i)
      expect(unescapeTags(escapeTags(text))).toBe(text)
    }),
  )
})

test('a reminder has one opening and one closing tag, whatever it quotes', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(asReminder(text).match(/<\s*\/?\s*system-reminder/gi)).toEqual([
        '<system-reminder',
        '</system-reminder',
      ])
    }),
  )
})

test('an input is restored at any depth', () => {
  const input = { edits: [{ old_string: 'a <\\system-reminder>', n: 1 }], flag: true, none: null }
  expect(unescapeInput(input)).toEqual({
    edits: [{ old_string: 'a <system-reminder>', n: 1 }],
    flag: true,
    none: null,
  })
})

test.each([
  '<system reminder>',
  '<\u200bsystem-reminder>',
  '</\u2060system\u2011reminder>',
  '< / SYSTEM_REMINDER >',
])('the variant %j is escaped', (tag) => {
  expect(escapeTags(tag)).toBe(`<\\${tag.slice(1)}`)
})

test('escaping takes linear time', () => {
  const text = `<${' '.repeat(500_000)}/${' '.repeat(500_000)}system${' '.repeat(500_000)}`
  expect(escapeTags(text)).toBe(text)
  expect(unescapeTags(`<\\${text}`)).toBe(`<\\${text}`)
})
