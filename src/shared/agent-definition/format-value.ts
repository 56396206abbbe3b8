/** Writes values as YAML, so that a strict parser reads the same value. */
import { isScalar, parseDocument } from 'yaml'

export type QuoteStyle = 'plain' | 'single' | 'double'

/** One line, in the preferred style if possible. @param inFlow inside [ ] or { } */
export function formatText(
  text: string,
  { style, inFlow }: { readonly style: QuoteStyle; readonly inFlow: boolean },
): string {
  if (style === 'plain' && isPlain(text, inFlow)) return text
  const isPrintable =
    /^[\t\u0020-\u007e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u.test(text)
  // Text with a backslash and double quotes is easier to read in single quotes.
  const single = style === 'single' || (style === 'plain' && /["\\]/.test(text))
  if (single && isPrintable) return `'${text.replaceAll("'", "''")}'`
  return JSON.stringify(text).replace(/[\u007f-\u00a0\u2028\u2029\ufeff\ud800-\udfff]/g, escapeSequence)
}

/** Multi-line text as a literal block, indented by `indent`; null if a block can't hold the text. */
export function formatBlock(text: string, indent: string): string | null {
  if (
    /[^\n\t\u0020-\u007e\u00a1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u.test(text)
  )
    return null
  if (text.trim() === '' || /^[ \t\n]/.test(text)) return null
  const kept = /\n*$/.exec(text)?.[0].length ?? 0
  const chomping = kept === 0 ? '-' : kept === 1 ? '' : '+'
  const lines = text.slice(0, text.length - (kept > 0 ? 1 : 0)).split('\n')
  return `|${chomping}\n${lines.map((line) => (line === '' ? '' : indent + line)).join('\n')}`
}

/** Whether YAML reads the unquoted text as this text, on one line. */
function isPlain(text: string, inFlow: boolean): boolean {
  if (/^[A-Za-z][\w./-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)) return true
  if (
    text === '' ||
    text !== text.trim() ||
    /[\n\r]|:\s|\s#|:$/.test(text) ||
    /^[-?:,[\]{}#&*!|>'"%@`~.\d]/.test(text)
  )
    return false
  if (inFlow && /[,[\]{}]/.test(text)) return false
  const document = parseDocument(inFlow ? `k: [${text}]` : `k: ${text}\n`, {
    prettyErrors: false,
    logLevel: 'silent',
  })
  if (document.errors.length > 0 || document.warnings.length > 0) return false
  const node = document.getIn(inFlow ? ['k', 0] : ['k'], true)
  return isScalar(node) && node.value === text
}

function escapeSequence(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
}
