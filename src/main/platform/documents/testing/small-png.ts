/** PNG images for tests. */
import { crc32, deflateSync } from 'node:zlib'

/** A whole image of one color, or of noise, which does not compress. */
export function smallPng(width: number, height: number, { noise = false } = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // 8 bits a channel, RGB.
  header.set([8, 2, 0, 0, 0], 8)
  const row = width * 3 + 1
  const pixels = Buffer.alloc(row * height)
  if (noise) {
    let state = 1
    for (let at = 0; at < pixels.length; at++) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      pixels[at] = at % row === 0 ? 0 : state & 0xff
    }
  }
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
