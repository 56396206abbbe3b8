/** The instructions for a running agent before its next request: changed ones, and those of folders it first touched. */
import type {
  AgentEventDraft,
  DefinitionSnapshot,
  LoadedInstructions,
} from '../../../shared/events/agent-event.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { AgentMemory, InstructionFile, MemorySource } from '../ports/definitions.ts'
import { instructionSection } from './instruction-text.ts'

interface InstructedAgent {
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

/** By path: the last version that the agent received. */
export type KnownInstructions = ReadonlyMap<string, LoadedInstructions>

export type InstructionsLoaded = Extract<AgentEventDraft, { type: 'instructions-loaded' }>

/** Whether the agent received exactly this version. */
function isKnown(known: KnownInstructions, { path, bytes, digest }: LoadedInstructions): boolean {
  const given = known.get(path)
  return given?.bytes === bytes && given.digest === digest
}

/** The first of several files with the same path. */
function eachOnce(files: readonly InstructionFile[]): readonly InstructionFile[] {
  return [...new Map([...files].reverse().map((file) => [file.path, file])).values()].reverse()
}

function withoutText({ text: _, ...file }: InstructionFile): LoadedInstructions {
  return file
}
