/** The difference of a file through several changes, with the author of each line. */
import { diffArrays } from 'diff'
import type { FileHistory } from '../../../shared/changes/changes.ts'
import { timeNow } from '../../ui/machine.ts'
import { markChanges, type UnifiedLine } from '../../ui/unified-diff.ts'

/** The id of an agent; `you` for the user. */
export type Author = string
export const YOU = 'you'

export interface AuthoredLine extends UnifiedLine {
  /** Null: the line did not change. */
  readonly author: Author | null
  /** When the line was changed. */
  readonly at: number
  /** Whether the line begins a run of changed lines. */
  readonly startsChange: boolean
}

interface AuthoredDiff {
  readonly lines: readonly AuthoredLine[]
  /** Runs of changed lines that the user and an agent share. */
  readonly overlaps: number
}

type Steps = FileHistory['steps']

export const authorOf = ({ agentId }: Steps[number]): Author => agentId ?? YOU

/** Unchanged lines around a change. */
const CONTEXT = 3
/** A longer comparison is given up. */
const MOST_MS = 1500

/** The part of a history between the first and the last step that is wanted. Null: there is no such step. */
export function partOf(
  { first, steps }: FileHistory,
  isWanted: (step: Steps[number]) => boolean,
): FileHistory | null {
  const from = steps.findIndex(isWanted)
  if (from === -1) return null
  const until = steps.findLastIndex(isWanted)
  return {
    first: steps[from - 1] === undefined ? first : (steps[from - 1]?.text ?? null),
    steps: steps.slice(from, until + 1),
  }
}

/** A line of the file, or one that was removed from its first state. */
interface Line {
  readonly text: string
  /** The index in the first state; null: a step added the line. */
  readonly origin: number | null
  /** The step that added or removed the line; null: unchanged. */
  readonly step: number | null
}

/** @param only shows only the changes with a line of this author. Null: the comparison takes too long. */
export function authoredDiff({ first, steps }: FileHistory, only: Author | null): AuthoredDiff | null {
  const original = linesOf(first)
  const removedBy = new Map<number, number>()
  const until = timeNow() + MOST_MS
  let current: Line[] = original.map((text, origin) => ({ text, origin, step: null }))
  for (const [step, { text }] of steps.entries()) {
    const next = linesOf(text)
    const parts = diffArrays(
      current.map((line) => line.text),
      next,
      { timeout: Math.max(1, until - timeNow()) },
    )
    if (parts === undefined) return null
    const lines: Line[] = []
    let index = 0
    for (const { added, removed, value } of parts) {
      if (added) lines.push(...value.map((line) => ({ text: line, origin: null, step })))
      else {
        const same = current.slice(index, index + value.length)
        index += value.length
        if (!removed) lines.push(...same)
        else for (const { origin } of same) if (origin !== null) removedBy.set(origin, step)
      }
    }
    current = lines
  }
  return shown(allLines(current, original, removedBy), { steps, only })
}

type Numbered = Pick<UnifiedLine, 'kind' | 'text' | 'before' | 'after'> & { readonly step: number | null }

/** The lines of both states in order: what was removed stands before what was added. */
function allLines(
  current: readonly Line[],
  original: readonly string[],
  removedBy: ReadonlyMap<number, number>,
): readonly Numbered[] {
  const all: Numbered[] = []
  let before = 0
  let after = 0
  let run: Line[] = []
  const endRun = (upTo: number) => {
    let from = before
    let [start, end] = [0, run.length]
    // A line that was removed and added again is unchanged.
    const same = () => {
      const line = run[start]
      if (line === undefined || start >= end || from >= upTo || original[from] !== line.text) return false
      all.push({ kind: 'context', text: line.text, before: ++from, after: ++after, step: null })
      start += 1
      return true
    }
    while (same());
    let tail = 0
    while (
      upTo - tail > from &&
      end - tail > start &&
      original[upTo - tail - 1] === run[end - tail - 1]?.text
    )
      tail += 1
    end -= tail
    for (; from < upTo - tail; from++)
      all.push({
        kind: 'removed',
        text: original[from] ?? '',
        before: from + 1,
        after: null,
        step: removedBy.get(from) ?? null,
      })
    for (const { text, step } of run.slice(start, end))
      all.push({ kind: 'added', text, before: null, after: ++after, step })
    for (const { text } of run.slice(end))
      all.push({ kind: 'context', text, before: ++from, after: ++after, step: null })
    before = upTo
    run = []
  }
  for (const line of current) {
    if (line.origin === null) {
      run.push(line)
      continue
    }
    endRun(line.origin)
    all.push({ kind: 'context', text: line.text, before: ++before, after: ++after, step: null })
  }
  endRun(original.length)
  return all
}

function shown(
  all: readonly Numbered[],
  { steps, only }: { readonly steps: Steps; readonly only: Author | null },
): AuthoredDiff {
  const authorAt = ({ step }: Numbered): Author | null => {
    const found = step === null ? undefined : steps[step]
    return found === undefined ? null : authorOf(found)
  }
  const wanted = new Array<boolean>(all.length).fill(false)
  let overlaps = 0
  for (const { from, to } of runsOf(all)) {
    const authors = new Set(all.slice(from, to).map(authorAt))
    if (only !== null && !authors.has(only)) continue
    if (authors.has(YOU) && authors.size > 1) overlaps += 1
    wanted.fill(true, Math.max(0, from - CONTEXT), Math.min(all.length, to + CONTEXT))
  }
  const lines: AuthoredLine[] = []
  for (const [index, line] of all.entries()) {
    if (!wanted[index]) continue
    const isCut = !wanted[index - 1] && (index > 0 || lines.length > 0)
    const none = { changed: null, author: null, at: 0, startsChange: false }
    if (isCut) lines.push({ ...none, kind: 'hunk', text: '', before: null, after: null })
    const { kind, text, before, after, step } = line
    lines.push({
      ...none,
      ...{ kind, text, before, after },
      author: kind === 'context' ? null : authorAt(line),
      at: (step === null ? undefined : steps[step]?.at) ?? 0,
      startsChange: kind !== 'context' && (all[index - 1]?.kind ?? 'context') === 'context',
    })
  }
  const marked = markChanges(lines)
  return {
    lines: lines.map((line, index) => ({ ...line, changed: marked[index]?.changed ?? null })),
    overlaps,
  }
}

function runsOf(all: readonly Numbered[]): readonly { readonly from: number; readonly to: number }[] {
  const runs: { from: number; to: number }[] = []
  for (const [index, { kind }] of all.entries()) {
    if (kind === 'context') continue
    const last = runs.at(-1)
    if (last?.to === index) last.to = index + 1
    else runs.push({ from: index, to: index + 1 })
  }
  return runs
}

function linesOf(text: string | null): string[] {
  if (text === null || text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
