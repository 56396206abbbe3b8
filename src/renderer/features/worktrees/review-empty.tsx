/** Review without worktrees: how to get one, or why there can be none. */
import { GitBranch, GitPullRequestArrow, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { loadReview } from '../../stores/review-store.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Spinner } from '../../ui/spinner.tsx'

interface NoWorktreesProps {
  /** Moves to the composer. */
  readonly onAsk: () => void
}

export function NoWorktrees({ onAsk }: NoWorktreesProps) {
  return (
    <EmptyState
      icon={GitPullRequestArrow}
      title="No worktrees yet"
      actions={
        <Button variant="primary" onClick={onAsk}>
          Ask an agent
        </Button>
      }
    >
      An agent with <code className="font-mono text-fg-1 text-xs">isolation: worktree</code> in its definition
      works on its own branch, and you review and merge its changes here. You can also ask for it: “Let three
      agents try this, each in its own worktree.”
    </EmptyState>
  )
}

export function ReviewProblem({ message }: { readonly message: string }) {
  return (
    <EmptyState icon={GitBranch} title="Nothing to review here">
      <span data-selectable="">{message}</span>
    </EmptyState>
  )
}

export function ReviewFailed({ message, folder }: { readonly message: string; readonly folder: string }) {
  return (
    <EmptyState
      icon={TriangleAlert}
      title="Can’t read the worktrees"
      actions={<Button onClick={() => void loadReview(folder)}>Retry</Button>}
    >
      <span data-selectable="">{message}</span>
    </EmptyState>
  )
}

/** Appears after half a second: a fast load must not flash. */
export function Loading({ label }: { readonly label: string }) {
  const [shown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 500)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div aria-busy="true" className="m-auto">
      {shown && (
        <p role="status" className="flex items-center gap-2 text-fg-2 text-sm">
          <Spinner /> {label}
        </p>
      )}
    </div>
  )
}
