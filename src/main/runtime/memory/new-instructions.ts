/** The instructions for a running agent before its next request: changed ones, and those of folders it first touched. */
import type { DefinitionSnapshot } from '../../../shared/agent-event.ts'
import type { MemorySource } from '../ports.ts'
import { changedInstructions } from './changed-instructions.ts'
import type { InstructionsLoaded, KnownInstructions } from './known-instructions.ts'
import { nestedInstructions } from './nested-instructions.ts'

export interface InstructedAgent {
  readonly definition: Pick<DefinitionSnapshot, 'name' | 'memory' | 'omitProjectInstructions'>
  /** The agent's folder, which may be a worktree. */
  readonly folder: string
  /** The conversation's folder, to which the memory belongs. */
  readonly project: string
  /** Set for the main agent only; other agents end soon. */
  readonly hearsOfChanges: boolean
  /** Real paths that the agent touched since the last request. */
  readonly touched: Iterable<string>
  readonly known: KnownInstructions
}

export async function newInstructions(
  { definition, folder, project, hearsOfChanges, touched, known }: InstructedAgent,
  { memory, trusted }: { readonly memory: MemorySource; readonly trusted: boolean },
): Promise<readonly InstructionsLoaded[]> {
  if (definition.omitProjectInstructions) return []
  const deps = { memory, folder, trusted }
  const changed = hearsOfChanges
    ? await changedInstructions(known, await memory.load(project, definition, { trusted }), deps)
    : null
  const knownNow = new Map([...known, ...(changed?.files ?? []).map((file) => [file.path, file] as const)])
  const nested = await nestedInstructions(touched, knownNow, deps)
  return [changed, nested].filter((loaded) => loaded !== null)
}
