/** Lines that two worktrees change both, while agents work in them: a merge will conflict there. */

/** Changed lines of one file, counted from 1 in the commit that the worktree started from. */
export interface LineChange {
  readonly path: string
  /** The content of the file in that commit; null: the worktree adds it. Equal for equal content. */
  readonly before: string | null
  /** The first and the last line that is changed or removed. An insertion has `last` one below `first`. */
  readonly first: number
  readonly last: number
}

export interface ChangedWork {
  /** The id of the worktree. */
  readonly id: string
  readonly lines: readonly LineChange[]
}

/** The same lines of one file in two worktrees. */
export interface Overlap {
  readonly path: string
  /** As in `LineChange`; 0: both add the file. */
  readonly first: number
  readonly last: number
  /** The ids of the worktrees, in the order of the alphabet. */
  readonly ids: readonly [string, string]
  /** ms since the epoch: when it was seen first. */
  readonly since: number
}

/**
 * Reads `git diff --unified=0 --full-index --no-renames`: the changed lines of each file. A binary file counts as one line.
 */
export function readChangedLines(diff: string): readonly LineChange[] {
  const found: LineChange[] = []
  let path = ''
  let before: string | null = null
  for (const line of diff.split('\n')) {
    const header = /^diff --git a\/(.*) b\/\1$/.exec(line)
    if (header !== null) {
      path = header[1] ?? ''
      before = null
      continue
    }
    const index = /^index ([0-9a-f]{40,64})\.\.[0-9a-f]{40,64}/.exec(line)
    if (index !== null) before = /^0+$/.test(index[1] ?? '') ? null : (index[1] ?? null)
    if (line.startsWith('Binary files ')) found.push({ path, before, first: 1, last: 1 })
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+/.exec(line)
    if (hunk === null) continue
    const first = Number(hunk[1])
    const count = hunk[2] === undefined ? 1 : Number(hunk[2])
    // An insertion stands behind the line that git names.
    found.push(
      count === 0
        ? { path, before, first: first + 1, last: first }
        : { path, before, first, last: first + count - 1 },
    )
  }
  return found
}

/** The overlaps of all pairs, one a file and pair. @param known those that were seen before, for `since` */
export function findOverlaps(
  works: readonly ChangedWork[],
  { known, now }: { readonly known: readonly Overlap[]; readonly now: number },
): readonly Overlap[] {
  const found: Overlap[] = []
  for (const [at, one] of works.entries())
    for (const other of works.slice(at + 1)) {
      const [a, b] = one.id < other.id ? [one, other] : [other, one]
      for (const path of new Set(a.lines.map((lines) => lines.path))) {
        const both = commonLines(
          a.lines.filter((lines) => lines.path === path),
          b.lines.filter((lines) => lines.path === path),
        )
        if (both === null) continue
        const ids = [a.id, b.id] as const
        const before = known.find((each) => each.path === path && sameIds(each.ids, ids))
        found.push({ path, ...both, ids, since: before?.since ?? now })
      }
    }
  return found
}

const sameIds = (one: Overlap['ids'], other: Overlap['ids']): boolean =>
  one[0] === other[0] && one[1] === other[1]

/** From the first to the last line that both change; null: none, or the file differs where they began. */
function commonLines(
  ours: readonly LineChange[],
  theirs: readonly LineChange[],
): { readonly first: number; readonly last: number } | null {
  const hits = ours.flatMap((one) =>
    theirs.flatMap((other) => (one.before === other.before && meet(one, other) ? [common(one, other)] : [])),
  )
  if (hits.length === 0) return null
  return {
    first: Math.min(...hits.map(({ first }) => first)),
    last: Math.max(...hits.map(({ last }) => last)),
  }
}

type Span = Pick<LineChange, 'first' | 'last'>

const isInsertion = ({ first, last }: Span): boolean => last < first

/** Insertions meet at the same place, and an insertion meets changed lines that it stands between. */
function meet(one: Span, other: Span): boolean {
  if (isInsertion(one) && isInsertion(other)) return one.first === other.first
  if (isInsertion(one)) return other.first < one.first && one.first <= other.last
  if (isInsertion(other)) return meet(other, one)
  return one.first <= other.last && other.first <= one.last
}

const common = (one: Span, other: Span): Span => {
  const first = Math.max(one.first, other.first)
  return { first, last: Math.max(first, Math.min(one.last, other.last)) }
}

/** "src/money.ts:40-58", "src/money.ts:40", "src/new.ts". */
export function overlapText({ path, first, last }: Pick<Overlap, 'path' | 'first' | 'last'>): string {
  if (first === 0) return path
  return last > first ? `${path}:${first}-${last}` : `${path}:${first}`
}

/** What an agent is told, and what the user reads of it. @param other the worktree that changes the same lines */
export const overlapAdvice = (
  overlap: Overlap,
  { task, branch }: { readonly task: string; readonly branch: string },
): { readonly text: string; readonly note: string } => ({
  text: `Another agent (“${task}”, branch ${branch}) changes the same lines as you, in its own worktree: ${overlapText(overlap)}, counted in the commit that you started from. A merge of both will conflict there. Leave these lines to it if your task allows; otherwise go on, and name the overlap in your report.`,
  note: `Both this agent and “${task}” change ${overlapText(overlap)}. Both were told.`,
})
