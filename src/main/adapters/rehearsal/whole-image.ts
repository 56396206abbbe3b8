/** Whether an image is there to its end, from its parts. */
import { crc32, inflateSync } from 'node:zlib'
import type { ImageType } from './request-shape.ts'

export function isWholeImage(bytes: Buffer, type: ImageType): boolean {
  switch (type) {
    case 'image/png':
      return isWholePng(bytes)
    case 'image/jpeg':
      return bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) > 0
    case 'image/gif':
      return bytes.at(-1) === 0x3b
    case 'image/webp':
      return bytes.length >= bytes.readUInt32LE(4) + 8
  }
}

/** Each chunk with its checksum up to the last one, and data that can be decompressed. */
function isWholePng(bytes: Buffer): boolean {
  const data: Buffer[] = []
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const end = at + 8 + length
    if (end + 4 > bytes.length || crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) return false
    const kind = bytes.toString('latin1', at + 4, at + 8)
    if (kind === 'IDAT') data.push(bytes.subarray(at + 8, end))
    if (kind === 'IEND') return data.length > 0 && isCompressed(Buffer.concat(data))
    at = end + 4
  }
  return false
}

function isCompressed(data: Buffer): boolean {
  try {
    return inflateSync(data).length > 0
  } catch {
    return false
  }
}
