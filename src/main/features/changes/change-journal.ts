/**
 * The `ChangeJournal` port: keeps the content of files before calls change them, and attributes the changes around
 * commands. A change that another call recorded during a command is not the command's.
 */
import { join } from 'node:path'
import type { FileChange, FileSide } from '../../../shared/changes/changes.ts'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { type Failure, fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { settledTime } from '../../platform/system/file-times.ts'
import type {
  ChangeJournal,
  JournaledCall,
  OpenChanges,
  RecordedChanges,
} from '../../runtime/ports/changes.ts'
import { type BlobStore, createBlobStore } from './blob-store.ts'
import { compareSnapshots } from './compare-snapshots.ts'
import { type ChangedState, type FileState, FileStates, keyOf } from './file-states.ts'
import { type FolderSnapshot, repositoryTop, snapshotOf } from './folder-snapshot.ts'
import { type ChangedPart, type FollowedFolder, followFolder, unrecorded } from './follow-folder.ts'
import { HiddenFiles } from './hidden-files.ts'
import { PendingCalls } from './pending-calls.ts'
import { recordedFile, withRenames } from './recorded-file.ts'
import { commandText, type ObservedCommand, RunningCommands, TOO_LONG } from './running-commands.ts'
import { type SeenFolder, seenAgain, seenFolder } from './seen-folder.ts'
import { type Written, WrittenFiles } from './written-since.ts'

/** The last recorded state of a file. */
interface Known {
  readonly side: FileSide | null
  readonly conversationId: string
  /** Who wrote it; null: nobody knows, or the user. */
  readonly agentId: string | null
  /** Increases with each record. */
  readonly turn: number
}

/** What the journal knows of one conversation. */
interface Space {
  readonly blobs: BlobStore
  readonly states: FileStates
  readonly pending: PendingCalls
  /** By top folder: the files after the last command. */
  readonly last: Map<string, FolderSnapshot>
  /** By top folder: the last snapshot, taken around any command. */
  readonly seen: Map<string, SeenFolder>
}

interface JournalDeps {
  readonly git: Git
  readonly now: () => number
  /** The folder of a conversation's kept content. */
  folderOf(conversationId: string): string
  /** Called with the bytes of content that was not kept before. */
  readonly onKept?: (bytes: number) => void
  /** Whether an empty file or folder is a placeholder of the sandbox, which keeps a command from making one there. */
  readonly isPlaceholder?: (path: string) => boolean
  /** Time limit for git to list the differences, in ms. */
  readonly patienceMs?: number
}

export interface DiskJournal extends ChangeJournal {
  /**
   * Follows the folder of an external agent. `toolUseId` gets the changes that belong to no call. Fails if the folder
   * can't be looked at, with the reason as the end of a sentence.
   */
  follow(
    call: Omit<JournaledCall, 'target'>,
  ): Promise<Result<{ readonly folder: FollowedFolder; readonly users: readonly RecordedChanges[] }>>
  blobsOf(conversationId: string): BlobStore
  /** An undo wrote these files: they are not the user's changes. */
  wrote(
    conversationId: string,
    files: readonly { readonly path: string; readonly side: FileSide | null }[],
  ): void
}

export function createChangeJournal(deps: JournalDeps): DiskJournal {
  const { git, now, patienceMs = 3000, isPlaceholder = () => false } = deps
  const hidden = new HiddenFiles(git)
  const written = new WrittenFiles(isPlaceholder, now)
  const spaces = new Map<string, Space>()
  const known = new Map<string, Known>()
  const running = new RunningCommands(now)
  /** By top folder: why no more snapshots are taken of it, and until when, in ms. */
  const slow = new Map<string, { readonly until: number; readonly because: Failure }>()
  /** Top folders that git inspects faster than this process does. */
  const large = new Set<string>()
  /** By top folder: one inspection at a time, until its changes are recorded. Two would record a change twice. */
  const looks = new KeyedLock()
  let turn = 0

  function spaceOf(conversationId: string): Space {
    const open = spaces.get(conversationId)
    if (open) return open
    const folder = deps.folderOf(conversationId)
    const blobs = createBlobStore(folder, deps.onKept)
    const made = {
      blobs,
      states: new FileStates(blobs, isPlaceholder),
      pending: new PendingCalls(join(folder, 'pending')),
      last: new Map(),
      seen: new Map(),
    }
    spaces.set(conversationId, made)
    return made
  }

  const remember = (path: string, state: Omit<Known, 'turn'>) => known.set(path, { ...state, turn: ++turn })

  /** The files of the folder now. Fails as `snapshotOf` does. */
  async function lookAt(top: string, { states, seen }: Space): Promise<Result<FolderSnapshot>> {
    const begun = { sure: settledTime(), turn }
    const recordedSince = (path: string, since: number) => {
      const recorded = known.get(path)
      return recorded !== undefined && recorded.turn > since ? recorded : undefined
    }
    const last = seen.get(top)
    const again = last && (await seenAgain(last, begun.turn, { states, recordedSince }))
    if (again) {
      seen.set(top, again)
      return ok(again.snapshot)
    }
    const tired = slow.get(top)
    if (tired && tired.until > now()) return fail(tired.because)
    const taken = await snapshotOf(top, { git, hidden, states, patienceMs })
    if (!taken.ok && taken.failure.type === 'slow')
      slow.set(top, { until: now() + REST_MS, because: taken.failure })
    const looked = taken.ok && !large.has(top) ? seenFolder(taken.value, begun) : null
    if (looked === null) seen.delete(top)
    else seen.set(top, looked)
    if (taken.ok && looked === null) large.add(top)
    return taken
  }

  async function record(
    call: JournaledCall,
    cause: RecordedChanges['cause'],
    changes: readonly (ChangedState & Partial<Pick<FileChange, 'maybeBy'>>)[],
  ): Promise<RecordedChanges> {
    const { blobs } = spaceOf(call.conversationId)
    const files: FileChange[] = []
    for (const change of changes) {
      files.push(await recordedFile(change, { root: call.root, blobs, maybeBy: change.maybeBy ?? [] }))
      const isCertain = cause !== 'user' && (change.maybeBy ?? []).length === 0
      const { conversationId, agentId } = call
      const { side } = change.after
      remember(change.path, { side, conversationId, agentId: isCertain ? agentId : null })
    }
    return { toolUseId: call.toolUseId, cause, files: [...withRenames(files)], ignored: 0, note: '' }
  }

  /** A change that no agent made since this conversation last recorded the file. */
  async function userChange(
    call: JournaledCall,
    path: string,
    now: FileState,
  ): Promise<readonly RecordedChanges[]> {
    const last = known.get(path)
    if (last?.conversationId !== call.conversationId || keyOf(last.side) === keyOf(now.side)) return []
    if (running.around(path).length > 0) return []
    return [await record(call, 'user', [{ path, before: { side: last.side, kept: 'yes' }, after: now }])]
  }

  async function beginFile(call: JournaledCall, path: string): Promise<Result<OpenChanges>> {
    const { states, pending } = spaceOf(call.conversationId)
    const before = await states.read(path, true)
    const users = await userChange(call, path, before)
    await pending.add(call, { kind: 'file', path, before })
    return ok({
      async end() {
        try {
          const after = await states.read(path)
          const isSame = keyOf(before.side) === keyOf(after.side)
          return isSame ? users : [...users, await record(call, 'tool', [{ path, before, after }])]
        } catch (error) {
          return [unrecorded(call, messageOf(error))]
        } finally {
          pending.end(call)
        }
      },
    })
  }

  async function beginFolder(call: JournaledCall, folder: string): Promise<Result<OpenChanges>> {
    const space = spaceOf(call.conversationId)
    const top = (await repositoryTop(folder)) ?? call.root
    const begun = { since: await space.pending.now(), startTurn: turn }
    const taken = await lookAt(top, space)
    if (!taken.ok)
      return ok({ end: () => namedOnly(call, { ...begun, top, because: taken.failure.message }) })
    const before = taken.value
    const users = await userChanges(call, before)
    const since = await space.pending.add(call, { kind: 'folder', before })
    const startTurn = turn
    const { agentId, toolUseId } = call
    const line = call.target.kind === 'folder' ? call.target.command : ''
    // Read before the command runs: a script may remove itself.
    const text = line ? await commandText(line, folder) : ''
    const command: ObservedCommand = { agentId, toolUseId, text, before, startedAt: now() }
    running.add(command)
    return ok({
      async end() {
        try {
          if (running.isTooLong(command)) return [...users, unrecorded(call, TOO_LONG)]
          return [...users, ...(await endFolder(call, { before, since, startTurn }))]
        } catch (error) {
          // What can't be compared is still named.
          const because = messageOf(error)
          const named = namedOnly(call, { top, since, startTurn, because })
          return [...users, ...(await named.catch(() => [unrecorded(call, because)]))]
        } finally {
          space.pending.end(call)
          running.delete(command)
        }
      },
    })
  }

  /** Changes in the folder since the last command that belong to no call in the journal. */
  async function userChanges(call: JournaledCall, now: FolderSnapshot): Promise<readonly RecordedChanges[]> {
    const space = spaceOf(call.conversationId)
    const then = space.last.get(now.top)
    if (then === undefined || running.recent().some(({ before }) => before.top === now.top)) return []
    const changes = await compareSnapshots(then, now, { ...space, git, since: 0, commits: false })
    const users = changes.flatMap((change) => {
      const recorded = known.get(change.path)
      if (recorded === undefined) return [change]
      if (keyOf(recorded.side) === keyOf(change.after.side)) return []
      return [{ ...change, before: { ...change.before, side: recorded.side } }]
    })
    return users.length === 0 ? [] : [await record(call, 'user', users)]
  }

  async function endFolder(
    call: JournaledCall,
    start: { readonly before: FolderSnapshot; readonly since: number; readonly startTurn: number },
  ): Promise<readonly RecordedChanges[]> {
    const { before, since } = start
    const { top } = before
    const space = spaceOf(call.conversationId)
    const looked = await looks.withLock(top, async () => {
      const after = await lookAt(top, space)
      if (!after.ok) return after
      space.last.set(top, after.value)
      const changes = await compareSnapshots(before, after.value, { ...space, git, since, commits: true })
      const own = changes.flatMap((change) => ownPart(call, change, start))
      return ok({ after: after.value, recorded: await record(call, 'command', own) })
    })
    if (!looked.ok) return namedOnly(call, { ...start, top, since, because: looked.failure.message })
    const { after, recorded } = looked.value
    const listed = await written.since(top, listedPaths(before, after), { since, kept: 'ignored' })
    const more = await recordListed(call, listed, { ...start, top })
    const files = [...recorded.files, ...more.files]
    return files.length === 0 && more.ignored === 0 && more.note === '' ? [] : [{ ...more, files }]
  }

  const recordListed = (
    call: JournaledCall,
    { changes, count, note }: Written,
    start: { readonly startTurn: number; readonly top: string },
  ): Promise<RecordedChanges> =>
    looks.withLock(start.top, async () => {
      const own = changes.flatMap((change) => ownPart(call, change, start))
      return { ...(await record(call, 'command', own)), ignored: count, note }
    })

  /** The files that were written, without their content, where no snapshot could be taken. */
  async function namedOnly(
    call: JournaledCall,
    look: Readonly<Record<'top' | 'because', string> & Record<'since' | 'startTurn', number>>,
  ): Promise<readonly RecordedChanges[]> {
    const listed = await written.since(look.top, [''], { since: look.since, kept: 'unavailable' })
    const recorded = await recordListed(call, listed, look)
    const why = `The former content of what this call changed is not kept: ${sentence(look.because)}`
    return [{ ...recorded, note: `${why} ${listed.note}`.trim() }]
  }

  /**
   * A change without the parts that other calls recorded in between. Empty: another running command made the change,
   * and records it at its end.
   */
  function ownPart(
    call: JournaledCall,
    change: ChangedState,
    { startTurn }: { readonly startTurn: number },
  ): readonly ChangedPart[] {
    const recorded = known.get(change.path)
    const isRecent = recorded !== undefined && recorded.turn > startTurn
    if (isRecent && keyOf(recorded.side) === keyOf(change.after.side)) return []
    const before: FileState = isRecent ? { side: recorded.side, kept: 'yes' } : change.before
    const writers = running.writersOf(call, change, recorded?.agentId ?? null)
    if (!writers.has(call.agentId)) return []
    writers.delete(call.agentId)
    return [{ ...change, before, maybeBy: [...writers] }]
  }

  return {
    async begin(call) {
      const { kind, path } = call.target
      try {
        await spaceOf(call.conversationId).pending.finished(call)
        return kind === 'file' ? await beginFile(call, path) : await beginFolder(call, path)
      } catch (error) {
        return fail({ type: 'io', message: messageOf(error), cause: error })
      }
    },
    async recover({ conversationId, agentId }, toolUseIds) {
      const space = spaceOf(conversationId)
      const { pending, states } = space
      const found: RecordedChanges[] = []
      const left = await pending.take(agentId)
      for (const { call, content, since } of left.calls) {
        const follows = content.kind === 'folder' && content.follows === true
        if (!follows && !toolUseIds.includes(call.toolUseId)) continue
        if (content.kind === 'file') {
          const { path, before } = content
          const after = await states.read(path)
          if (keyOf(before.side) !== keyOf(after.side))
            found.push({ ...(await record(call, 'tool', [{ path, before, after }])), note: CUT_OFF })
          continue
        }
        const taken = await snapshotOf(content.before.top, { git, hidden, states, patienceMs })
        if (!taken.ok) found.push(unrecorded(call, taken.failure.message))
        if (!taken.ok) continue
        const paths = listedPaths(content.before, taken.value)
        const listed = await written.since(content.before.top, paths, { since, kept: 'ignored' })
        const changes = await compareSnapshots(content.before, taken.value, {
          ...space,
          git,
          since,
          commits: true,
        })
        const mine = [...changes, ...listed.changes]
          .flatMap((change) => ownPart(call, change, { startTurn: 0 }))
          .map((change) => {
            const others = left.others.filter(({ top }) => change.path.startsWith(`${top}/`))
            return { ...change, maybeBy: [...new Set(others.map((other) => other.agentId))] }
          })
        const [only, ...more] = toolUseIds
        const toolUseId = follows && only !== undefined && more.length === 0 ? only : call.toolUseId
        if (mine.length > 0 || listed.count > 0) {
          const recorded = await record({ ...call, toolUseId }, 'command', mine)
          found.push({ ...recorded, ignored: listed.count, note: `${CUT_OFF} ${listed.note}`.trim() })
        }
      }
      return found
    },
    follow: async (start) => {
      const space = spaceOf(start.conversationId)
      const call: JournaledCall = { ...start, target: { kind: 'folder', path: start.root } }
      await space.pending.finished(call)
      const top = (await repositoryTop(start.root)) ?? start.root
      let users: readonly RecordedChanges[] = []
      let program: ObservedCommand | null = null
      const followed = await followFolder(call, {
        alone: (work) => looks.withLock(top, work),
        look: () => lookAt(top, space),
        turn: () => turn,
        compare: ({ before, since }, after) =>
          compareSnapshots(before, after, { ...space, git, since, commits: true }),
        listed: ({ before, since }) => written.since(before.top, before.ignored, { since, kept: 'ignored' }),
        ownPart: (change, step) => ownPart(call, change, step),
        record: (toolUseId, changes) => record({ ...call, toolUseId }, 'command', changes),
        async began(before, since) {
          if (program === null) {
            users = await userChanges(call, before)
            const { agentId, toolUseId } = call
            program = { agentId, toolUseId, text: '', before, startedAt: Number.POSITIVE_INFINITY }
            running.add(program)
          }
          program.before = before
          space.last.set(before.top, before)
          return space.pending.add(call, { kind: 'folder', before, follows: true, since })
        },
        async ended() {
          if (program !== null) running.delete(program)
          space.pending.end(call)
          await space.pending.finished(call)
        },
      })
      return followed.ok ? ok({ folder: followed.value, users }) : followed
    },
    blobsOf: (conversationId) => spaceOf(conversationId).blobs,
    wrote(conversationId, files) {
      for (const { path, side } of files) remember(path, { side, conversationId, agentId: null })
    },
  }
}

/** The paths without content in either snapshot; of those in `before`, only deleted files. */
const listedPaths = ({ ignored }: FolderSnapshot, after: FolderSnapshot): readonly string[] => [
  ...new Set([...after.ignored, ...ignored.filter((path) => !after.files.has(path))]),
]

/** A repository in which git took too long is not asked again for this time. */
const REST_MS = 600_000

const CUT_OFF = 'The program ended during this call. These are the changes that were found afterwards.'
