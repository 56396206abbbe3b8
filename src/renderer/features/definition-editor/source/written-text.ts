/**
 * What CodeMirror does not keep of a file: its byte-order mark, and which of its lines end with CRLF. The
 * editor's document has LF only; places in the file and in the document are told apart here.
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
  /** Where in the document the line breaks are that the file has as CRLF, in order. */
  readonly returns: readonly number[]
}

/** Of the line breaks that a change brings, those that are CRLF; the others are LF. */
const bringReturns = StateEffect.define<readonly number[]>({
  map: (places, changes) => places.flatMap((place) => changes.mapPos(place, 1, MapMode.TrackAfter) ?? []),
})
const setMark = StateEffect.define<boolean>()

const written = StateField.define<Written>({
  create: () => ({ hasMark: false, returns: [] }),
  update: (before, transaction) => {
    const marks = transaction.effects.filter((effect) => effect.is(setMark))
    const hasMark = marks.at(-1)?.value ?? before.hasMark
    if (!transaction.docChanged) return hasMark === before.hasMark ? before : { ...before, hasMark }
    const kept = before.returns.flatMap(
      (place) => transaction.changes.mapPos(place, 1, MapMode.TrackAfter) ?? [],
    )
    const brought = broughtReturns(before, transaction)
    return { hasMark, returns: brought.length === 0 ? kept : [...kept, ...brought].sort((a, b) => a - b) }
  },
})

/** A change that says nothing of its line breaks is typed: they are as the one above them. */
function broughtReturns(before: Written, transaction: Transaction): readonly number[] {
  const told = transaction.effects.filter((effect) => effect.is(bringReturns))
  if (told.length > 0 || transaction.isUserEvent('undo') || transaction.isUserEvent('redo'))
    return told.flatMap((effect) => effect.value)
  const places: number[] = []
  if (before.returns.length === 0) return places
  const { doc } = transaction.startState
  const found = new Set(before.returns)
  transaction.changes.iterChanges((from, _to, start, _end, inserted) => {
    const line = doc.lineAt(from)
    if (inserted.lines === 1 || !found.has(line.number === 1 ? line.to : line.from - 1)) return
    places.push(...lineBreaks(inserted, start))
  })
  return places
}

function lineBreaks(text: Text, start: number): readonly number[] {
  const places: number[] = []
  for (let line = 1; line < text.lines; line++) places.push(start + text.line(line).to)
  return places
}

const undoing = invertedEffects.of((transaction) => {
  if (!changesWritten(transaction)) return []
  const { hasMark, returns } = transaction.startState.field(written)
  const lost: number[] = []
  transaction.changes.iterChangedRanges((from, to) => {
    for (let index = firstFrom(returns, from); index < returns.length; index++) {
      const place = returns[index] ?? to
      if (place >= to) break
      lost.push(place)
    }
  })
  const marks = transaction.effects.some((effect) => effect.is(setMark)) ? [setMark.of(hasMark)] : []
  return lost.length === 0 ? marks : [...marks, bringReturns.of(lost)]
})

/** What a state starts with to be a file's text. */
export function startWritten(text: string): { readonly doc: Text; readonly extensions: Extension } {
  const hasMark = text.startsWith(MARK)
  const { doc, returns } = parse(hasMark ? text.slice(1) : text)
  return {
    doc,
    extensions: [EditorState.lineSeparator.of('\n'), written.init(() => ({ hasMark, returns })), undoing],
  }
}

/** A lone CR stays in its line: readers of definitions do the same. */
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

/** Whether the file's text is another one after it. */
export function changesWritten(transaction: Transaction): boolean {
  return transaction.docChanged || transaction.effects.some((effect) => effect.is(setMark))
}

/** The file's text. */
export function writtenText(state: EditorState): string {
  const { hasMark, returns } = state.field(written)
  const text = state.doc.toString()
  let at = 0
  const parts = returns.map((place) => {
    const part = text.slice(at, place)
    at = place
    return part
  })
  return (hasMark ? MARK : '') + [...parts, text.slice(at)].join('\r')
}

/** The place in the document of a place in the file, in UTF-16 units; before the line break within a CRLF. */
export function toDocument(state: EditorState, offset: number): number {
  const { hasMark, returns } = state.field(written)
  const place = Math.max(0, offset - (hasMark ? 1 : 0))
  return Math.min(place - returnsBefore(returns, place), state.doc.length)
}

/** Edits of the file's text as a change of the document. */
export function editWritten(state: EditorState, edits: readonly TextEdit[]): TransactionSpec {
  const { hasMark, returns } = state.field(written)
  const effects: StateEffect<unknown>[] = []
  const brought: number[] = []
  let moved = 0
  const changes = joinEdits(edits).map((edit) => {
    const { from, to, insert } = aroundReturns(
      edit.from === 0 ? besideMark(edit) : withoutMark(edit),
      returns,
    )
    const parsed = parse(insert)
    const change = { from: from - returnsBefore(returns, from), to: to - returnsBefore(returns, to) }
    brought.push(...parsed.returns.map((place) => place + change.from + moved))
    moved += parsed.doc.length - (change.to - change.from)
    return { ...change, insert: parsed.doc }
  })
  return { changes, effects: [...effects, bringReturns.of(brought)] }

  function withoutMark({ from, to, insert }: TextEdit): TextEdit {
    const width = hasMark ? 1 : 0
    return { from: from - width, to: to - width, insert }
  }
  /** At the very start the mark may go, come, or get something before it. */
  function besideMark({ to, insert }: TextEdit): TextEdit {
    const start = hasMark && to === 0 ? insert + MARK : insert
    const hasMarkThen = start.startsWith(MARK)
    if (hasMarkThen !== hasMark) effects.push(setMark.of(hasMarkThen))
    return { from: 0, to: Math.max(0, to - (hasMark ? 1 : 0)), insert: hasMarkThen ? start.slice(1) : start }
  }
}

/** Those that touch each other as one. */
function joinEdits(edits: readonly TextEdit[]): readonly TextEdit[] {
  const joined: TextEdit[] = []
  for (const edit of edits) {
    const last = joined.at(-1)
    if (last === undefined || edit.from > last.to) joined.push(edit)
    else joined[joined.length - 1] = { from: last.from, to: edit.to, insert: last.insert + edit.insert }
  }
  return joined
}

/** An edit that starts or ends within a CRLF takes it whole, and puts the other half back. */
function aroundReturns({ from, to, insert }: TextEdit, returns: readonly number[]): TextEdit {
  const before = isWithin(returns, from)
  const after = isWithin(returns, to)
  return {
    from: before ? from - 1 : from,
    to: after ? to + 1 : to,
    insert: (before ? '\r' : '') + insert + (after ? '\n' : ''),
  }
}

/** How many CRs of line breaks the file has before a place, which counts them. */
function returnsBefore(returns: readonly number[], place: number): number {
  return countWhile(returns, (at, index) => at + index < place)
}

function isWithin(returns: readonly number[], place: number): boolean {
  const before = returnsBefore(returns, place)
  return before > 0 && (returns[before - 1] ?? 0) + before === place
}

/** The index of the first at or after a position of the document. */
function firstFrom(returns: readonly number[], position: number): number {
  return countWhile(returns, (at) => at < position)
}

function countWhile(places: readonly number[], holds: (place: number, index: number) => boolean): number {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(places[middle] ?? 0, middle)) low = middle + 1
    else high = middle
  }
  return low
}
