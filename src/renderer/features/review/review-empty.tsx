/** What Review says where there is nothing to review: what would fill it, and how. */
import { GitBranch, GitPullRequestArrow, TriangleAlert } from 'lucide-react'
import { loadReview } from '../../stores/review-store.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

interface NoWorktreesProps {
  /** To the composer. */
  readonly onAsk: () => void
  readonly onAgents: () => void
}

export function NoWorktrees({ onAsk, onAgents }: NoWorktreesProps) {
  return (
    <EmptyState
      icon={GitPullRequestArrow}
      title="No worktrees yet"
      actions={
        <>
          <Button variant="primary" onClick={onAsk}>
            Ask the agent
          </Button>
          <Button onClick={onAgents}>Edit agents</Button>
        </>
      }
    >
      An agent with <code className="font-mono text-fg-1 text-xs">isolation: worktree</code> in its definition
      works in a copy of the repository, on a branch of its own; its work waits here until you merge it. Or
      ask: “Let three agents try this, each in its own worktree.”
    </EmptyState>
  )
}

export function ReviewProblem({ words }: { readonly words: string }) {
  return (
    <EmptyState icon={GitBranch} title="Nothing to review here">
      <span data-selectable="">{words}</span>
    </EmptyState>
  )
}

export function ReviewFailed({ words, folder }: { readonly words: string; readonly folder: string }) {
  return (
    <EmptyState
      icon={TriangleAlert}
      title="The worktrees can’t be read"
      actions={<Button onClick={() => void loadReview(folder)}>Try again</Button>}
    >
      <span data-selectable="">{words}</span>
    </EmptyState>
  )
}
