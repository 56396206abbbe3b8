import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import { resolveTools } from '../../../shared/agent-definition/resolve-tools.ts'
import { toolFacts } from '../../../shared/tool-facts.ts'
import { useSession } from '../../stores/session-store.ts'
import type { DefinitionSurroundings } from './surroundings.ts'

/** Whether a definition is tried in a worktree by default: it can change files, and the folder is on a git branch. */
export function prefersWorktree(text: string, { stem, entry, catalog }: DefinitionSurroundings): boolean {
  const { folder } = useSession.getState()
  const { source } = entry
  const { definition } = readDefinition(text, { stem, source })
  if (definition === null || !folder?.trusted || folder.gitBranch === null) return false
  if (definition.isolation === 'worktree') return true
  if (definition.readOnly || definition.permissionMode === 'plan') return false
  const { allowed } = resolveTools({ ...definition, source }, { tools: catalog.tools, depth: 1 })
  return allowed.some((tool) => WRITING.includes(toolFacts(tool)?.group ?? ''))
}

const WRITING: readonly string[] = ['Change', 'Run']
