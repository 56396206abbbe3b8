/** What an agent that runs is told before its next request: instructions that changed, and those of folders it came to. */
import type { DefinitionSnapshot } from '../../../shared/agent-event.ts'
import type { MemorySource } from '../ports.ts'
import { changedInstructions } from './changed-instructions.ts'
import type { InstructionsLoaded, KnownInstructions } from './known-instructions.ts'
import { nestedInstructions } from './nested-instructions.ts'

export interface InstructedAgent {
  readonly definition: Pick<DefinitionSnapshot, 'name' | 'memory' | 'omitProjectInstructions'>
  /** Its folder, which may be a worktree. */
  readonly folder: string
  /** The conversation's, by which its memory is known. */
  readonly project: string
  /** Only the main agent hears of changes: others are soon done. */
  readonly hearsOfChanges: boolean
  /** Real paths that it touched since it was last told. */
  readonly touched: Iterable<string>
  readonly known: KnownInstructions
}

/** In the order in which they are told. */
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
  return [changed, nested].filter((told) => told !== null)
}
