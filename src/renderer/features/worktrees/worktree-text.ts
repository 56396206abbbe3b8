/** Texts about a worktree: its merge state, its unmerged work, its size. */
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { type AgentName, letterAt, mentionText } from '../../../shared/state/agent-names.ts'
import type { MergeMethod, ReviewWorktree } from '../../../shared/worktrees/review.ts'
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

/** Names a worktree like its agent: by task, with a letter among namesakes of one conversation. */
type Named = Pick<ReviewWorktree, 'id' | 'agentName' | 'task' | 'branch' | 'conversationId' | 'createdAt'>

interface WorktreeTitle extends AgentName {
  /** The type of the agent if the task is the title; otherwise empty. */
  readonly more: string
}

/** The first line of a worktree's entry and the text below: the task and the agent; without a task the agent. */
export function worktreeTitle(worktrees: readonly Named[], own: Named): WorktreeTitle {
  const title = firstLine(own.task)
  if (title === '') {
    const isOnly = worktrees.every(({ id, agentName }) => id === own.id || agentName !== own.agentName)
    return { title: isOnly ? own.agentName : own.branch, letter: null, more: '' }
  }
  // Agents of a comparison get their worktrees one after another, in the order of their letters.
  const namesakes = worktrees
    .filter(({ task, conversationId }) => conversationId === own.conversationId && firstLine(task) === title)
    .toSorted((a, b) => a.createdAt - b.createdAt)
  const index = namesakes.findIndex(({ id }) => id === own.id)
  return { title, letter: namesakes.length > 1 ? letterAt(Math.max(0, index)) : null, more: own.agentName }
}

/** The worktree with this id within a sentence: “Fix the test B”. The id itself if no worktree has it. */
export function worktreeName(worktrees: readonly Named[], id: string): string {
  const own = worktrees.find((worktree) => worktree.id === id)
  if (own === undefined) return id
  const name = worktreeTitle(worktrees, own)
  return firstLine(own.task) === '' ? name.title : mentionText(name)
}

const firstLine = (task: string): string => makeVisible(task.trim().split('\n', 1)[0] ?? '').trim()

/** The merge methods with their labels and descriptions. */
interface MethodText {
  readonly method: MergeMethod
  readonly label: string
  /** `into`: the target branch; `commits`: how many commits are merged. */
  readonly effect: (into: string, commits: number) => string
}

export const MERGE_METHODS: readonly MethodText[] = [
  {
    method: 'merge',
    label: 'Merge',
    effect: (into, commits) => `Keeps ${theCommits(commits)} and adds a merge commit to ${into}.`,
  },
  {
    method: 'squash',
    label: 'Squash',
    effect: (into) => `Combines all changes into one new commit on ${into}.`,
  },
  {
    method: 'rebase',
    label: 'Rebase',
    effect: (into, commits) => `Rewrites ${theCommits(commits)} on top of ${into}, without a merge commit.`,
  },
  {
    method: 'cherry-pick',
    label: 'Cherry-pick',
    effect: (into) => `Copies the commits you choose to ${into}.`,
  },
]

export const methodText = (method: MergeMethod): MethodText =>
  MERGE_METHODS.find((text) => text.method === method) ?? (MERGE_METHODS[0] as MethodText)

const theCommits = (commits: number) => (commits === 1 ? 'the commit' : `the ${count(commits, 'commit')}`)
