/**
 * The edited text of a merge, kept as a draft: it stays when the comparison is closed, when the file changes again, and
 * when the program is killed.
 */
import { EMPTY_DRAFT, setDraft, useDrafts } from '../../../stores/draft-store.ts'
import { type MergedText, mergeTexts, type Versions } from './merge-texts.ts'

/** An edited text, and what it is a merge of. */
type Edited = Omit<Versions, 'base'> & { readonly text: string }

/** The merged text, with what the user has typed in it so far. */
export function useMerge(id: string, versions: Versions): MergedText {
  const stored = useDrafts(({ drafts }) => drafts[placeOf(id)]?.text ?? '')
  return mergeWith(editedOf(stored), versions)
}

export function keepMerge(id: string, edited: Edited): void {
  setDraft(placeOf(id), { ...EMPTY_DRAFT, text: `${JSON.stringify(edited)}\n` })
}

/** The user chose a text. */
export function forgetMerge(id: string): void {
  setDraft(placeOf(id), EMPTY_DRAFT)
}

/** What came since, on either side, is merged into the edited text. */
function mergeWith(edited: Edited | null, versions: Versions): MergedText {
  if (edited === null) return mergeTexts(versions)
  const { base, mine, theirs } = versions
  const first = mergeTexts({ base, mine: edited.mine, theirs: edited.theirs })
  const own = into(edited.text, { from: edited.mine, to: mine }, first)
  return into(own.text, { from: edited.theirs, to: theirs }, first)
}

const into = (
  text: string,
  { from, to }: { readonly from: string; readonly to: string },
  { marks }: MergedText,
): MergedText =>
  from === to ? { text, conflicts: 0, marks } : mergeTexts({ base: from, mine: text, theirs: to }, marks)

const placeOf = (id: string) => `definition-merge:${id}`

/** The last line counts. Null: nothing was typed. */
function editedOf(stored: string): Edited | null {
  try {
    const value = JSON.parse(stored.trimEnd().split('\n').at(-1) ?? '') as Partial<Edited>
    const { mine, theirs, text } = value
    const isWhole = [mine, theirs, text].every((part) => typeof part === 'string')
    return isWhole ? (value as Edited) : null
  } catch {
    return null
  }
}
