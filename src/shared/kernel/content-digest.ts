/** A digest of a file's content, to detect changes. Not cryptographic. */

/** In bytes. For larger contents time and size are compared instead. */
const LARGEST = 2 * 1024 * 1024

/** A 64-bit hash and the length, as text; undefined for a large content. */
export function contentDigest(bytes: Uint8Array): string | undefined {
  if (bytes.length > LARGEST) return undefined
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (const byte of bytes) {
    high = Math.imul(high ^ byte, 2654435761)
    low = Math.imul(low ^ byte, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  const hex = (number: number) => (number >>> 0).toString(16).padStart(8, '0')
  return `${bytes.length}-${hex(high)}${hex(low)}`
}
