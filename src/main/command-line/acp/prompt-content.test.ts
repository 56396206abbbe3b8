import { expect, test } from 'vitest'
import { promptContent } from './prompt-content.ts'

test('text and files become one text, with the paths of the files', () => {
  const content = promptContent([
    { type: 'text', text: 'Look at ' },
    { type: 'resource_link', name: 'a b.ts', uri: 'file:///p/a%20b.ts' },
    { type: 'text', text: ', please' },
  ])
  expect(content).toEqual({ ok: true, value: [{ type: 'text', text: 'Look at @/p/a b.ts, please' }] })
})

test('an embedded file brings its text, which may not be saved', () => {
  const content = promptContent([
    { type: 'resource', resource: { uri: 'file:///p/a.ts', text: 'const a = 1' } },
  ])
  expect(content).toEqual({
    ok: true,
    value: [{ type: 'text', text: '\n<file path="/p/a.ts">\nconst a = 1\n</file>\n' }],
  })
})

test('an image is passed on; other types are refused by name', () => {
  const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' }
  expect(promptContent([image])).toMatchObject({ ok: true, value: [{ type: 'image' }] })
  expect(promptContent([{ ...image, mimeType: 'image/tiff' }])).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining('image/tiff') },
  })
  expect(promptContent([{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }])).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining('"audio"') },
  })
})
