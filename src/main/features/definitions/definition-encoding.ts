/**
 * The text of a file that is not UTF-8, so that the user can see it and save it as UTF-8. Such a definition is not in use:
 * other programs read other characters, and a guess must not become an agent.
 */
import type { NotUtf8 } from '../../../shared/agent-definition/agent-catalog.ts'

interface DecodedFile {
  /** Without a byte-order mark. */
  readonly text: string
  readonly notUtf8: NotUtf8
}

type Decode = (bytes: Uint8Array) => string | null

const decodeWith =
  (label: string): Decode =>
  (bytes) => {
    try {
      return new TextDecoder(label, { fatal: true }).decode(bytes)
    } catch {
      return null
    }
  }

/** Null: the bytes are UTF-8, or no text in a known encoding. */
export function decodeNotUtf8(bytes: Uint8Array): DecodedFile | null {
  const utf16 = utf16Of(bytes)
  if (utf16 !== null) {
    const text = decodeWith(utf16.label)(bytes)
    // Text of another language has no NUL characters either.
    return text === null || text.includes('\0') ? null : { text, notUtf8: { encoding: utf16.name, line: 1 } }
  }
  if (decodeWith('utf-8')(bytes) !== null) return null
  if (bytes.some((byte) => byte === 0)) return null
  const text = fromMixedBytes(bytes)
  const { at, isMixed } = firstSingleByte(bytes)
  const line = bytes.subarray(0, at).filter((byte) => byte === NEWLINE).length + 1
  const encoding = isMixed ? 'a mix of UTF-8 and Windows-1252' : 'Windows-1252 (Latin-1)'
  return { text, notUtf8: { encoding, line } }
}

const NEWLINE = 10

/** By the byte-order mark, or by the NUL of each ASCII character. */
function utf16Of(bytes: Uint8Array): { readonly label: string; readonly name: string } | null {
  const little = { label: 'utf-16le', name: 'UTF-16 (little-endian)' }
  const big = { label: 'utf-16be', name: 'UTF-16 (big-endian)' }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return little
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return big
  if (bytes.length < 8 || bytes.length % 2 !== 0) return null
  const nulAt = (offset: number) => bytes.filter((byte, at) => byte === 0 && at % 2 === offset).length
  const [even, odd] = [nulAt(0), nulAt(1)]
  const most = bytes.length / 2
  if (odd > most * 0.6 && even === 0) return little
  return even > most * 0.6 && odd === 0 ? big : null
}

/** Valid UTF-8 sequences as they are, every other byte as Windows-1252. */
function fromMixedBytes(bytes: Uint8Array): string {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const single = new TextDecoder('windows-1252')
  let text = ''
  let from = 0
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceAt(bytes, at)
    if (length === 0) {
      text += strict.decode(bytes.subarray(from, at)) + single.decode(bytes.subarray(at, at + 1))
      from = at + 1
    }
    at += Math.max(1, length)
  }
  return (text + strict.decode(bytes.subarray(from))).replace(/^\uFEFF/, '')
}

/** The length of the valid UTF-8 sequence that begins at a byte; 0: none does. */
function sequenceAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0
  if (length === 0) return 0
  return decodeWith('utf-8')(bytes.subarray(at, at + length)) === null ? 0 : length
}

/** The position of the first byte that is not UTF-8, and whether there are other characters beyond ASCII in UTF-8. */
function firstSingleByte(bytes: Uint8Array): { readonly at: number; readonly isMixed: boolean } {
  let first: number | null = null
  let isMixed = false
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceAt(bytes, at)
    if (length === 0) first ??= at
    if (length > 1) isMixed = true
    at += Math.max(1, length)
  }
  return { at: first ?? 0, isMixed }
}
