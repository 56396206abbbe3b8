/** Texts about attempts. */
import type { AttemptRow } from '../../../shared/state/comparison-rows.ts'
import { modelLabel } from '../../stores/settings-store.ts'
import { count } from '../../ui/text/format.ts'

/** "working", "done", "stopped at a limit". */
export function attemptStatusText({ status, check }: Pick<AttemptRow, 'status' | 'check'>): string {
  switch (status) {
    case null:
      return 'unknown'
    case 'limit':
      return 'stopped at a limit'
    case 'completed':
      return check?.state === 'running' ? 'done, being checked' : 'done'
    case 'running':
      return 'working'
    default:
      return status
  }
}

/** "passed · 14 tests", "failed · 2 of 14 tests", "failed · exit code 1", "not checked". Null: no result yet. */
export function checkText({ check, counts, isLive }: AttemptRow): string | null {
  if (check === null) return isLive ? null : 'not checked'
  if (check.state === 'waiting' || check.state === 'running') return check.state
  if (check.state === 'not-run') return 'not checked'
  const total = counts === null ? 0 : counts.passed + counts.failed
  if (check.state === 'passed')
    return total === 0 ? 'passed' : `passed · ${count(counts?.passed ?? 0, 'test')}`
  return counts === null || counts.failed === 0
    ? `failed · exit code ${check.exitCode ?? '–'}`
    : `failed · ${counts.failed} of ${count(total, 'test')}`
}

/** "All 3 agents have ended: 2 passed the check." */
export function summaryText(rows: readonly AttemptRow[], command: string | null): string {
  const live = rows.filter(({ isLive }) => isLive).length
  const checking = rows.filter(({ check }) => check?.state === 'waiting' || check?.state === 'running').length
  const passed = rows.filter(({ check }) => check?.state === 'passed').length
  if (live > 0)
    return `${count(rows.length, 'agent')} got one task. ${live} still ${live === 1 ? 'works' : 'work'}.`
  if (checking > 0) return `All ${rows.length} agents have ended. ${count(checking, 'check')} left.`
  const changed = rows.filter(({ work }) => work !== null && work.files > 0).length
  const result = command === null ? `${changed} changed something` : `${passed} passed the check`
  return `All ${rows.length} agents have ended: ${result}.`
}

export interface AttemptName {
  /** A, B, C … */
  readonly letter: string
  /** The model, or the agent if the model is not known. */
  readonly title: string
  /** The agent, if the model is the title; otherwise empty. */
  readonly agent: string
}

export function attemptName(
  { label, model }: Pick<AttemptRow, 'label' | 'model'>,
  letter: string,
): AttemptName {
  const known = modelLabel(model)
  return known === '' ? { letter, title: label, agent: '' } : { letter, title: known, agent: label }
}

/** On one line of text: "A · sonnet 4.5". */
export const attemptNameText = ({ letter, title }: AttemptName): string => `${letter} · ${title}`

/**
 * The attempts with the smallest change and with the lowest cost, by the ids of their agents. Null while one works, where
 * two are equal, and where an amount is not known.
 */
export function bestAmounts(rows: readonly AttemptRow[]): {
  readonly smallest: string | null
  readonly cheapest: string | null
} {
  const least = (amountOf: (row: AttemptRow) => number | null): string | null => {
    const amounts = rows.map((row) => ({ agentId: row.agentId, amount: amountOf(row) }))
    const known = amounts.filter((one): one is { agentId: string; amount: number } => one.amount !== null)
    const [first, second] = known.toSorted((one, other) => one.amount - other.amount)
    return first === undefined || second === undefined || first.amount === second.amount
      ? null
      : first.agentId
  }
  if (rows.some(({ isLive }) => isLive)) return { smallest: null, cheapest: null }
  const isWhole = rows.every(({ costUsd }) => costUsd !== null)
  return {
    smallest: least(({ work }) =>
      work === null || work.files === 0 ? null : work.insertions + work.deletions,
    ),
    cheapest: isWhole ? least(({ costUsd }) => costUsd) : null,
  }
}
