/** Texts about a worktree: its merge state, its unmerged work, its size. */
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { count } from '../../ui/text/format.ts'

interface MergeState {
  readonly text: string
  readonly tone: 'ok' | 'needs-you' | 'plain'
}

interface MergeStateOptions {
  readonly nameOf: (id: string) => string
  /** Whether it is merged before the worktrees it conflicts with. The others then have the conflict. */
  readonly isFirst: boolean
}

/** All that apply, such as "merges cleanly" or "1 conflict with refactorer". */
export function mergeStates(worktree: ReviewWorktree, options: MergeStateOptions): readonly MergeState[] {
  const { nameOf, isFirst } = options
  const { state, check, conflictsWith, resolving, merged, target } = worktree
  if (state === 'merged')
    return [
      {
        text: merged === null ? `in ${target ?? 'the target'}` : `merged into ${merged.into}`,
        tone: 'plain',
      },
    ]
  if (resolving !== null)
    return [
      resolving.length === 0
        ? { text: 'conflicts resolved, not committed', tone: 'plain' }
        : { text: `resolving ${count(resolving.length, 'conflict')}`, tone: 'plain' },
    ]
  if (state !== 'ready') return []
  const states: MergeState[] = []
  if (check === null) states.push({ text: 'checking…', tone: 'plain' })
  else if (check.kind === 'conflicts')
    states.push({
      text: `${count(check.files.length, 'conflict')} with ${target ?? 'the target'}`,
      tone: 'needs-you',
    })
  else if (check.kind === 'unknown') states.push({ text: 'not checked', tone: 'plain' })
  for (const { id, files } of isFirst ? [] : conflictsWith)
    states.push({ text: `${count(files.length, 'conflict')} with ${nameOf(id)}`, tone: 'needs-you' })
  if (states.length === 0 && check?.kind === 'clean') states.push({ text: 'merges cleanly', tone: 'ok' })
  if (states.length === 0 && check?.kind === 'nothing')
    states.push({ text: 'nothing to merge', tone: 'plain' })
  return states
}

/** Whether the worktree holds work that exists nowhere else. */
export function hasUnmergedWork({ state, commits, uncommitted }: ReviewWorktree): boolean {
  return uncommitted > 0 || (state !== 'merged' && commits > 0)
}

/** "3 commits and 2 uncommitted files". */
export function unmergedText({ commits, uncommitted, state }: ReviewWorktree): string {
  const parts = [
    ...(commits > 0 && state !== 'merged' ? [count(commits, 'commit')] : []),
    ...(uncommitted > 0 ? [count(uncommitted, 'uncommitted file')] : []),
  ]
  return parts.join(' and ')
}
