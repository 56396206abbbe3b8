/**
 * The objects of `--json` with the keys and values of version 0.1.0, which scripts read. The program itself uses
 * newer names.
 */
import type { CatalogEntry } from '../../../shared/agent-definition/agent-catalog.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import type { ReviewSnapshot } from '../../../shared/worktrees/review.ts'

export function publishedAgent<
  Origin,
  A extends {
    readonly state: CatalogEntry['state']
    readonly shadowedBy: Origin
    readonly content?: CatalogEntry['content']
  },
>({ state, shadowedBy, content: _, ...agent }: A) {
  return { ...agent, state: state === 'shadowed' ? 'overridden' : state, overriddenBy: shadowedBy }
}

/** The code of a diagnostic. */
export const publishedCode = (code: string): string => (code === 'shadowed' ? 'overridden' : code)

export const publishedConversation = ({ requests, ...summary }: ConversationSummary) => ({
  ...summary,
  prompts: requests,
})

export const publishedReview = (snapshot: ReviewSnapshot) => ({
  ...snapshot,
  worktrees: snapshot.worktrees.map(({ state, ...worktree }) => ({
    ...worktree,
    state: state === 'orphaned' ? 'leftover' : state,
  })),
})
