/** The context that a transcript provides to its rows. */
import { createContext, useContext } from 'react'
import type { FoldStates } from './fold-states.ts'
import type { FileReference } from './markdown/file-references.ts'
import type { StreamedTexts } from './stream/streamed-texts.ts'

export interface Surroundings {
  readonly agentId: string
  /** Opens a file of the agent's folder in the user's editor. */
  openFile(reference: FileReference): void
  /** Asks the main process to open an address. The main process asks the user. */
  openLink(url: string): void
  /** Shows the panel of another agent; null without panels. */
  readonly openAgent: ((agentId: string) => void) | null
  readonly folds: FoldStates
  /** Texts that streamed recently and are rendered already. */
  readonly streamed: StreamedTexts
}

export const SurroundingsContext = createContext<Surroundings | null>(null)

export function useSurroundings(): Surroundings {
  const surroundings = useContext(SurroundingsContext)
  if (surroundings === null) throw new Error('A transcript row must be inside a transcript')
  return surroundings
}
