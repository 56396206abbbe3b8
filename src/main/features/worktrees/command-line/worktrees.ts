/** `troupe worktrees list`, `merge`, `discard` and `gc`: reviews agents' worktrees without a window. */
import { countOf, sizeOf } from '../../../../shared/kernel/amounts.ts'
import { formatChanges, mergeCheckText } from '../../../../shared/worktrees/format-work.ts'
import type { RemovedWorktrees, ReviewSnapshot, ReviewWorktree } from '../../../../shared/worktrees/review.ts'
import { EXIT, jsonLine, oneLine, table } from '../../../platform/command-line/terminal.ts'
import {
  type DiscardWorktree,
  type MergeWorktree,
  printRefusal,
  runDiscard,
  runMerge,
  runUndoDiscard,
  type WorktreesContext,
} from './change-worktree.ts'

interface RemoveMergedWorktrees {
  readonly verb: 'worktrees-gc'
  readonly dryRun: boolean
  readonly json: boolean
}

/** The values of `troupe worktrees …`. */
export type WorktreesCommand =
  | { readonly verb: 'worktrees-list'; readonly json: boolean }
  | MergeWorktree
  | DiscardWorktree
  | RemoveMergedWorktrees

/** @returns the exit code */
export async function worktrees(command: WorktreesCommand, context: WorktreesContext): Promise<number> {
  const { review, folder, output } = context
  if (!context.trusted)
    return printRefusal({ ...context, json: command.json }, { type: 'not-trusted', message: UNTRUSTED })
  if (command.verb === 'worktrees-gc') return removeMergedWorktrees(command, context)
  const snapshot = await review.list(folder, { thorough: command.verb === 'worktrees-list' })
  if (snapshot.problem !== null)
    return printRefusal({ ...context, json: command.json }, { type: 'problem', message: snapshot.problem })
  switch (command.verb) {
    case 'worktrees-list':
      output.write(command.json ? jsonLine(publishedReview(snapshot)) : listText(snapshot, context.now))
      return EXIT.done
    case 'worktrees-merge':
      return runMerge(command, snapshot, context)
    case 'worktrees-discard':
      return (command.undo ? runUndoDiscard : runDiscard)(command, snapshot, context)
  }
}

const listText = (snapshot: ReviewSnapshot, now: number): string =>
  worktreeLines(snapshot, now)
    .map((line) => `${line}\n`)
    .join('')

const UNTRUSTED =
  'This folder is not trusted, so its repository is not read. Trust it in the window, or add --trust for this command.'

/** `troupe worktrees gc`: removes merged worktrees, and gives the reason for each one kept. */
async function removeMergedWorktrees(
  { json, dryRun }: RemoveMergedWorktrees,
  context: WorktreesContext,
): Promise<number> {
  const { review, folder, output } = context
  const { worktrees, problem } = await review.list(folder, { thorough: false })
  if (problem !== null) return printRefusal({ ...context, json }, { type: 'problem', message: problem })
  const done = dryRun ? { ok: true as const, value: preview(worktrees) } : await review.removeMerged(folder)
  if (!done.ok) return printRefusal({ ...context, json }, done.failure)
  const { removed, kept } = done.value
  if (json) {
    output.write(jsonLine({ dryRun, removed, kept }))
    return EXIT.done
  }
  if (removed.length === 0)
    output.write(`Nothing ${dryRun ? 'would be' : 'was'} removed: no worktree here is merged.\n`)
  for (const id of removed)
    output.write(oneLine(`${dryRun ? 'would be removed' : 'removed'}: ${id}`).concat('\n'))
  for (const { id, because } of kept) output.write(oneLine(`kept: ${id} (${because})`).concat('\n'))
  return EXIT.done
}

/** The result of a dry run, from the list. */
function preview(worktrees: readonly ReviewWorktree[]): RemovedWorktrees {
  const goes = (worktree: ReviewWorktree) => whyKept(worktree) === null
  return {
    removed: worktrees.filter(goes).map(({ id }) => id),
    kept: worktrees.flatMap((worktree) => {
      const because = whyKept(worktree)
      return because === null ? [] : [{ id: worktree.id, because }]
    }),
  }
}

function whyKept(worktree: ReviewWorktree): string | null {
  const { state, problem, uncommitted } = worktree
  if (problem !== null) return problem
  if (state === 'working') return 'its agent is running'
  if (state !== 'merged') return `not merged: ${formatChanges(worktree)}`
  return uncommitted > 0
    ? `${uncommitted} ${uncommitted === 1 ? 'file has' : 'files have'} uncommitted changes`
    : null
}

/** With the keys and values of version 0.1.0, which scripts read. */
const publishedReview = (snapshot: ReviewSnapshot) => ({
  ...snapshot,
  worktrees: snapshot.worktrees.map(({ state, ...worktree }) => ({
    ...worktree,
    state: state === 'orphaned' ? 'leftover' : state,
  })),
})

/** The worktrees of a repository as a table. @param now ms since the epoch */
function worktreeLines(snapshot: ReviewSnapshot, now: number): readonly string[] {
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
  return `${countOf(commits, 'commit')}, ${formatChanges(worktree)}${open}`
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
