/** How the user resolves conflicts by hand: choices and typed texts by conflict, kept on disk as a draft, and the files. */
import type { ConflictSide, ResolvedFile, ReviewConflict } from '../../../shared/worktrees/review.ts'
import { EMPTY_DRAFT, setDraft, useDrafts } from '../../stores/draft-store.ts'

/**
 * The target's side, the worktree's side, both in this order, the lines before both changes, or an edited text. `isTyped`
 * false: nothing was typed yet, so the conflict is still open.
 */
export type ResolutionChoice = SideChoice | EditedText

/** In the order of the keys 1 to 4. */
export const SIDE_CHOICES = ['ours', 'theirs', 'both', 'base'] as const
export type SideChoice = (typeof SIDE_CHOICES)[number]

interface EditedText {
  readonly text: string
  readonly isTyped?: boolean
}

/** Choices by the key of the conflict. */
type ConflictChoices = Readonly<Record<string, ResolutionChoice>>

interface Kept {
  readonly choices: ConflictChoices
  /** What was typed, by the key of the conflict, also where a side was chosen later. */
  readonly typed: Readonly<Record<string, string>>
}

export interface Resolution extends Kept {
  readonly choose: (keys: readonly string[], choice: ResolutionChoice) => void
  /** Takes a left text for another conflict. */
  readonly move: (left: LeftText, key: string) => void
  /** Deletes a typed text. */
  readonly forget: (key: string) => void
  /** Deletes all, after the merge. */
  readonly clear: () => void
}

/** `place`: names the worktree and the branch. */
export function useResolution(place: string): Resolution {
  const draftKey = `review-resolution:${place}`
  const text = useDrafts(({ drafts }) => drafts[draftKey]?.text ?? localStorage.getItem(draftKey) ?? '')
  const kept = keptOf(text)
  const keep = ({ choices, typed }: Kept) => {
    const isEmpty = Object.keys(choices).length === 0 && Object.keys(typed).length === 0
    setDraft(draftKey, { ...EMPTY_DRAFT, text: isEmpty ? '' : `${JSON.stringify({ choices, typed })}\n` })
    localStorage.removeItem(draftKey)
  }
  return {
    ...kept,
    choose(keys, choice) {
      const same = <T>(value: T) => Object.fromEntries(keys.map((key) => [key, value]))
      const isTyped = typeof choice !== 'string' && choice.isTyped !== false
      keep({
        choices: { ...kept.choices, ...same(choice) },
        typed: isTyped ? { ...kept.typed, ...same(choice.text) } : kept.typed,
      })
    },
    move: ({ key: from, text: left }, key) =>
      keep({
        choices: { ...kept.choices, [key]: { text: left, isTyped: true } },
        typed: { ...without(kept.typed, from), [key]: left },
      }),
    forget: (forgotten) => keep({ ...kept, typed: without(kept.typed, forgotten) }),
    clear: () => keep(NOTHING),
  }
}

const NOTHING: Kept = { choices: {}, typed: {} }

const without = <T>(record: Readonly<Record<string, T>>, key: string) =>
  Object.fromEntries(Object.entries(record).filter(([other]) => other !== key))

/** A line for each part: what was stored, and what was chosen before it was loaded. A broken line is left out. */
function keptOf(text: string): Kept {
  return text.split('\n').reduce((all, line) => {
    const next = keptIn(line)
    return { choices: { ...all.choices, ...next.choices }, typed: { ...all.typed, ...next.typed } }
  }, NOTHING)
}

