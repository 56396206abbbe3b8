/** The instructions that an agent has received. */
import type { AgentEventDraft, LoadedInstructions } from '../../../shared/events/agent-event.ts'
import type { InstructionFile } from '../ports/definitions.ts'

/** By path: the last version that the agent received. */
export type KnownInstructions = ReadonlyMap<string, LoadedInstructions>

export type InstructionsLoaded = Extract<AgentEventDraft, { type: 'instructions-loaded' }>

/** Whether the agent received exactly this version. */
export function isKnown(known: KnownInstructions, { path, bytes, digest }: LoadedInstructions): boolean {
  const given = known.get(path)
  return given?.bytes === bytes && given.digest === digest
}

/** The first of several files with the same path. */
export function eachOnce(files: readonly InstructionFile[]): readonly InstructionFile[] {
  return [...new Map([...files].reverse().map((file) => [file.path, file])).values()].reverse()
}

export function withoutText({ text: _, ...file }: InstructionFile): LoadedInstructions {
  return file
}
