/** Line ends of texts. */

type LineEnds = 'LF' | 'CRLF' | 'mixed' | 'none'

export function lineEndsOf(text: string): LineEnds {
  const crlf = occurrences(text, '\r\n')
  const all = occurrences(text, '\n')
  if (all === 0) return 'none'
  if (crlf === 0) return 'LF'
  return crlf === all ? 'CRLF' : 'mixed'
}

/** The text with LF only. */
export function withLf(text: string): string {
  return text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text
}

/** The text with CRLF only. */
export function withCrlf(text: string): string {
  return withLf(text).replaceAll('\n', '\r\n')
}

function occurrences(text: string, piece: string): number {
  let count = 0
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + piece.length)) count++
  return count
}
