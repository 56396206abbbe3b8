/**
 * Stores the parts of a file that CodeMirror drops: the byte-order mark and the CRLF line breaks. The editor's
 * document has LF only; this module converts between positions in the file and in the document.
 */
import { invertedEffects } from '@codemirror/commands'
import {
  EditorState,
  type Extension,
  MapMode,
  StateEffect,
  StateField,
  Text,
  type Transaction,
  type TransactionSpec,
} from '@codemirror/state'
import type { TextEdit } from '../../../../shared/agent-definition/agent-definition.ts'

const MARK = '\uFEFF'

interface Written {
  readonly hasMark: boolean
  /** Document positions of the line breaks that are CRLF in the file, sorted. */
  readonly returns: readonly number[]
}

/** Positions of the inserted line breaks that are CRLF; the others are LF. */
const addReturns = StateEffect.define<readonly number[]>({
  map: (positions, changes) =>
    positions.flatMap((position) => changes.mapPos(position, 1, MapMode.TrackAfter) ?? []),
})
const setMark = StateEffect.define<boolean>()

const written = StateField.define<Written>({
  create: () => ({ hasMark: false, returns: [] }),
  update: (before, transaction) => {
    const marks = transaction.effects.filter((effect) => effect.is(setMark))
    const hasMark = marks.at(-1)?.value ?? before.hasMark
    if (!transaction.docChanged) return hasMark === before.hasMark ? before : { ...before, hasMark }
    const kept = before.returns.flatMap(
      (position) => transaction.changes.mapPos(position, 1, MapMode.TrackAfter) ?? [],
    )
    const added = insertedReturns(before, transaction)
    return { hasMark, returns: added.length === 0 ? kept : [...kept, ...added].sort((a, b) => a - b) }
  },
})

/** Typed text takes the line break of the line above. */
function insertedReturns(before: Written, transaction: Transaction): readonly number[] {
  const explicit = transaction.effects.filter((effect) => effect.is(addReturns))
  if (explicit.length > 0 || transaction.isUserEvent('undo') || transaction.isUserEvent('redo'))
    return explicit.flatMap((effect) => effect.value)
  const positions: number[] = []
  if (before.returns.length === 0) return positions
  const { doc } = transaction.startState
  const known = new Set(before.returns)
  transaction.changes.iterChanges((from, _to, start, _end, inserted) => {
    const line = doc.lineAt(from)
    if (inserted.lines === 1 || !known.has(line.number === 1 ? line.to : line.from - 1)) return
    positions.push(...lineBreaks(inserted, start))
  })
  return positions
}

function lineBreaks(text: Text, start: number): readonly number[] {
  const positions: number[] = []
  for (let line = 1; line < text.lines; line++) positions.push(start + text.line(line).to)
  return positions
}

const undoing = invertedEffects.of((transaction) => {
  if (!changesWritten(transaction)) return []
  const { hasMark, returns } = transaction.startState.field(written)
  const lost: number[] = []
  transaction.changes.iterChangedRanges((from, to) => {
    for (let index = firstFrom(returns, from); index < returns.length; index++) {
      const position = returns[index] ?? to
      if (position >= to) break
      lost.push(position)
    }
  })
  const marks = transaction.effects.some((effect) => effect.is(setMark)) ? [setMark.of(hasMark)] : []
  return lost.length === 0 ? marks : [...marks, addReturns.of(lost)]
})

/** The initial document and extensions for a file's text. */
export function startWritten(text: string): { readonly doc: Text; readonly extensions: Extension } {
  const hasMark = text.startsWith(MARK)
  const { doc, returns } = parse(hasMark ? text.slice(1) : text)
  return {
    doc,
    extensions: [EditorState.lineSeparator.of('\n'), written.init(() => ({ hasMark, returns })), undoing],
  }
}

/** A lone CR stays in its line, as in the definition reader. */
function parse(text: string): { readonly doc: Text; readonly returns: readonly number[] } {
  const lines = text.split('\n')
  const returns: number[] = []
  let at = 0
  for (const [index, line] of lines.entries()) {
    if (index < lines.length - 1 && line.endsWith('\r')) {
      lines[index] = line.slice(0, -1)
      returns.push(at + line.length - 1)
    }
    at += (lines[index]?.length ?? 0) + 1
  }
  return { doc: Text.of(lines), returns }
}

