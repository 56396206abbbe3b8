/** What a worktree is like, in words. */
import type { ReviewWorktree } from '../../../shared/review.ts'
import { count } from '../../ui/format.ts'

interface Standing {
  readonly text: string
  readonly tone: 'ok' | 'needs-you' | 'plain'
}

interface StandingOptions {
  readonly nameOf: (id: string) => string
  /** It is to be merged before those that it is in the way of: they are the ones that have a conflict then. */
  readonly isFirst: boolean
}

/** How it fits together with the others: "merges cleanly", "1 conflict with refactorer". Several where several hold. */
export function standingsOf(worktree: ReviewWorktree, options: StandingOptions): readonly Standing[] {
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
        ? { text: 'conflicts resolved, not committed yet', tone: 'plain' }
        : { text: `resolving ${count(resolving.length, 'conflict')}`, tone: 'plain' },
    ]
  if (state !== 'ready') return []
  const standings: Standing[] = []
  if (check === null) standings.push({ text: 'checking…', tone: 'plain' })
  else if (check.kind === 'conflicts')
    standings.push({
      text: `${count(check.files.length, 'conflict')} with ${target ?? 'the target'}`,
      tone: 'needs-you',
    })
  else if (check.kind === 'unknown') standings.push({ text: 'could not be checked', tone: 'plain' })
  for (const { id, files } of isFirst ? [] : conflictsWith)
    standings.push({ text: `${count(files.length, 'conflict')} with ${nameOf(id)}`, tone: 'needs-you' })
  if (standings.length === 0 && check?.kind === 'clean')
    standings.push({ text: 'merges cleanly', tone: 'ok' })
  if (standings.length === 0 && check?.kind === 'nothing')
    standings.push({ text: 'nothing to merge', tone: 'plain' })
  return standings
}

/** Whether discarding it loses something that is nowhere else. */
export function holdsUnmergedWork({ state, commits, uncommitted }: ReviewWorktree): boolean {
  return uncommitted > 0 || (state !== 'merged' && commits > 0)
}

/** "3 commits and 2 uncommitted files". */
export function unmergedWords({ commits, uncommitted, state }: ReviewWorktree): string {
  const parts = [
    ...(commits > 0 && state !== 'merged' ? [count(commits, 'commit')] : []),
    ...(uncommitted > 0 ? [count(uncommitted, 'uncommitted file')] : []),
  ]
  return parts.join(' and ')
}

/** "840 KB", "12.4 MB". */
export function sizeWords(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
  let [value, unit] = [bytes, 0]
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1
  return `${value.toFixed(digits).replace(/\.0$/, '')} ${units[unit]}`
}
