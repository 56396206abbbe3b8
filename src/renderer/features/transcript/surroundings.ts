/** What the rows of a transcript need of the world around them. Rows get it by context, so that they stay pure. */
import { createContext, useContext } from 'react'
import type { AgentState } from '../../../shared/agent-state.ts'
import type { Answer } from '../../../shared/ipc-contract.ts'
import type { FoldStates } from './fold-states.ts'
import type { FileReference } from './markdown/file-references.ts'

export interface Surroundings {
  readonly agentId: string
  /** The agent's own name, for labels. */
  readonly agentName: string
  /** Opens a file of the agent's folder in the user's editor. */
  openFile(reference: FileReference): void
  /** Asks the main process to open an address; it asks the person. */
  openLink(url: string): void
  /** The whole output of a call of which the transcript holds only head and tail. */
  toolOutput(toolUseId: string): Promise<Answer<string>>
  /** The agents that these Agent calls started; updates by itself. */
  useStartedAgents(toolUseIds: readonly string[]): readonly AgentState[]
  /** Output so far of a call that still runs; updates by itself. */
  useLiveOutput(toolUseId: string): string
  /** When the next attempt of a failed request starts, ms since the epoch; null: none is planned. */
  useRetryAt(): number | null
  /** Shows the panel of an agent; null where there is nowhere to show it. */
  readonly openAgent: ((agentId: string) => void) | null
  readonly folds: FoldStates
}

export const SurroundingsContext = createContext<Surroundings | null>(null)

export function useSurroundings(): Surroundings {
  const surroundings = useContext(SurroundingsContext)
  if (surroundings === null) throw new Error('A transcript row stands outside of a transcript')
  return surroundings
}
