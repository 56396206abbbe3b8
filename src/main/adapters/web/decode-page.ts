/** The text of a page in its own encoding. */

/** From the byte order mark, the content type, or for HTML the page itself; UTF-8 by default. */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const label = markOf(bytes) ?? charsetIn(contentType) ?? (isHtml(contentType) ? charsetOfHtml(bytes) : null)
  return decoded(bytes, label ?? 'utf-8')
}

/** `text/html` of `text/html; charset=utf-8`, in lower case. */
export function mediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase()
}

export function isHtml(contentType: string): boolean {
  return ['text/html', 'application/xhtml+xml'].includes(mediaType(contentType))
}

function markOf(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null
}

const charsetIn = (contentType: string): string | null =>
  /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? null

/** HTML names its encoding in its first kilobyte. */
function charsetOfHtml(bytes: Uint8Array): string | null {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 2048))
  const named = /<meta[^>]+charset\s*=\s*["']?([^\s"'/>;]+)/i.exec(start)?.[1] ?? null
  // A page whose letters are read as ASCII is not in UTF-16, whatever it says.
  return named !== null && /^utf-?16/i.test(named) ? 'utf-8' : named
}

function decoded(bytes: Uint8Array, label: string): string {
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}