/** Whether the transaction changes the file's text. */
export function changesWritten(transaction: Transaction): boolean {
  return transaction.docChanged || transaction.effects.some((effect) => effect.is(setMark))
}

/** The file's text. */
export function writtenText(state: EditorState): string {
  const { hasMark, returns } = state.field(written)
  const text = state.doc.toString()
  let at = 0
  const parts = returns.map((position) => {
    const part = text.slice(at, position)
    at = position
    return part
  })
  return (hasMark ? MARK : '') + [...parts, text.slice(at)].join('\r')
}

/** Converts a position in the file to the document. A position inside a CRLF is before the line break. */
export function toDocument(state: EditorState, offset: number): number {
  const { hasMark, returns } = state.field(written)
  const position = Math.max(0, offset - (hasMark ? 1 : 0))
  return Math.min(position - returnsBefore(returns, position), state.doc.length)
}

/** Converts edits of the file's text to a change of the document. */
export function editWritten(state: EditorState, edits: readonly TextEdit[]): TransactionSpec {
  const { hasMark, returns } = state.field(written)
  const effects: StateEffect<unknown>[] = []
  const added: number[] = []
  let moved = 0
  const changes = joinEdits(edits).map((edit) => {
    const { from, to, insert } = aroundReturns(
      edit.from === 0 ? besideMark(edit) : withoutMark(edit),
      returns,
    )
    const parsed = parse(insert)
    const change = { from: from - returnsBefore(returns, from), to: to - returnsBefore(returns, to) }
    added.push(...parsed.returns.map((position) => position + change.from + moved))
    moved += parsed.doc.length - (change.to - change.from)
    return { ...change, insert: parsed.doc }
  })
  return { changes, effects: [...effects, addReturns.of(added)] }

  function withoutMark({ from, to, insert }: TextEdit): TextEdit {
    const width = hasMark ? 1 : 0
    return { from: from - width, to: to - width, insert }
  }
  /** An edit at the start may remove or add the mark, or insert text before it. */
  function besideMark({ to, insert }: TextEdit): TextEdit {
    const start = hasMark && to === 0 ? insert + MARK : insert
    const hasMarkAfter = start.startsWith(MARK)
    if (hasMarkAfter !== hasMark) effects.push(setMark.of(hasMarkAfter))
    return { from: 0, to: Math.max(0, to - (hasMark ? 1 : 0)), insert: hasMarkAfter ? start.slice(1) : start }
  }
}

/** Joins adjacent edits. */
function joinEdits(edits: readonly TextEdit[]): readonly TextEdit[] {
  const joined: TextEdit[] = []
  for (const edit of edits) {
    const last = joined.at(-1)
    if (last === undefined || edit.from > last.to) joined.push(edit)
    else joined[joined.length - 1] = { from: last.from, to: edit.to, insert: last.insert + edit.insert }
  }
  return joined
}

/** An edit that starts or ends inside a CRLF replaces the whole CRLF and restores the other half. */
function aroundReturns({ from, to, insert }: TextEdit, returns: readonly number[]): TextEdit {
  const before = isWithin(returns, from)
  const after = isWithin(returns, to)
  return {
    from: before ? from - 1 : from,
    to: after ? to + 1 : to,
    insert: (before ? '\r' : '') + insert + (after ? '\n' : ''),
  }
}

/** The number of CRs of line breaks before a position in the file. */
function returnsBefore(returns: readonly number[], position: number): number {
  return countWhile(returns, (at, index) => at + index < position)
}

function isWithin(returns: readonly number[], position: number): boolean {
  const before = returnsBefore(returns, position)
  return before > 0 && (returns[before - 1] ?? 0) + before === position
}

/** The index of the first CRLF at or after a document position. */
function firstFrom(returns: readonly number[], position: number): number {
  return countWhile(returns, (at) => at < position)
}

function countWhile(
  positions: readonly number[],
  holds: (position: number, index: number) => boolean,
): number {
  let low = 0
  let high = positions.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(positions[middle] ?? 0, middle)) low = middle + 1
    else high = middle
  }
  return low
}