function keptIn(line: string): Kept {
  try {
    const value: unknown = JSON.parse(line === '' ? '{}' : line)
    if (!isRecord(value)) return NOTHING
    // Earlier versions kept the choices alone.
    const choices = isRecord(value['choices']) ? value['choices'] : value
    const typed = isRecord(value['typed']) ? value['typed'] : {}
    return {
      choices: Object.fromEntries(Object.entries(choices).filter(([, choice]) => isChoice(choice))),
      typed: Object.fromEntries(Object.entries(typed).filter(([, text]) => typeof text === 'string')),
    } as Kept
  } catch {
    return NOTHING
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** A text that was typed for a conflict which has changed since, or is gone. */
interface LeftText {
  readonly key: string
  readonly path: string
  readonly text: string
}

export function leftTexts(conflicts: readonly ReviewConflict[], { typed }: Kept): readonly LeftText[] {
  const open = new Set(conflicts.flatMap(conflictKeys))
  return Object.entries(typed).flatMap(([key, text]) =>
    open.has(key) ? [] : [{ key, path: key.slice(0, key.lastIndexOf('\n')), text }],
  )
}

const isChoice = (value: unknown): boolean =>
  SIDE_CHOICES.some((side) => side === value) ||
  (typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string')

/** The keys of the conflicts of a file, in order. A changed conflict has another key, so that no choice is reused. */
export function conflictKeys(conflict: ReviewConflict): readonly string[] {
  const { path, text, ours, theirs } = conflict
  // The old name of a rename is on neither side.
  if (ours === null && theirs === null) return []
  const pieces = text === null ? [] : conflictPieces(text).filter((piece) => piece.kind === 'conflict')
  // Without markers, the file is chosen as a whole.
  if (pieces.length === 0) return [`${path}\n${hash(`${sideText(ours)}\n${sideText(theirs)}`)}`]
  // Without the lines before both changes, which earlier versions did not have.
  return pieces.map(({ base: _, ...piece }, index) => `${path}\n${index} ${hash(JSON.stringify(piece))}`)
}

/** Whether the conflicts of a file are chosen as a whole: it has no text with markers. */
export const isChosenWhole = ({ text }: ReviewConflict): boolean =>
  text === null || conflictPieces(text).every(({ kind }) => kind === 'same')

/** Whether a conflict is resolved: it has a choice; a text was typed and has no conflict markers left. */
export function isResolved(choice: ResolutionChoice | undefined): boolean {
  if (choice === undefined) return false
  return typeof choice === 'string' || (choice.isTyped !== false && !hasMarkerLine(choice.text))
}

export const hasMarkerLine = (text: string): boolean => /^(<{7}|>{7})( |\r?$)/m.test(text)

/** The file as resolved. Null: a conflict is open, or the file needs no resolution. */
export function fileResolution(conflict: ReviewConflict, choices: ConflictChoices): ResolvedFile | null {
  const { path, text } = conflict
  const chosen = conflictKeys(conflict).map((key) => choices[key])
  const [first] = chosen
  if (first === undefined || !chosen.every(isResolved)) return null
  if (text === null || isChosenWhole(conflict))
    return first === 'ours' || first === 'theirs' ? { path, use: first } : null
  return { path, text: resolvedText(conflict, text, chosen) }
}

function resolvedText(
  { base, ours, theirs }: ReviewConflict,
  text: string,
  chosen: readonly (ResolutionChoice | undefined)[],
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
  const side = last === 'ours' ? ours : last === 'theirs' ? theirs : last === 'base' ? base : null
  if (pieces.at(-1)?.kind !== 'conflict' || side?.text == null || side.text.endsWith('\n')) return result
  return result.replace(/\r?\n$/, '')
}

function chosenText(
  piece: ConflictPiece & { readonly kind: 'conflict' },
  choice: ResolutionChoice | undefined,
  ending: string,
): string {
  if (choice === undefined || choice === 'both') return piece.ours + piece.theirs
  if (typeof choice === 'string') return piece[choice]
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

/** Splits a text at its conflict markers. */
export type ConflictPart =
  | { readonly kind: 'same'; readonly lines: readonly string[] }
  | {
      readonly kind: 'conflict'
      /** Names of the sides in the markers. */
      readonly oursName: string
      readonly theirsName: string
      readonly ours: readonly string[]
      readonly theirs: readonly string[]
      /** The lines before both changes; null: the markers do not hold them. */
      readonly base: readonly string[] | null
    }

/** A part of a text with its line endings. */
export type ConflictPiece =
  | { readonly kind: 'same'; readonly text: string }
  | { readonly kind: 'conflict'; readonly ours: string; readonly base: string; readonly theirs: string }

/** The same parts as `conflictParts`, with their line endings. */
function conflictPieces(text: string): readonly ConflictPiece[] {
  const raw = text.split(/(?<=\n)/)
  let line = 0
  const take = (amount: number) => {
    const taken = raw.slice(line, line + amount).join('')
    line += amount
    return taken
  }
  return conflictParts(text).map((part): ConflictPiece => {
    if (part.kind === 'same') return { kind: 'same', text: take(part.lines.length) }
    line += 1
    const ours = take(part.ours.length)
    if (part.base !== null) line += 1
    const base = take(part.base?.length ?? 0)
    line += 1
    const theirs = take(part.theirs.length)
    line += 1
    return { kind: 'conflict', ours, base, theirs }
  })
}

/** A marker without its counterparts is plain text. */
export function conflictParts(text: string): readonly ConflictPart[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  if (lines.at(-1) === '') lines.pop()
  const parts: ConflictPart[] = []
  let same: string[] = []
  let index = 0
  while (index < lines.length) {
    const found = readConflict(lines, index)
    if (found === null) {
      same.push(lines[index] ?? '')
      index++
      continue
    }
    if (same.length > 0) parts.push({ kind: 'same', lines: same })
    same = []
    parts.push(found.part)
    index = found.end
  }
  if (same.length > 0) parts.push({ kind: 'same', lines: same })
  return parts
}

function readConflict(lines: readonly string[], start: number): { part: ConflictPart; end: number } | null {
  if (!/^<{7}( |$)/.test(lines[start] ?? '')) return null
  const find = (pattern: RegExp, from: number) => {
    for (let index = from; index < lines.length; index++) {
      if (pattern.test(lines[index] ?? '')) return index
      if (/^<{7}( |$)/.test(lines[index] ?? '')) return -1
    }
    return -1
  }
  const middle = find(/^={7}$/, start + 1)
  const end = middle === -1 ? -1 : find(/^>{7}( |$)/, middle + 1)
  if (end === -1) return null
  const base = lines.findIndex((line, index) => index > start && index < middle && /^\|{7}( |$)/.test(line))
  return {
    part: {
      kind: 'conflict',
      oursName: (lines[start] ?? '').slice(8),
      theirsName: (lines[end] ?? '').slice(8),
      ours: lines.slice(start + 1, base === -1 ? middle : base),
      theirs: lines.slice(middle + 1, end),
      base: base === -1 ? null : lines.slice(base + 1, middle),
    },
    end: end + 1,
  }
}
