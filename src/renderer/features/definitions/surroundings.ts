/** The context of an edited definition: its file, the names it can refer to, and the tools that it has there. */
import type { AgentCatalog, CatalogEntry } from '../../../shared/agent-definition/agent-catalog.ts'
import type { Diagnostic, Fix, ReadDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import { effectiveTools } from '../../../shared/agent-definition/effective-tools.ts'
import type { ToolResolution } from '../../../shared/agent-definition/resolve-tools.ts'

export interface DefinitionSurroundings {
  readonly entry: Pick<CatalogEntry, 'id' | 'name' | 'source' | 'plugin' | 'file' | 'path' | 'locked'>
  /** The file's name without `.md`. */
  readonly stem: string
  readonly catalog: Pick<AgentCatalog, 'entries' | 'tools' | 'conditions' | 'skills' | 'servers'>
  /** Shows what a fix changes and asks; missing: fixes are made at once. */
  readonly showFix?: (problem: Diagnostic, fix: Fix) => void
  /** Model ids from the API, in addition to the aliases. */
  readonly models: readonly { readonly id: string; readonly name: string }[]
}

/** Makes a fix, or shows it first if the user must see it. */
export function makeFix(
  problem: Diagnostic,
  fix: Fix,
  { showFix, make }: Pick<DefinitionSurroundings, 'showFix'> & { readonly make: (fix: Fix) => void },
): void {
  if (fix.isShownFirst && showFix !== undefined) showFix(problem, fix)
  else make(fix)
}

/** The tools of an edited agent, as the runtime would give them to it now. */
export function toolsOfAgent(
  { definition, offered }: Pick<ReadDefinition, 'offered'> & Pick<Readable, 'definition'>,
  { entry, catalog }: Pick<DefinitionSurroundings, 'entry' | 'catalog'>,
): ToolResolution {
  const { source } = entry
  const { tools, conditions } = catalog
  return effectiveTools(definition, { name: definition.name, source, offered, tools, conditions })
}

type Readable = { readonly definition: NonNullable<ReadDefinition['definition']> }
