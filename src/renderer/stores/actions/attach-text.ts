/** Long text that the user pastes or drops becomes an attachment of the draft: a text field would freeze. */
import { isLongPaste, LONGEST_PASTE } from '../../../shared/messages/pasted-text.ts'
import { changeDraft, draftOf, type PastedText } from '../draft-store.ts'

/** Attaches a long text. Returns `short` for text that belongs into the field, or why the text was not taken. */
export function attachText(key: string, text: string): 'attached' | 'short' | { readonly problem: string } {
  if (text.length > LONGEST_PASTE)
    return {
      problem: `The pasted text has ${number(text.length)} characters; at most ${number(LONGEST_PASTE)} characters can be pasted. Save it as a file in the folder and mention the file with #.`,
    }
  const pasted = pastedText(text)
  if (!isLongPaste(pasted.text)) return 'short'
  changeDraft(key, { pasted: [...draftOf(key).pasted, pasted] })
  return 'attached'
}

/** Text as an attachment, with the line breaks of a text field. */
export function pastedText(text: string): PastedText {
  return { key: crypto.randomUUID(), text: text.replaceAll('\r\n', '\n') }
}

const number = (amount: number) => amount.toLocaleString('en')
