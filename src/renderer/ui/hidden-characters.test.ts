import { expect, test } from 'vitest'
import { visibleRuns, visibleText } from './hidden-characters.ts'

test('characters that turn or hide text are spelt out', () => {
  expect(visibleText('rm \u202eslf-\u202c\u200bx\x1b[2K\u00a0y\ufeff\u{e0041}')).toBe(
    'rm [RLO]slf-[PDF][ZWSP]x[ESC][2K[NBSP]y[BOM][U+E0041]',
  )
})

test('letters of any language, line breaks, tabs and emoji stay as they are', () => {
  const text = 'Grüße, שלום, 日本\n\tok 👍️'
  expect(visibleRuns(text)).toEqual([{ kind: 'text', text }])
})

test('the runs put together are the text', () => {
  const text = '\u2066a\0b\r\n'
  expect(
    visibleRuns(text)
      .map((run) => run.text)
      .join(''),
  ).toBe(text)
})
