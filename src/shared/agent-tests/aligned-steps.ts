/** Two transcripts beside each other: what both did in the same way, where they parted, and where they met again. */
import type { TranscriptRow } from '../events/transcript-row.ts'
import { rowText } from '../transcript/transcript-rows.ts'
import type { DiffArrays } from './definition-changes.ts'

/** What an agent did or said. */
export interface TranscriptStep {
  readonly kind: 'call' | 'text' | 'note'
  /** The row of the transcript. */
  readonly key: string
  /** The name of a call's tool as shown, such as `Read`; empty for others. */
  readonly name: string
  /** The call's object, such as a path; otherwise the text. */
  readonly label: string
  /** What a call came to, such as `64 lines`; empty for others. */
  readonly outcome: string
  readonly failed: boolean
}

/** Steps beside each other. */
interface StepPair {
  readonly left: TranscriptStep | null
  readonly right: TranscriptStep | null
  readonly same: boolean
}

export interface AlignedSteps {
  readonly pairs: readonly StepPair[]
  /** The index of the first pair that differs; null: both did the same. */
  readonly firstDifference: number | null
}

/** More steps after the first difference are not searched for later matches: the time grows with their square. */
const MOST_STEPS = 2000

/** The steps of a transcript: its calls and texts, without thoughts and the task. */
export function transcriptSteps(rows: readonly TranscriptRow[]): readonly TranscriptStep[] {
  return rows.flatMap((row) => stepOf(row) ?? [])
}

function stepOf(row: TranscriptRow): TranscriptStep | null {
  const other = { key: row.key, name: '', outcome: '', failed: false }
  switch (row.kind) {
    case 'tool':
      return {
        kind: 'call',
        key: row.key,
        name: row.call.label,
        label: row.summary,
        outcome: row.note,
        failed: row.status === 'failed',
      }
    case 'text':
      return { ...other, kind: 'text', label: row.text }
    case 'agents': {
      const failures = Object.values(row.failures)
      const outcome = failures.join('\n')
      const label = `${row.toolUseIds.length - failures.length}`
      return { ...other, kind: 'call', name: 'Agent', label, outcome, failed: outcome !== '' }
    }
    case 'request':
      return {
        ...other,
        kind: 'note',
        label: rowText(row),
        failed: row.decision === null || row.decision === 'deny',
      }
    case 'retry':
      return { ...other, kind: 'note', label: rowText(row), failed: true }
    case 'ended':
      return row.failure === null ? null : { ...other, kind: 'note', label: rowText(row), failed: true }
    case 'notice':
      return row.level === 'error' ? { ...other, kind: 'note', label: row.text, failed: true } : null
    case 'user':
    case 'thinking':
    case 'work':
    case 'instructions':
      return null
  }
}

export function alignSteps(
  left: readonly TranscriptStep[],
  right: readonly TranscriptStep[],
  diffArrays: DiffArrays,
): AlignedSteps {
  const [ours, theirs] = [left.map(contentOf), right.map(contentOf)]
  const most = Math.min(ours.length, theirs.length)
  let equal = 0
  while (equal < most && ours[equal] === theirs[equal]) equal++
  const pairs: StepPair[] = left.slice(0, equal).map((step, at) => sameOf(step, right[at] ?? step))
  let [leftAt, rightAt] = [equal, equal]
  const differ = (leftTo: number, rightTo: number) => {
    while (leftAt < leftTo || rightAt < rightTo)
      pairs.push({
        left: leftAt < leftTo ? (left[leftAt++] ?? null) : null,
        right: rightAt < rightTo ? (right[rightAt++] ?? null) : null,
        same: false,
      })
  }
  for (const [leftTo, rightTo] of laterMatches(ours.slice(equal), theirs.slice(equal), diffArrays)) {
    differ(leftTo + equal, rightTo + equal)
    const [one, other] = [left[leftAt++], right[rightAt++]]
    if (one !== undefined && other !== undefined) pairs.push(sameOf(one, other))
  }
  differ(left.length, right.length)
  const first = pairs.findIndex(({ same }) => !same)
  return { pairs, firstDifference: first === -1 ? null : first }
}

const sameOf = (left: TranscriptStep, right: TranscriptStep): StepPair => ({ left, right, same: true })

/** Steps are the same if they look the same, whatever their spaces. */
const contentOf = ({ kind, name, label, outcome, failed }: TranscriptStep): string =>
  [kind, name, label.replaceAll(/\s+/g, ' ').trim(), outcome, failed].join('\u0000')

/** The indexes of equal steps, from the start. */
function laterMatches(
  left: string[],
  right: string[],
  diffArrays: DiffArrays,
): readonly (readonly [number, number])[] {
  if (left.length + right.length > MOST_STEPS) return []
  const matches: [number, number][] = []
  let [leftAt, rightAt] = [0, 0]
  for (const { value, added, removed } of diffArrays(left, right)) {
    if (removed) leftAt += value.length
    else if (added) rightAt += value.length
    else for (const _ of value) matches.push([leftAt++, rightAt++])
  }
  return matches
}
