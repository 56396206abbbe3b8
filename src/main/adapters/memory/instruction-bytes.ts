/** The text in the bytes of a file of instructions, and its beginning where all of it is too much. */

/** At most so many bytes, without half a character at their end. */
export function firstBytes(bytes: Uint8Array, most: number): Uint8Array {
  if (bytes.length <= most) return bytes
  let end = most
  // Bytes that go on with a character: UTF-8 has at most three.
  while (end > most - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.subarray(0, end)
}

/** Without a byte order mark; null where it is no text. Signs of another encoding are replaced. */
export function textOfInstructions(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  const text = new TextDecoder().decode(bytes)
  const unknown = text.split('\ufffd').length - 1
  return unknown * 20 > text.length ? null : text
}
