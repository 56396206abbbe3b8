import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { triesOf } from '../../../../shared/testing/tries.ts'
import { decodeText, encodeText } from './text-format.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)
const utf8 = (text: string) => new TextEncoder().encode(text)

describe('decodeText', () => {
  it.each([
    ['plain', utf8('grüße ✓'), 'grüße ✓', { encoding: 'UTF-8', mark: false }],
    ['a mark', bytes(0xef, 0xbb, 0xbf, 0x61), 'a', { encoding: 'UTF-8', mark: true }],
    [
      'UTF-16, little end first',
      bytes(0xff, 0xfe, 0x61, 0, 0xac, 0x20),
      'a€',
      { encoding: 'UTF-16 LE', mark: true },
    ],
    [
      'UTF-16, big end first',
      bytes(0xfe, 0xff, 0, 0x61, 0x20, 0xac),
      'a€',
      { encoding: 'UTF-16 BE', mark: true },
    ],
    [
      'Windows',
      bytes(0x67, 0x72, 0xfc, 0xdf, 0x65, 0x80),
      'grüße€',
      { encoding: 'Windows-1252', mark: false },
    ],
    ['nothing', bytes(), '', { encoding: 'UTF-8', mark: false }],
  ])('reads %s', (_, data, text, format) => {
    expect(decodeText(data)).toEqual({ text, format })
  })

  it.each([
    ['zeros', bytes(0x61, 0, 0x62)],
    ['UTF-32', bytes(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0)],
    ['half a character of UTF-16', bytes(0xff, 0xfe, 0x61)],
    ['noise', Uint8Array.from({ length: 400 }, (_, index) => ((index * 7919) % 255) + 1)],
  ])('does not decode %s as text', (_, data) => {
    expect(decodeText(data)).toBeNull()
  })

  it('round-trips every text it decodes, byte for byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (data) => {
        const decoded = decodeText(data)
        if (decoded === null) return
        expect(encodeText(decoded.text, decoded.format)).toEqual({ ok: true, value: Uint8Array.from(data) })
      }),
      { numRuns: triesOf(2000) },
    )
  })
})

describe('encodeText', () => {
  it('reports a character that the encoding lacks', () => {
    const result = encodeText('a ✓', { encoding: 'Windows-1252', mark: false })
    expect(result).toMatchObject({ ok: false, failure: { message: expect.stringContaining('✓') } })
  })
})
