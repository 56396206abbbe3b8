/** The port to the environments of worktrees: what an agent waits for, and what it is told. */
import type { FormQuestion } from '../../../shared/forms/form.ts'
import type { WorktreeLocation } from '../../../shared/worktrees/worktree.ts'

export interface WorktreeEnvironments {
  /**
   * Called when an agent enters its worktree. Resolves when it may begin: after the set-up, or at once where it starts
   * beside it. Ends early when the signal aborts. Never rejects.
   */
  enter(location: Pick<WorktreeLocation, 'path'>, entering: EnteringAgent): Promise<EnteredEnvironment>
}

interface EnteringAgent {
  readonly signal: AbortSignal
  /** Called before the agent waits, with a sentence for the user. */
  readonly waits: (text: string) => void
  /**
   * Asks the user, as the agent's other questions are asked. Resolves to the label of the chosen option; to null where
   * nobody can answer, the user does not, or the signal aborts.
   */
  readonly ask: (question: FormQuestion, signal: AbortSignal) => Promise<string | null>
  /** Called when the set-up has ended after the agent began, with a sentence for the agent. */
  readonly ended: (text: string) => void
}

interface EnteredEnvironment {
  /** What the agent is told about its environment; null: there is nothing to say. */
  readonly text: string | null
}
