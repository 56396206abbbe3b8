/**
 * The state of a file without some of its changes. The changes that stay are applied again, in order, to the state
 * before the first one. So the result does not depend on the order of undos: without any change, it is the file's
 * first state.
 */
import type { ConflictChoice, FileChange, FileSide } from '../../../shared/changes/changes.ts'
import { keyText } from '../../../shared/changes/changes-amounts.ts'
import { blobDigest } from './blob-store.ts'
import type { ChangeFacts } from './change-facts.ts'
import { keyOf } from './file-states.ts'
import { applyContentChange } from './merge-content.ts'

/** A change of one file in the order of events. */
export interface ChainEntry {
  /** Null: the user's, which is never undone. */
  readonly key: string | null
  readonly agentId: string | null
  readonly toolUseId: string | null
  readonly label: string
  readonly isCommand: boolean
  readonly startedAt: number
  /** When the change was recorded, in ms. */
  readonly at: number
  readonly shown: string
  readonly before: FileSide | null
  readonly after: FileSide | null
  readonly kept: FileChange['kept']
}

interface FileChain {
  readonly path: string
  readonly entries: readonly ChainEntry[]
  /** Its path below the folder of the last agent. */
  readonly shown: string
  /** The file after the last event. */
  readonly expected: FileSide | null
  /** The choice of the last undo with a conflict. */
  readonly choice: ConflictChoice | null
}

interface ReplayConflict {
  readonly with: string | null
  readonly lines: readonly { readonly from: number; readonly to: number }[]
}

export interface Replayed {
  readonly side: FileSide | null
  /** Content that is in no blob yet, by digest. */
  readonly made: ReadonlyMap<string, Uint8Array>
  readonly isMerged: boolean
  readonly conflicts: readonly ReplayConflict[]
  /** A content that is needed is not kept. */
  readonly isMissing: boolean
}

/** All changes of a file, with the user's changes between those of agents. */
export function chainOf(facts: ChangeFacts, path: string): FileChain {
  const steps = [
    ...facts.calls.flatMap((call) => {
      const file = call.files.find((changed) => changed.path === path)
      return file ? [{ order: call.order, at: call.at, call, file }] : []
    }),
    ...facts.undos.flatMap((undo) => {
      const file = undo.files.find((written) => written.path === path)
      return file ? [{ order: undo.order, at: undo.at, undo, file }] : []
    }),
  ].sort((one, other) => one.order - other.order)
  const entries: ChainEntry[] = []
  let expected: FileSide | null | undefined
  let choice: ConflictChoice | null = null
  let shown = path
  for (const step of steps) {
    const { before, after } = step.file
    if (expected !== undefined && keyOf(expected) !== keyOf(before))
      entries.push(userEntry({ shown, at: step.at, before: expected, after: before }))
    expected = after
    if ('undo' in step) {
      choice = step.file.choice ?? choice
      continue
    }
    const { agentId, toolUseId, cause, label, startedAt } = step.call
    shown = step.file.shown
    entries.push({
      key: cause === 'user' ? null : keyText({ agentId, toolUseId, path }),
      agentId: cause === 'user' ? null : agentId,
      toolUseId: cause === 'user' ? null : toolUseId,
      label,
      isCommand: cause === 'command',
      startedAt,
      at: step.at,
      shown,
      before,
      after,
      kept: step.file.kept,
    })
  }
  return { path, entries, shown, expected: expected ?? null, choice }
}

export const userEntry = (change: Pick<ChainEntry, 'shown' | 'at' | 'before' | 'after'>): ChainEntry => ({
  key: null,
  agentId: null,
  toolUseId: null,
  label: '',
  isCommand: false,
  startedAt: 0,
  kept: 'yes',
  ...change,
})

/** @param wanted which lines a conflict leaves: those of the later change (`keep`), or those without it (`old`) */
export async function replay(
  entries: readonly ChainEntry[],
  {
    undone,
    wanted,
    read,
    onEntry,
  }: {
    readonly undone: ReadonlySet<string>
    readonly wanted: 'keep' | 'old'
    readonly read: (digest: string) => Promise<Uint8Array | null>
    /** Called with the state after each entry that is applied. */
    readonly onEntry?: (entry: ChainEntry, side: FileSide | null) => void
  },
): Promise<Replayed> {
  const made = new Map<string, Uint8Array>()
  const conflicts: ReplayConflict[] = []
  let isMissing = false
  let current = entries[0]?.before ?? null
  const load = async ({ digest }: FileSide) => made.get(digest) ?? (await read(digest))

  async function afterEntry(entry: ChainEntry): Promise<FileSide | null> {
    const { before, after } = entry
    if (isSameContent(current, before)) return withMode(after, entry, current)
    if (isSameContent(current, after)) return withMode(current, entry, current)
    // A file that a later change deleted stays deleted.
    if (after === null) return null
    const conflict = (lines: ReplayConflict['lines'] = []) => conflicts.push({ with: entry.agentId, lines })
    if (current === null || before === null || [current, before, after].some(({ kind }) => kind === 'link')) {
      conflict()
      return wanted === 'keep' ? after : current
    }
    const [was, is, now] = await Promise.all([load(before), load(after), load(current)])
    if (was === null || is === null || now === null) {
      isMissing = true
      return current
    }
    const merged = applyContentChange({ before: was, after: is, current: now }, wanted)
    if (merged === null) {
      conflict()
      return wanted === 'keep' ? after : current
    }
    if (merged.conflicts.length > 0) conflict(merged.conflicts)
    const digest = blobDigest(merged.content)
    made.set(digest, merged.content)
    return withMode({ ...current, digest, size: merged.content.length }, entry, current)
  }

  for (const entry of entries)
    if (entry.key === null || !undone.has(entry.key)) {
      current = await afterEntry(entry)
      onEntry?.(entry, current)
    }
  const isMerged = current !== null && made.has(current.digest)
  return { side: current, made, isMerged, conflicts, isMissing }
}

/** The mode changes only where the entry changed it. */
function withMode(
  side: FileSide | null,
  { before, after }: ChainEntry,
  current: FileSide | null,
): FileSide | null {
  if (side === null || current === null || before === null || after === null) return side
  return { ...side, mode: before.mode === after.mode ? current.mode : after.mode }
}

const isSameContent = (one: FileSide | null, other: FileSide | null): boolean =>
  one === null || other === null ? one === other : one.kind === other.kind && one.digest === other.digest
