/** Decodes instruction files, and truncates long ones. */

/** At most `most` bytes, without an incomplete character at the end. */
export function firstBytes(bytes: Uint8Array, most: number): Uint8Array {
  if (bytes.length <= most) return bytes
  let end = most
  // Continuation bytes: a character has at most three in UTF-8.
  while (end > most - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.subarray(0, end)
}

/** The text without a byte order mark; null for other data. Invalid characters are replaced. */
export function textOfInstructions(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  const text = new TextDecoder().decode(bytes)
  const unknown = text.split('\ufffd').length - 1
  return unknown * 20 > text.length ? null : text
}
