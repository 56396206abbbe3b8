/** What an undo or a redo does to each file. Reads the disk, changes nothing. */
import type {
  ChangeKey,
  ConflictChoice,
  FileSide,
  PreviewedFile,
  UndoScope,
} from '../../../shared/changes/changes.ts'
import { keyText } from '../../../shared/changes/changes-amounts.ts'
import type { ConflictChoices } from '../../runtime/ports/changes.ts'
import { type BlobStore, blobDigest } from './blob-store.ts'
import type { ChangeFacts, FactsCall } from './change-facts.ts'
import { FileStates, keyOf } from './file-states.ts'
import { countChangedLines } from './recorded-file.ts'
import { type ChainEntry, chainOf, type Replayed, replay, userEntry } from './replay-file.ts'

export interface PlannedFile {
  readonly preview: PreviewedFile
  /** The changes of the scope, in this file. */
  readonly keys: readonly ChangeKey[]
  readonly now: FileSide | null
  readonly next: FileSide | null
  /** Content of `next` that is in no blob yet. */
  readonly made: ReadonlyMap<string, Uint8Array>
  /** The choice that the result depends on. */
  readonly choice: ConflictChoice | null
  /** When the first of the changes began, in ms. */
  readonly since: number
}

export interface UndoPlan {
  readonly version: string
  readonly files: readonly PlannedFile[]
  /** The calls whose changes are undone. */
  readonly calls: readonly FactsCall[]
}

interface PlanDeps {
  readonly facts: ChangeFacts
  readonly blobs: BlobStore
  /** Why a change can't be undone, besides its own content; null: it can. */
  cannot(call: FactsCall): string | null
  /** ms since the epoch. */
  now(): number
}

/** The recorded changes of agents in a scope, undone or not. */
export function callsInScope(facts: ChangeFacts, scope: UndoScope): readonly FactsCall[] {
  const of = facts.calls.filter(({ cause }) => cause !== 'user')
  switch (scope.kind) {
    case 'all':
      return of
    case 'agent':
      return of.filter(({ agentId }) => agentId === scope.agentId)
    case 'call':
      return of.filter(({ agentId, toolUseId }) => agentId === scope.agentId && toolUseId === scope.toolUseId)
    case 'file':
      return of
        .filter(({ agentId }) => scope.agentId === null || agentId === scope.agentId)
        .map((call) => ({ ...call, files: call.files.filter(({ path }) => path === scope.path) }))
        .filter(({ files }) => files.length > 0)
    case 'message': {
      const message = facts.messages.find(({ seq }) => seq === scope.seq)
      return message === undefined ? [] : of.filter(({ order }) => order > message.order)
    }
  }
}

/** `redo`: the changes come into effect again. */
export async function planUndo(
  { facts, blobs, cannot, now: timeNow }: PlanDeps,
  wanted: { readonly calls: readonly FactsCall[]; readonly redo: boolean; readonly choices: ConflictChoices },
): Promise<UndoPlan> {
  const states = new FileStates(blobs)
  const byPath = new Map<string, { readonly call: FactsCall; readonly key: ChangeKey }[]>()
  for (const call of wanted.calls)
    for (const { path } of call.files) {
      const key = { agentId: call.agentId, toolUseId: call.toolUseId, path }
      if (facts.undone.has(keyText(key)) !== wanted.redo) continue
      byPath.set(path, [...(byPath.get(path) ?? []), { call, key }])
    }
  const files: PlannedFile[] = []
  for (const [path, changes] of byPath)
    files.push(
      await planFile(path, {
        ...wanted,
        facts,
        blobs,
        states,
        timeNow,
        keys: changes.map(({ key }) => key),
        reason: changes.map(({ call }) => cannot(call)).find((text) => text !== null) ?? null,
        since: Math.min(...changes.map(({ call }) => call.startedAt)),
      }),
    )
  const version = files.map(({ preview, now, keys }) => [preview.path, keyOf(now), keys.map(keyText)])
  const used = new Set(
    files.flatMap(({ keys }) => keys.map(({ agentId, toolUseId }) => `${agentId} ${toolUseId}`)),
  )
  return {
    version: blobDigest(Buffer.from(JSON.stringify([wanted.redo, version]))),
    files,
    calls: wanted.calls.filter(({ agentId, toolUseId }) => used.has(`${agentId} ${toolUseId}`)),
  }
}

interface FilePlanning {
  readonly facts: ChangeFacts
  readonly blobs: BlobStore
  readonly states: FileStates
  readonly keys: readonly ChangeKey[]
  readonly redo: boolean
  readonly choices: ConflictChoices
  readonly reason: string | null
  readonly since: number
  readonly timeNow: () => number
}

