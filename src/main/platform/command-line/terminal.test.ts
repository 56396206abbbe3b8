import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonOutput, type TextOutput, textOutput } from './terminal.ts'

function written(make: (stream: TextOutput) => TextOutput, text: string): string {
  let all = ''
  make({ write: (piece) => (all += piece) }).write(text)
  return all
}

test.each([
  ['the clipboard', 'a\u001b]52;c;cm0gLXJm\u0007b', 'a⟨ESC⟩]52;c;cm0gLXJm⟨BEL⟩b'],
  ['the title', '\u001b]0;x\u001b\\', '⟨ESC⟩]0;x⟨ESC⟩\\'],
  ['erasing', 'a\u001b[1A\u001b[2K', 'a⟨ESC⟩[1A⟨ESC⟩[2K'],
  ['controls of eight bits', '\u009d52;c;x\u009c\u009b2J\u0085', '⟨U+009D⟩52;c;x⟨U+009C⟩⟨U+009B⟩2J⟨U+0085⟩'],
  ['overwriting', 'bad\rgood\b\u007f', 'bad⟨CR⟩good⟨BS⟩⟨DEL⟩'],
  ['the reading direction', 'a\u202eb\u2066c\u200f', 'a⟨RLO⟩b⟨LRI⟩c⟨RLM⟩'],
  ['other line ends', 'a\u2028b\u2029\u000b\u000c', 'a⟨U+2028⟩b⟨U+2029⟩⟨U+000B⟩⟨FF⟩'],
])('text cannot control the terminal: %s', (_, text, shown) => {
  expect(written(textOutput, text)).toBe(shown)
})

test('text keeps lines, tabs and all languages', () => {
  const text = 'a\tb\r\n\n漢字\u3000かな نمی\u200cدانم क्\u200dष 👩‍💻 ▶\ufe0e 10\u00a0%\n'
  expect(written(textOutput, text)).toBe(text)
})

test('JSON has no control character and no change of direction, and keeps every value', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const hostile = `${text}\u001b\u007f\u009b\u202e\u2028\n`
      const line = written(jsonOutput, `${JSON.stringify({ [hostile]: hostile })}\n`)
      expect(line).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]*\n$/)
      expect(JSON.parse(line)).toEqual({ [hostile]: hostile })
    }),
  )
})
