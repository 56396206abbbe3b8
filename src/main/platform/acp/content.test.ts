import { expect, test } from 'vitest'
import { promptContent } from './content.ts'

/** An image of this size, and of at least this many bytes. */
function gif(width: number, height: number, bytes = 10): string {
  const data = Buffer.alloc(bytes)
  data.write('GIF89a')
  data.writeUInt16LE(width, 6)
  data.writeUInt16LE(height, 8)
  return data.toString('base64')
}

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
  const image = { type: 'image' as const, data: gif(1, 1), mimeType: 'image/png' }
  // By what it is, not by what it is called.
  expect(promptContent([image])).toMatchObject({
    ok: true,
    value: [{ type: 'image', source: { media_type: 'image/gif' } }],
  })
  expect(promptContent([{ ...image, data: 'AAAA', mimeType: 'image/tiff' }])).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining('image/tiff') },
  })
  expect(promptContent([{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }])).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining('"audio"') },
  })
})

test.each([
  ['AA!!', 'can’t be sent'],
  [gif(1, 1).slice(0, 12), 'damaged'],
])('an image that no model takes is refused (%#)', (data, because) => {
  expect(promptContent([{ type: 'image', data, mimeType: 'image/gif' }])).toMatchObject({
    ok: false,
    failure: { type: 'unsupported', message: expect.stringContaining(because) },
  })
})

test.each([[[]], [[{ type: 'text' as const, text: ' \n' }]]])('an empty prompt is refused (%#)', (prompt) => {
  expect(promptContent(prompt)).toMatchObject({
    ok: false,
    failure: { type: 'unsupported', message: 'The prompt is empty. Write what to do.' },
  })
})
