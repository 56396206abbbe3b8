/**
 * The undo history of each draft, for as long as the window lives. The browser's own history is lost whenever the
 * program changes the text, so the composer keeps one that covers completions, recalled messages, paths and chips too.
 */

/** One edit by typing: consecutive edits of one kind at one place are one step, up to the end of a word. */
export interface TypedEdit {
  readonly kind: 'insert' | 'delete' | 'compose'
  /** The caret before and after the edit. */
  readonly from: number
  readonly to: number
  /** Whether the edit begins a new word. */
  readonly isWordStart: boolean
}

interface History<T> {
  readonly past: T[]
  readonly future: T[]
  last: TypedEdit | null
}

/** Steps kept for each draft. */
const KEPT = 200

export class DraftHistory<T> {
  private readonly histories = new Map<string, History<T>>()

  /** Records the state before a change. `typed`: the edit, if the user typed it. */
  record(key: string, before: T, typed: TypedEdit | null): void {
    const history = this.histories.get(key) ?? { past: [], future: [], last: null }
    this.histories.set(key, history)
    if (!continues(history.last, typed)) history.past.push(before)
    if (history.past.length > KEPT) history.past.shift()
    history.future.length = 0
    history.last = typed
  }

  /** The state to restore, or null if there is none. */
  step(key: string, direction: 'undo' | 'redo', now: T): T | null {
    const history = this.histories.get(key)
    if (history === undefined) return null
    const [from, to] = direction === 'undo' ? [history.past, history.future] : [history.future, history.past]
    const state = from.pop()
    if (state === undefined) return null
    to.push(now)
    history.last = null
    return state
  }

  forget(key: string): void {
    this.histories.delete(key)
  }
}

function continues(last: TypedEdit | null, next: TypedEdit | null): boolean {
  if (last === null || next === null || last.kind !== next.kind) return false
  return next.kind === 'compose' || (last.to === next.from && !next.isWordStart)
}

/** The edit that turns one text into another, if typing could have made it; null: a paste, a drop or a replacement. */
export function typedEdit(before: string, after: string, isComposing: boolean): TypedEdit | null {
  const [start, endBefore, endAfter] = changedPart(before, after)
  const edit = { from: endBefore, to: endAfter, isWordStart: false }
  if (isComposing) return { ...edit, kind: 'compose' }
  if (endBefore - start === 1 && endAfter === start) return { ...edit, kind: 'delete' }
  if (endBefore !== start || endAfter - start !== 1) return null
  return {
    ...edit,
    kind: 'insert',
    isWordStart: !isSpace(after[start]) && (start === 0 || isSpace(after[start - 1])),
  }
}

/** Where the caret belongs after a text was replaced: behind the part that differs. */
export function caretAfter(before: string, after: string): number {
  return changedPart(before, after)[2]
}

/** The start of the part that differs, and its ends in both texts. */
function changedPart(before: string, after: string): readonly [number, number, number] {
  let start = 0
  const shorter = Math.min(before.length, after.length)
  while (start < shorter && before[start] === after[start]) start += 1
  let same = 0
  while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same += 1
  return [start, before.length - same, after.length - same]
}

function isSpace(character: string | undefined): boolean {
  return character === undefined || /\s/.test(character)
}
