/** Which instructions an agent has been given, and in which wording. */
import type { AgentEventDraft, LoadedInstructions } from '../../../shared/agent-event.ts'
import type { InstructionFile } from '../ports.ts'

/** By path: each as the agent was given it last. */
export type KnownInstructions = ReadonlyMap<string, LoadedInstructions>

export type InstructionsLoaded = Extract<AgentEventDraft, { type: 'instructions-loaded' }>

/** Whether the agent has been given exactly this. */
export function isKnown(known: KnownInstructions, { path, bytes, digest }: LoadedInstructions): boolean {
  const given = known.get(path)
  return given?.bytes === bytes && given.digest === digest
}

/** Of several files of one path the first. */
export function eachOnce(files: readonly InstructionFile[]): readonly InstructionFile[] {
  return [...new Map([...files].reverse().map((file) => [file.path, file])).values()].reverse()
}

export function withoutText({ text: _, ...file }: InstructionFile): LoadedInstructions {
  return file
}
