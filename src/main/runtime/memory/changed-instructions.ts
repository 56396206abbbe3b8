/** Instruction files that changed since the agent received them. The agent's prompt stays unchanged. */
import { makeVisible } from '../../../shared/visible-text.ts'
import type { AgentMemory, InstructionFile } from '../ports.ts'
import { instructionSection } from './instruction-text.ts'
import {
  eachOnce,
  type InstructionsLoaded,
  isKnown,
  type KnownInstructions,
  withoutText,
} from './known-instructions.ts'
import type { NestedDeps } from './nested-instructions.ts'

/** Compares the files that the agent knows with `now`, the files that a new start would load. Null: no change. */
export async function changedInstructions(
  known: KnownInstructions,
  now: Pick<AgentMemory, 'files'>,
  { memory, folder, trusted }: NestedDeps,
): Promise<InstructionsLoaded | null> {
  // The agent wrote its own memory, and knows it.
  const start = now.files.filter(({ scope }) => scope !== 'agent')
  const given = [...known.values()].filter(({ scope, bytes }) => scope !== 'agent' && bytes > 0)
  const isLoaded = (path: string) => start.some((file) => file.path === path)
  const nested = await Promise.all(
    given
      .filter(({ path, importedBy }) => importedBy === null && !isLoaded(path))
      .map(({ path }) => memory.below(folder, path, { trusted })),
  )
  const present = eachOnce([...start, ...nested.flat()])
  const changed = present.filter((file) => !isKnown(known, file))
  const gone = given.filter(({ path }) => !present.some((file) => file.path === path))
  if (changed.length + gone.length === 0) return null
  return {
    type: 'instructions-loaded',
    files: [
      ...changed.map(withoutText),
      ...gone.map(({ path, scope, importedBy }) => ({ path, scope, importedBy, bytes: 0 })),
    ],
    text: [...changedText(changed), ...removedText(gone.map(({ path }) => path))].join('\n\n'),
  }
}

function changedText(changed: readonly InstructionFile[]): readonly string[] {
  if (changed.length === 0) return []
  return [
    '# New or changed instructions\nFrom now on, these replace the earlier text of the same files.',
    ...changed.map(instructionSection),
  ]
}

function removedText(paths: readonly string[]): readonly string[] {
  return paths.length === 0
    ? []
    : [`These instruction files were removed and no longer apply: ${paths.map(makeVisible).join(', ')}.`]
}
