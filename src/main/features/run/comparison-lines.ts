/** Prints a comparison as a table, with what to do next. */

import { durationOf, formatTokens } from '../../../shared/kernel/amounts.ts'
import type { AttemptRow } from '../../../shared/state/comparison-rows.ts'
import type { ConversationSnapshot } from '../../../shared/state/conversation-snapshot.ts'
import { oneLine, table } from '../../platform/command-line/terminal.ts'

const HEAD = ['agent', 'model', 'state', 'check', 'time', 'tokens', 'cost', 'changes', 'worktree']

export function comparisonLines(
  { agents }: Pick<ConversationSnapshot, 'agents'>,
  rows: readonly AttemptRow[],
  best: readonly AttemptRow[],
): readonly string[] {
  const worktreeOf = ({ agentId }: AttemptRow) => agents.find(({ id }) => id === agentId)?.worktree ?? null
  const lines = rows.map((row) => [
    row.label,
    row.model,
    row.status ?? '–',
    checkText(row),
    row.ms === 0 ? '–' : durationOf(row.ms),
    row.tokens === null ? '–' : formatTokens(row.tokens),
    row.costUsd === null ? '–' : `$${row.costUsd.toFixed(2)}`,
    changesText(row),
    row.work === null || row.work.files === 0 ? '–' : (worktreeOf(row)?.id ?? '–'),
  ])
  const [first] = best
  const id = first === undefined ? null : (worktreeOf(first)?.id ?? null)
  const did = rows.some(({ check }) => check !== null) ? 'passed' : 'changed something'
  return [
    ...table([HEAD, ...lines]),
    ...rows.flatMap(remarks),
    '',
    id === null || first === undefined
      ? `No attempt ${did}. Their work, if any, is in their worktrees: troupe worktrees list`
      : `${best.length === 1 ? 'One attempt' : `${best.length} attempts`} ${did}; the smallest change is that of ${first.label}. To merge it: troupe worktrees merge ${id}`,
  ]
}

/** "passed", "failed, 2 of 14 tests", "failed (exit 1)", "not run". */
function checkText({ check, counts }: AttemptRow): string {
  if (check === null) return '–'
  if (check.state === 'not-run') return 'not run'
  if (check.state === 'failed' && (counts === null || counts.failed === 0))
    return `failed (exit ${check.exitCode ?? '–'})`
  if (counts === null) return check.state
  const all = counts.passed + counts.failed
  return check.state === 'failed'
    ? `failed, ${counts.failed} of ${all} tests`
    : `passed, ${all} ${all === 1 ? 'test' : 'tests'}`
}

function changesText({ work }: AttemptRow): string {
  if (work === null) return '–'
  return work.files === 0
    ? 'none'
    : `${work.files} ${work.files === 1 ? 'file' : 'files'} +${work.insertions} -${work.deletions}`
}

/** What the table has no room for. */
const remarks = ({ label, failure, check }: AttemptRow): readonly string[] => [
  ...(failure === null ? [] : [oneLine(`${label} failed: ${failure}`)]),
  ...(check?.because
    ? [
        oneLine(
          `${label}: the check ${check.state === 'not-run' ? 'has no result' : check.state}. ${check.because}`,
        ),
      ]
    : []),
  ...(check?.changedFiles
    ? [oneLine(`${label}: the check changed files in the worktree; a merge takes them along.`)]
    : []),
]
