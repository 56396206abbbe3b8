/** The program's icon as a PNG file, drawn as the window draws it. */
import { crc32, deflateSync } from 'node:zlib'
import { drawIcon } from '../../src/main/desktop/window/app-icon.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const BITS = 8
const COLOR_WITH_ALPHA = 6

/** @param size pixels of each side */
export function iconPng(size: number): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(size, 0)
  head.writeUInt32BE(size, 4)
  head.set([BITS, COLOR_WITH_ALPHA], 8)
  const pixels = drawIcon(size)
  // Each row begins with its filter: none.
  const rows = Buffer.alloc(size * (size * 4 + 1))
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const [blue = 0, green = 0, red = 0, alpha = 0] = pixels.subarray((y * size + x) * 4)
      // The bitmap's colors are premultiplied with alpha, those of PNG are not.
      const plain = (channel: number) =>
        alpha === 0 ? 0 : Math.min(255, Math.round((channel * 255) / alpha))
      rows.set([plain(red), plain(green), plain(blue), alpha], y * (size * 4 + 1) + 1 + x * 4)
    }
  const chunks = [chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([SIGNATURE, ...chunks])
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, sum])
}
