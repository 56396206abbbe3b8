/** The choices of the merge dialog, and the merge they add up to. */
import { useEffect, useState } from 'react'
import type {
  MergeMethod,
  ReviewCommit,
  ReviewSnapshot,
  ReviewWorktree,
} from '../../../../shared/worktrees/review.ts'
import { command } from '../../../bridge.ts'
import { useDialogCommand } from '../../../stores/overlay-store.ts'
import { showConflicts, showReviewDialog } from '../../../stores/review-store.ts'
import { useCommitMessage } from '../commit-message.tsx'
import { mergeWorktree, startResolve } from '../review-actions.ts'

export interface MergeFormOptions {
  readonly snapshot: ReviewSnapshot
  readonly worktree: ReviewWorktree
  readonly method: MergeMethod
  /** Whether the user chooses a branch other than the worktree's target. */
  readonly elsewhere: boolean
}

export function useMergeForm({ snapshot, worktree, method: initial, elsewhere }: MergeFormOptions) {
  const { folder } = snapshot
  const [method, setMethod] = useState<MergeMethod>(initial)
  const [into, setInto] = useState(elsewhere ? '' : (worktree.target ?? snapshot.current ?? ''))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { busy, failure, clearFailure, run } = useDialogCommand()
  const commits = useCommits(folder, worktree)
  const branch = into.trim()
  const branchError = unknownBranch(branch, snapshot)
  const picks = method === 'cherry-pick'
  const takesMessage = method === 'merge' || method === 'squash'
  const message = useCommitMessage(folder, worktree, method === 'squash' ? 'squash' : 'merge')
  const canMerge =
    branch !== '' &&
    branchError === null &&
    !busy &&
    (!picks || chosen.size > 0) &&
    (!takesMessage || message.problem === null)
  const otherBranch = branch === worktree.target ? null : branch
  const isKnown = worktree.check?.kind === 'conflicts' && branch === worktree.target && !picks
  const conflicts = isKnown || failure?.type === 'conflicts'
  const canAsk = !busy && worktree.state !== 'orphaned'
  const askAgent = () => {
    showReviewDialog(null)
    void startResolve(folder, worktree.id, otherBranch)
  }
  const submit = async () => {
    if (conflicts) return canAsk ? askAgent() : undefined
    if (!canMerge) return
    const answer = await run(() =>
      mergeWorktree(folder, {
        id: worktree.id,
        method,
        into: otherBranch,
        commits: picks ? oldestFirst(commits ?? [], chosen) : [],
        message: takesMessage ? message.text : null,
        seen: worktree.version,
      }),
    )
    if (!answer?.ok) return
    message.reset()
    showReviewDialog(null)
  }
  return {
    method,
    setMethod: (chosenMethod: MergeMethod) => {
      setMethod(chosenMethod)
      clearFailure()
    },
    /** The target branch as typed. */
    into,
    setInto: (typed: string) => {
      setInto(typed)
      clearFailure()
    },
    branch,
    branchError,
    message,
    takesMessage,
    /** Null until loaded. */
    commits,
    chosen,
    setChosen,
    busy,
    failure,
    canMerge,
    /** Whether this merge is known to conflict. It is then not offered. */
    conflicts,
    /** Whether an agent can resolve the conflicts. An orphaned worktree has none. */
    canAsk,
    resolveByHand: () => {
      showReviewDialog(null)
      showConflicts(otherBranch)
    },
    submit,
  }
}

/** The chosen commits in the order they were made; `commits` lists the newest first. */
function oldestFirst(commits: readonly ReviewCommit[], chosen: ReadonlySet<string>): string[] {
  return commits
    .map(({ sha }) => sha)
    .filter((sha) => chosen.has(sha))
    .reverse()
}

function useCommits(folder: string, { id, commits }: ReviewWorktree): readonly ReviewCommit[] | null {
  const [loaded, setLoaded] = useState<readonly ReviewCommit[] | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new commit changes the count and loads again
  useEffect(() => {
    let canceled = false
    void command('review.changes', { folder, id }).then((answer) => {
      if (!canceled) setLoaded(answer.ok ? answer.value.commits : [])
    })
    return () => {
      canceled = true
    }
  }, [folder, id, commits])
  return loaded
}

function unknownBranch(branch: string, { branches }: ReviewSnapshot): string | null {
  if (branch === '' || branches.includes(branch)) return null
  const first = branches.slice(0, 5).join(', ')
  return `No branch is named “${branch}”. Branches: ${first}${branches.length > 5 ? ', …' : '.'}`
}
