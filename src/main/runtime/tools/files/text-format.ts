/**
 * Decodes and encodes text. A text can be written back in its original encoding, so an edit changes nothing else.
 */
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'

type Encoding = 'UTF-8' | 'UTF-16 LE' | 'UTF-16 BE' | 'Windows-1252'

export interface TextFormat {
  readonly encoding: Encoding
  /** Whether the file begins with a byte-order mark. */
  readonly mark: boolean
}

export interface DecodedText {
  /** Without the byte-order mark; line ends as they are. */
  readonly text: string
  readonly format: TextFormat
}

export const plainFormat: TextFormat = { encoding: 'UTF-8', mark: false }

/** The number of bytes that decide between text and other data. */
const SAMPLE = 8192

/** The text, or null for other data. */
export function decodeText(bytes: Uint8Array): DecodedText | null {
  const mark = markOf(bytes)
  if (mark !== null) {
    const text = decode(mark.encoding, bytes.subarray(mark.length))
    return text === null ? null : { text, format: { encoding: mark.encoding, mark: true } }
  }
  const sample = bytes.subarray(0, SAMPLE)
  if (sample.includes(0)) return null
  const text = decode('UTF-8', bytes)
  if (text !== null) return { text, format: plainFormat }
  // Every byte is a character in Windows-1252, so other data must be ruled out first.
  if (controlShare(sample) > 0.02) return null
  return { text: decode('Windows-1252', bytes) ?? '', format: { encoding: 'Windows-1252', mark: false } }
}

/** The bytes of a text. Fails with `encoding` where the format can't encode a character. */
export function encodeText(text: string, { encoding, mark }: TextFormat): Result<Uint8Array> {
  switch (encoding) {
    case 'UTF-8':
      return ok(new TextEncoder().encode(mark ? `\uFEFF${text}` : text))
    case 'UTF-16 LE':
    case 'UTF-16 BE':
      return ok(utf16(mark ? `\uFEFF${text}` : text, encoding === 'UTF-16 LE'))
    case 'Windows-1252':
      return windows1252(text)
  }
}

function decode(encoding: Encoding, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(LABELS[encoding], { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

const LABELS: Readonly<Record<Encoding, string>> = {
  'UTF-8': 'utf-8',
  'UTF-16 LE': 'utf-16le',
  'UTF-16 BE': 'utf-16be',
  'Windows-1252': 'windows-1252',
}

function markOf(bytes: Uint8Array): { readonly encoding: Encoding; readonly length: number } | null {
  const [first, second, third, fourth] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return { encoding: 'UTF-8', length: 3 }
  // The same two bytes and two zeros are UTF-32, which is not used for files.
  if (first === 0xff && second === 0xfe && !(third === 0 && fourth === 0))
    return { encoding: 'UTF-16 LE', length: 2 }
  if (first === 0xfe && second === 0xff) return { encoding: 'UTF-16 BE', length: 2 }
  return null
}

/** The share of control characters that rules out text; tab, line ends, form feed and escape are allowed. */
function controlShare(sample: Uint8Array): number {
  let controls = 0
  for (const byte of sample) if (byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1b) controls++
  return sample.length === 0 ? 0 : controls / sample.length
}

function utf16(text: string, littleEndian: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length * 2)
  const view = new DataView(bytes.buffer)
  for (let index = 0; index < text.length; index++)
    view.setUint16(index * 2, text.charCodeAt(index), littleEndian)
  return bytes
}

function windows1252(text: string): Result<Uint8Array> {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) {
    const byte = WINDOWS_1252.indexOf(text.charAt(index))
    if (byte === -1)
      return fail({
        type: 'encoding',
        message: `The file is in Windows-1252, which can't encode “${String.fromCodePoint(text.codePointAt(index) ?? 0)}”. Use another character, or convert the file to UTF-8 first (iconv -f WINDOWS-1252 -t UTF-8).`,
      })
    bytes[index] = byte
  }
  return ok(bytes)
}

/** All 256 characters, in order. */
const WINDOWS_1252 = new TextDecoder('windows-1252').decode(
  Uint8Array.from({ length: 256 }, (_, byte) => byte),
)