async function planFile(path: string, planning: FilePlanning): Promise<PlannedFile> {
  const { facts, blobs, states, keys, redo, since } = planning
  const chain = chainOf(facts, path)
  const shown = chain.entries.at(-1)?.shown ?? path
  const disk = await states.read(path)
  const now = disk.side
  const ids = new Set(keys.map(keyText))
  const read = (digest: string) => blobs.read(digest)
  const given = planning.choices[path] ?? 'leave'
  const resolved = (choice: ConflictChoice | null) => (choice === 'old' ? 'old' : 'keep')

  const entries = [...chain.entries]
  if (keyOf(chain.expected) !== keyOf(now))
    entries.push(userEntry({ shown, at: planning.timeNow(), before: chain.expected, after: now }))
  // Where earlier choices make the replay differ from the disk, the difference counts as the user's.
  const present = await replay(entries, { undone: facts.undone, wanted: resolved(chain.choice), read })
  if (keyOf(present.side) !== keyOf(now))
    entries.push(userEntry({ shown, at: planning.timeNow(), before: present.side, after: now }))

  const undone = redo
    ? new Set([...facts.undone].filter((key) => !ids.has(key)))
    : new Set([...facts.undone, ...ids])
  const wanted = given === 'leave' ? resolved(chain.choice) : resolved(given)
  const next = await replay(entries, {
    undone,
    wanted,
    read: async (digest) => present.made.get(digest) ?? (await read(digest)),
  })
  const reason = planning.reason ?? (await whyNot({ entries, ids, disk: disk.kept, next, blobs }))
  const own = entries.filter(({ key }) => key !== null && ids.has(key))
  const planned = { keys, now, made: new Map([...present.made, ...next.made]), since }
  const preview = { path, shown, conflict: null, added: null, removed: null }
  if (reason !== null)
    return { ...planned, next: now, choice: null, preview: { ...preview, action: 'impossible', reason } }
  const isChosen = next.conflicts.length > 0
  const isLeft = isChosen && given === 'leave'
  const counts = isLeft
    ? { added: 0, removed: 0 }
    : await countsBetween(now, next.side, { ...planned, blobs })
  const action = isChosen ? 'choose' : actionFor(now, next)
  return {
    ...planned,
    next: isLeft ? now : next.side,
    choice: isChosen ? given : null,
    preview: {
      ...preview,
      ...counts,
      action,
      reason: reasonFor(action, { own, entries, ids, facts, redo }),
      conflict: isChosen
        ? {
            with: [...new Set(next.conflicts.map((conflict) => conflict.with))].map((agentId) =>
              agentId === null ? 'user' : { agentId },
            ),
            lines: next.conflicts.flatMap(({ lines }) => lines),
            choice: given,
          }
        : null,
    },
  }
}

function actionFor(now: FileSide | null, next: Replayed): PreviewedFile['action'] {
  if (keyOf(now) === keyOf(next.side)) return 'unchanged'
  if (next.side === null) return 'deleted'
  if (now === null) return 'recreated'
  return next.isMerged ? 'merged' : 'restored'
}

async function whyNot({
  entries,
  ids,
  disk,
  next,
  blobs,
}: {
  readonly entries: readonly ChainEntry[]
  readonly ids: ReadonlySet<string>
  readonly disk: string
  readonly next: Replayed
  readonly blobs: BlobStore
}): Promise<string | null> {
  for (const { key, kept } of entries)
    if (key !== null && ids.has(key) && kept !== 'yes') return NOT_KEPT[kept]
  if (disk !== 'yes') return 'The file is too large or not readable now, so it could not be brought back.'
  const { side } = next
  const isThere = side === null || next.made.has(side.digest) || (await blobs.read(side.digest)) !== null
  return next.isMissing || !isThere
    ? 'Its former content is no longer kept, or is kept on another machine.'
    : null
}

export const NOT_KEPT: Readonly<Record<'too-large' | 'ignored' | 'unavailable', string>> = {
  'too-large': 'The file has more than 32 MB: its former content is not kept.',
  ignored: 'The file is large, or in a folder that git ignores: its content is not kept.',
  unavailable: 'Its former content could not be read, so it is not kept.',
}

async function countsBetween(
  now: FileSide | null,
  next: FileSide | null,
  { made, blobs }: Pick<PlannedFile, 'made'> & { readonly blobs: BlobStore },
) {
  const load = async (side: FileSide | null) =>
    side === null ? null : (made.get(side.digest) ?? (await blobs.read(side.digest)))
  return countChangedLines(await load(now), await load(next))
}

interface ReasonFacts {
  readonly own: readonly ChainEntry[]
  readonly entries: readonly ChainEntry[]
  readonly ids: ReadonlySet<string>
  readonly facts: ChangeFacts
  readonly redo: boolean
}

function reasonFor(action: PreviewedFile['action'], { own, entries, ids, facts, redo }: ReasonFacts): string {
  const authors = namesOf(own, facts)
  const first = entries.findIndex(({ key }) => key !== null && ids.has(key))
  const later = entries.slice(first + 1).filter(({ key }) => key === null || !ids.has(key))
  const command = own.find(({ isCommand }) => isCommand)
  switch (action) {
    case 'unchanged':
      return 'The file is as it was already.'
    case 'deleted':
      return redo ? `${authors} deleted it.` : `${authors} made it. A redo brings it back.`
    case 'recreated':
      return redo ? `${authors} made it.` : `${authors} deleted it.`
    case 'merged':
      return `Later changes by ${namesOf(later, facts, 'you')} stay.`
    case 'choose':
      return `${namesOf(later, facts, 'You')} changed the same part later.`
    default:
      return command ? `The command ${command.label} changed it.` : `${authors} changed it.`
  }
}

function namesOf(entries: readonly ChainEntry[], facts: ChangeFacts, you = 'You'): string {
  const names = new Set(entries.map(({ agentId }) => (agentId === null ? you : facts.quotedName(agentId))))
  return [...names].join(' and ') || 'Other agents'
}
