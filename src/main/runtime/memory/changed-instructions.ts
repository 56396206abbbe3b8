/** Files of instructions that say something else than when the agent was given them. Its prompt stays as it is. */
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

/** What the agent is to be told of `now`, which is as it would be loaded at a start; null where nothing changed. */
export async function changedInstructions(
  known: KnownInstructions,
  now: Pick<AgentMemory, 'files'>,
  { memory, folder, trusted }: NestedDeps,
): Promise<InstructionsLoaded | null> {
  // What an agent noted itself it knows.
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
    text: [...newWords(changed), ...goneWords(gone.map(({ path }) => path))].join('\n\n'),
  }
}

function newWords(changed: readonly InstructionFile[]): readonly string[] {
  if (changed.length === 0) return []
  return [
    '# Instructions that are new or changed\nFrom now on this holds, in place of what you had from the same files.',
    ...changed.map(instructionSection),
  ]
}

function goneWords(paths: readonly string[]): readonly string[] {
  return paths.length === 0
    ? []
    : [`These instructions are no longer there, and hold no more: ${paths.map(makeVisible).join(', ')}.`]
}
