/** What an agent that is being edited can refer to, and what is known of its file. */
import type { AgentLibrary, LibraryEntry } from '../../../shared/agent-library.ts'

export interface DefinitionSurroundings {
  readonly entry: Pick<LibraryEntry, 'id' | 'name' | 'source' | 'plugin' | 'file' | 'path' | 'locked'>
  /** The file's name without `.md`. */
  readonly stem: string
  readonly library: Pick<AgentLibrary, 'entries' | 'tools' | 'skills' | 'servers'>
  /** Full ids that the API offers, beside the aliases. */
  readonly models: readonly { readonly id: string; readonly name: string }[]
}
