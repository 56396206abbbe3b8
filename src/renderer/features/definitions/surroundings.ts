/** The context of an edited definition: its file, and the names it can refer to. */
import type { AgentCatalog, CatalogEntry } from '../../../shared/agent-definition/agent-catalog.ts'

export interface DefinitionSurroundings {
  readonly entry: Pick<CatalogEntry, 'id' | 'name' | 'source' | 'plugin' | 'file' | 'path' | 'locked'>
  /** The file's name without `.md`. */
  readonly stem: string
  readonly catalog: Pick<AgentCatalog, 'entries' | 'tools' | 'skills' | 'servers'>
  /** How deep agents may be nested, as the settings say. */
  readonly maxDepth: number
  /** Model ids from the API, in addition to the aliases. */
  readonly models: readonly { readonly id: string; readonly name: string }[]
}
