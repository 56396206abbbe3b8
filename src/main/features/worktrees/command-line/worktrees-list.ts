/** Prints the worktrees of a repository as a table. */

import { formatChanges, mergeCheckText } from '../../../../shared/worktrees/format-work.ts'
import type { ReviewSnapshot, ReviewWorktree } from '../../../../shared/worktrees/review.ts'
import { oneLine, table } from '../../../platform/command-line/text-table.ts'
import { sizeOf } from '../../../runtime/tools/amounts.ts'

/** @param now ms since the epoch */
export function worktreeLines(snapshot: ReviewSnapshot, now: number): readonly string[] {
  const { worktrees, discarded, order } = snapshot
  return [
    ...(worktrees.length === 0 ? [NONE] : table([HEAD, ...worktrees.map((one) => row(one, snapshot, now))])),
    ...worktrees.flatMap(remarks),
    ...(order.length < 2 ? [] : ['', `Fewest conflicts in this order: ${order.map(oneLineOf).join(', ')}`]),
    ...(discarded.length === 0
      ? []
      : [
          '',
          'Discarded. To restore one before the window’s next start: troupe worktrees discard --undo ID',
          ...discarded.map(({ id, agentName, at }) =>
            oneLine(`  ${id}  ${agentName}, ${ageOf(at, now)} ago`),
          ),
        ]),
  ]
}

const NONE =
  'No worktrees. An agent gets one if its definition or its call sets isolation: worktree. The worktree stays while it has unmerged work.'

const HEAD = ['state', 'branch', 'agent', 'task', 'changes', 'merge check', 'conflicts with', 'size', 'age']

function row(worktree: ReviewWorktree, { current }: ReviewSnapshot, now: number): readonly string[] {
  const { branch, agentName, task, conflictsWith, bytes, createdAt } = worktree
  return [
    stateOf(worktree),
    branch,
    agentName,
    oneLine(task, 40),
    worktree.problem === null ? changesOf(worktree) : '–',
    checkOf(worktree, current),
    conflictsWith.map(({ id }) => id).join(', ') || '–',
    bytes === null ? '–' : sizeOf(bytes),
    ageOf(createdAt, now),
  ]
}

function stateOf({ state, ended, folderGone }: ReviewWorktree): string {
  const how = ended === 'failed' || ended === 'stopped' ? ` (${ended})` : ''
  return `${state}${how}${folderGone ? ', no folder' : ''}`
}

function changesOf(worktree: ReviewWorktree): string {
  const { commits, uncommitted } = worktree
  const open = uncommitted === 0 ? '' : `, ${uncommitted} uncommitted`
  return `${commits} commit${commits === 1 ? '' : 's'}, ${formatChanges(worktree)}${open}`
}

function checkOf({ check, target, merged }: ReviewWorktree, current: string | null): string {
  if (check === null) return '–'
  if (check.kind === 'nothing' && merged !== null) return `merged into ${merged.into}`
  const into = target === null || target === current || check.kind === 'nothing' ? '' : ` (into ${target})`
  return `${mergeCheckText(check)}${into}`
}

/** Details that do not fit into a row. */
function remarks({ id, check, conflictsWith, resolving, notes, problem }: ReviewWorktree): readonly string[] {
  const lines = [
    ...(problem === null ? [] : [problem]),
    ...(check?.kind === 'conflicts' && check.files.length > 1
      ? [`conflicts in ${check.files.join(', ')}`]
      : []),
    ...conflictsWith.map((other) => `conflicts with ${other.id} in ${other.files.join(', ')}`),
    ...(resolving === null
      ? []
      : [
          resolving.length === 0
            ? 'its conflicts are resolved, but the merge is not committed yet'
            : `unresolved conflicts in ${resolving.join(', ')}`,
        ]),
    ...notes,
  ]
  return lines.map((line) => oneLine(`${id}: ${line}`))
}

/** "now", "4 min", "2 h", "3 d". */
function ageOf(at: number, now: number): string {
  const minutes = Math.floor(Math.max(0, now - at) / 60_000)
  if (minutes < 1) return 'a moment'
  if (minutes < 60) return `${minutes} min`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`
  return `${Math.floor(minutes / (24 * 60))} d`
}

const oneLineOf = (text: string): string => oneLine(text)
