/** Text of files: its encoding, and whether it is text at all. */

const decoders = {
  utf8: new TextDecoder('utf-8', { ignoreBOM: true }),
  utf16le: new TextDecoder('utf-16le', { ignoreBOM: true }),
}

/** How much is looked at to tell text from other bytes. */
const SAMPLE = 8192

/** The text without its byte-order mark, or null where the bytes are not text. */
export function textFrom(bytes: Uint8Array): { readonly text: string; readonly bom: string } | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return withoutMark(decoders.utf16le.decode(bytes))
  if (bytes.subarray(0, SAMPLE).includes(0)) return null
  return withoutMark(decoders.utf8.decode(bytes))
}

function withoutMark(text: string): { text: string; bom: string } {
  return text.startsWith('\uFEFF') ? { text: text.slice(1), bom: '\uFEFF' } : { text, bom: '' }
}

/** Kilobytes and megabytes for people. */
export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`
}
