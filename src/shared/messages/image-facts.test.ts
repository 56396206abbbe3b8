import { describe, expect, it } from 'vitest'
import { imageFacts } from './image-facts.ts'

const from = (base64: string) => Uint8Array.from(Buffer.from(base64, 'base64'))
const bytes = (text: string, length = text.length) => {
  const all = new Uint8Array(Math.max(length, text.length))
  for (let index = 0; index < text.length; index++) all[index] = text.charCodeAt(index)
  return all
}

describe('imageFacts', () => {
  it.each([
    // Images of one pixel, as real programs write them.
    [
      'image/png',
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    ],
    ['image/gif', 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'],
    ['image/webp', 'UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA='],
    [
      'image/jpeg',
      '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
    ],
  ])('measures %s', (type, data) => {
    expect(imageFacts(from(data))).toEqual({ type, size: { width: 1, height: 1 } })
  })

  it('measures larger images', () => {
    expect(imageFacts(bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x27\x10\0\0\x01\x02'))?.size).toEqual({
      width: 10_000,
      height: 258,
    })
    expect(imageFacts(bytes('GIF89a\x2c\x01\x90\x01'))?.size).toEqual({ width: 300, height: 400 })
    expect(imageFacts(bytes('RIFF\0\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0\x1f\x03\0\x57\x02\0'))?.size).toEqual({
      width: 800,
      height: 600,
    })
    expect(imageFacts(bytes('\xff\xd8\xff\xe1\0\x04ab\xff\xff\xc2\0\x0b\x08\x01\x00\x02\x00'))?.size).toEqual(
      {
        width: 512,
        height: 256,
      },
    )
  })

  it('reports a truncated image, and accepts no other file as an image', () => {
    expect(imageFacts(bytes('\x89PNG\r\n\x1a\n'))).toEqual({ type: 'image/png', size: null })
    expect(imageFacts(bytes('\xff\xd8\xff\xe0\0\0'))).toEqual({ type: 'image/jpeg', size: null })
    expect(imageFacts(bytes('RIFF\0\0\0\0WAVE'))).toBeNull()
    expect(imageFacts(bytes('GIF for all'))).toBeNull()
    expect(imageFacts(bytes(''))).toBeNull()
  })
})
