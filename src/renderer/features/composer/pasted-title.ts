import { lineCount } from '../../../shared/messages/pasted-text.ts'
import type { PastedText } from '../../stores/draft-store.ts'

/** "Pasted text · 1,204 lines"; without line breaks the number of characters. */
export function pastedTitle({ text }: PastedText): string {
  const lines = lineCount(text)
  const [amount, unit] = lines === 1 ? [text.length, 'character'] : [lines, 'line']
  return `Pasted text · ${amount.toLocaleString('en')} ${unit}${amount === 1 ? '' : 's'}`
}
