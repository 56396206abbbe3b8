/** Instructions of folders below the agent's own. The agent receives them when it first touches a file there. */
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
  /** The agent's folder. */
  readonly folder: string
  readonly trusted: boolean
}

/** The instructions for these real paths that the agent has not received; null if there are none. */
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

const OPENING = `# Instructions for folders that you work in
Each applies in its file's folder and below, a rule of .claude/rules to the files that it is for, in addition to the instructions you already have.`
