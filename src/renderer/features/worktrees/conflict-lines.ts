/**
 * The parts of a text with conflict markers as a three-way view shows them: the number of each line in the version that it
 * comes from, and the lines that each side changed since the version before both.
 */
import type { ReviewConflict } from '../../../shared/worktrees/review.ts'
import { conflictParts, type ResolutionChoice } from './conflict-resolution.ts'
import { diffLines } from './diff/diff-lines.ts'

/** A line of one version. Numbers begin with 1. */
export interface SideLine {
  readonly text: string
  /** Null: the line could not be found in its version. */
  readonly number: number | null
  /** Whether the side changed the line; in the version before both: whether a side did. */
  readonly changed: boolean
  /** The text of the changed line on the other end of the change; null: none. */
  readonly partner: string | null
}

/** A line outside conflicts. A side without a number lacks the line: it comes from the other side. */
export interface SharedLine {
  readonly text: string
  readonly ours: number | null
  readonly theirs: number | null
}

export interface SidesOfConflict {
  /** Null: both sides added their lines. */
  readonly base: readonly SideLine[] | null
  readonly ours: readonly SideLine[]
  readonly theirs: readonly SideLine[]
}

export type PlacedPart =
  | { readonly kind: 'same'; readonly lines: readonly SharedLine[] }
  | ({ readonly kind: 'conflict' } & SidesOfConflict)

/** The parts in order. Empty without a text. */
export function placedParts({
  text,
  base,
  ours,
  theirs,
}: Pick<ReviewConflict, 'text' | 'base' | 'ours' | 'theirs'>): readonly PlacedPart[] {
  const parts = text === null ? [] : conflictParts(text)
  const numbersOf = (version: 'base' | 'ours' | 'theirs', whole: string | null | undefined) =>
    numberedIn(
      linesIn(whole ?? ''),
      parts.flatMap((part) => (part.kind === 'same' ? part.lines : (part[version] ?? []))),
    )
  const numbers = {
    base: numbersOf('base', base?.text),
    ours: numbersOf('ours', ours?.text),
    theirs: numbersOf('theirs', theirs?.text),
  }
  const at = { base: 0, ours: 0, theirs: 0 }
  /** The numbers of the next lines of a version. */
  const next = (version: keyof typeof at, count: number) => {
    at[version] += count
    return numbers[version].slice(at[version] - count, at[version])
  }
  return parts.map((part): PlacedPart => {
    if (part.kind === 'conflict')
      return {
        kind: 'conflict',
        ...comparedSides(
          { base: part.base, ours: part.ours, theirs: part.theirs },
          {
            base: next('base', part.base?.length ?? 0),
            ours: next('ours', part.ours.length),
            theirs: next('theirs', part.theirs.length),
          },
        ),
      }
    const { lines } = part
    next('base', lines.length)
    const [inOurs, inTheirs] = [next('ours', lines.length), next('theirs', lines.length)]
    return {
      kind: 'same',
      lines: lines.map((line, index) => ({
        text: line,
        ours: inOurs[index] ?? null,
        theirs: inTheirs[index] ?? null,
      })),
    }
  })
}

/** A file that one side deleted, as one conflict over all its lines. Null: a version is not text. */
export function wholeSides({
  base,
  ours,
  theirs,
}: Pick<ReviewConflict, 'base' | 'ours' | 'theirs'>): SidesOfConflict | null {
  if ([base, ours, theirs].some((side) => side !== null && side.text === null)) return null
  const [before, left, right] = [base, ours, theirs].map((side) => linesIn(side?.text ?? ''))
  const numbers = (lines: readonly string[] = []) => lines.map((_, index) => index + 1)
  return comparedSides(
    { base: base === null ? null : (before ?? []), ours: left ?? [], theirs: right ?? [] },
    { base: numbers(before), ours: numbers(left), theirs: numbers(right) },
  )
}

/** The lines that a choice leaves of a conflict. */
export function resultLines(
  { base, ours, theirs }: SidesOfConflict,
  choice: ResolutionChoice,
): readonly string[] {
  if (typeof choice !== 'string') return linesIn(choice.text)
  const chosen = choice === 'both' ? [...ours, ...theirs] : ({ base, ours, theirs }[choice] ?? [])
  return chosen.map(({ text }) => text)
}

interface Three<T> {
  readonly base: T
  readonly ours: T
  readonly theirs: T
}

function comparedSides(
  {
    base,
    ours,
    theirs,
  }: { readonly base: readonly string[] | null } & Omit<Three<readonly string[]>, 'base'>,
  numbers: Three<readonly (number | null)[]>,
): SidesOfConflict {
  const [left, right] = [changesOf(base ?? [], ours), changesOf(base ?? [], theirs)]
  const sideOf = (
    lines: readonly string[],
    found: readonly (number | null)[],
    changed: ReadonlyMap<number, string | null>,
  ) =>
    lines.map((text, index) => ({
      ...{ text, number: found[index] ?? null },
      ...{ changed: changed.has(index), partner: changed.get(index) ?? null },
    }))
  return {
    base: base === null ? null : sideOf(base, numbers.base, new Map([...right.removed, ...left.removed])),
    ours: sideOf(ours, numbers.ours, left.added),
    theirs: sideOf(theirs, numbers.theirs, right.added),
  }
}

/** The indexes of changed lines, each with the line on the other side that it replaces or that replaces it. */
function changesOf(before: readonly string[], after: readonly string[]) {
  const removed = new Map<number, string | null>()
  const added = new Map<number, string | null>()
  for (const block of diffLines(before, after, false)) {
    if (block.kind === 'same') continue
    for (let step = 0; step < block.beforeCount; step++)
      removed.set(block.before + step, step < block.afterCount ? (after[block.after + step] ?? null) : null)
    for (let step = 0; step < block.afterCount; step++)
      added.set(block.after + step, step < block.beforeCount ? (before[block.before + step] ?? null) : null)
  }
  return { removed, added }
}

/** The number of each line of `merged` in the version `whole`; null: the line is not from there. */
function numberedIn(whole: readonly string[], merged: readonly string[]): readonly (number | null)[] {
  const numbers: (number | null)[] = merged.map(() => null)
  for (const { kind, before, after, afterCount } of diffLines(whole, merged, false))
    if (kind === 'same')
      for (let step = 0; step < afterCount; step++) numbers[after + step] = before + step + 1
  return numbers
}

/** The lines of a text without their endings. */
export function linesIn(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
