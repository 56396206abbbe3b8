/** How the user resolves conflicts by hand: choices by conflict, which survive a restart, and the resulting files. */
import { useState } from 'react'
import type { ConflictSide, ResolvedFile, ReviewConflict } from '../../../shared/review.ts'
import { type ConflictPiece, conflictPieces } from './conflict-parts.ts'

/** The target's side, the worktree's side, both in this order, or an edited text. */
export type ConflictChoice = 'ours' | 'theirs' | 'both' | { readonly text: string }

/** Choices by the key of the conflict. */
export type ConflictChoices = Readonly<Record<string, ConflictChoice>>

export interface Resolution {
  readonly choices: ConflictChoices
  /** Null: the conflict is open again. */
  readonly choose: (keys: readonly string[], choice: ConflictChoice | null) => void
  /** Deletes the stored choices, after the merge. */
  readonly clear: () => void
}

/** `place`: names the worktree and the branch. */
export function useResolution(place: string): Resolution {
  const storageKey = `review-resolution:${place}`
  const [choices, setChoices] = useState<ConflictChoices>(() => storedChoices(storageKey))
  return {
    choices,
    choose: (keys, choice) =>
      setChoices((known) => {
        const kept = Object.entries(known).filter(([key]) => !keys.includes(key))
        const next = Object.fromEntries(
          choice === null ? kept : [...kept, ...keys.map((key) => [key, choice] as const)],
        )
        localStorage.setItem(storageKey, JSON.stringify(next))
        return next
      }),
    clear: () => localStorage.removeItem(storageKey),
  }
}

function storedChoices(storageKey: string): ConflictChoices {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '{}')
    if (typeof value !== 'object' || value === null) return {}
    return Object.fromEntries(Object.entries(value).filter(([, choice]) => isChoice(choice)))
  } catch {
    return {}
  }
}

const isChoice = (value: unknown): boolean =>
  value === 'ours' ||
  value === 'theirs' ||
  value === 'both' ||
  (typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string')

/** The keys of the conflicts of a file, in order. A changed conflict has another key, so that no choice is reused. */
export function conflictKeys(conflict: ReviewConflict): readonly string[] {
  const { path, text, ours, theirs } = conflict
  // The old name of a rename is on neither side.
  if (ours === null && theirs === null) return []
  const pieces = text === null ? [] : conflictPieces(text).filter(({ kind }) => kind === 'conflict')
  // Without markers, the file is chosen as a whole.
  if (pieces.length === 0) return [`${path}\n${hash(`${sideText(ours)}\n${sideText(theirs)}`)}`]
  return pieces.map((piece, index) => `${path}\n${index} ${hash(JSON.stringify(piece))}`)
}

/** Whether the conflicts of a file are chosen as a whole: it has no text with markers. */
export const isWhole = ({ text }: ReviewConflict): boolean =>
  text === null || conflictPieces(text).every(({ kind }) => kind === 'same')

/** Whether a conflict is resolved: it has a choice, and an edited text has no conflict markers left. */
export function isResolved(choice: ConflictChoice | undefined): boolean {
  if (choice === undefined) return false
  return typeof choice === 'string' || !hasMarkers(choice.text)
}

export const hasMarkers = (text: string): boolean => /^(<{7}|>{7})( |\r?$)/m.test(text)

/** The file as resolved. Null: a conflict is open, or the file needs no resolution. */
export function resolvedFile(conflict: ReviewConflict, choices: ConflictChoices): ResolvedFile | null {
  const { path, text } = conflict
  const chosen = conflictKeys(conflict).map((key) => choices[key])
  const [first] = chosen
  if (first === undefined || !chosen.every(isResolved)) return null
  if (text === null || isWhole(conflict))
    return first === 'ours' || first === 'theirs' ? { path, use: first } : null
  return { path, text: resolvedText(conflict, text, chosen) }
}

function resolvedText(
  { ours, theirs }: ReviewConflict,
  text: string,
  chosen: readonly (ConflictChoice | undefined)[],
): string {
  const pieces = conflictPieces(text)
  const ending = text.includes('\r\n') && !/[^\r]\n/.test(text) ? '\r\n' : '\n'
  let index = 0
  const texts = pieces.map((piece) =>
    piece.kind === 'same' ? piece.text : chosenText(piece, chosen[index++], ending),
  )
  const result = texts.join('')
  // The text with markers ends each side with a line ending. The side itself may lack it.
  const last = chosen.at(-1)
  const side = last === 'ours' ? ours : last === 'theirs' ? theirs : null
  if (pieces.at(-1)?.kind !== 'conflict' || side?.text == null || side.text.endsWith('\n')) return result
  return result.replace(/\r?\n$/, '')
}

function chosenText(
  piece: ConflictPiece & { readonly kind: 'conflict' },
  choice: ConflictChoice | undefined,
  ending: string,
): string {
  if (choice === undefined || choice === 'both') return piece.ours + piece.theirs
  if (choice === 'ours' || choice === 'theirs') return piece[choice]
  const text = choice.text.replaceAll('\r\n', '\n')
  const closed = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return closed.replaceAll('\n', ending)
}

const sideText = (side: ConflictSide | null): string => (side === null ? '-' : `+${side.text ?? ''}`)

/** FNV-1a, 32 bits: tells texts apart, without storing them. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0
  return `${value.toString(36)}-${text.length}`
}
