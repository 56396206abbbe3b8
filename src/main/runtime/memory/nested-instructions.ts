/** Instructions of folders below the agent's own: it is told of them when it first touches something there. */
import type { MemorySource } from '../ports.ts'
import { instructionSection } from './instruction-text.ts'
import {
  eachOnce,
  type InstructionsLoaded,
  isKnown,
  type KnownInstructions,
  withoutText,
} from './known-instructions.ts'

export interface NestedDeps {
  readonly memory: Pick<MemorySource, 'below'>
  /** The agent's. */
  readonly folder: string
  readonly trusted: boolean
}

/** What the agent does not know yet of what holds for these real paths; null where that is nothing. */
export async function nestedInstructions(
  touchedPaths: Iterable<string>,
  alreadyLoaded: KnownInstructions,
  { memory, folder, trusted }: NestedDeps,
): Promise<InstructionsLoaded | null> {
  const found = await Promise.all(
    [...new Set(touchedPaths)].map((path) => memory.below(folder, path, { trusted })),
  )
  const fresh = eachOnce(found.flat()).filter((file) => !isKnown(alreadyLoaded, file))
  if (fresh.length === 0) return null
  return {
    type: 'instructions-loaded',
    files: fresh.map(withoutText),
    text: `${OPENING}\n\n${fresh.map(instructionSection).join('\n\n')}`,
  }
}

const OPENING = `# Instructions for folders that you came to
Each holds for the work in its file's folder and below, beside the instructions that you have.`
