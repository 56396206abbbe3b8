/**
 * Records what an external agent changes in its folder. The program tells of calls, not of their exact times, so
 * the folder is looked at before each prompt, before an answer that lets the program act, after its calls and at the end
 * of its turn. A change belongs to the call that names the file, else to the last one that ran since the look before.
 */
import { resolve } from 'node:path'
import type { AgentEventDraft } from '../../../../shared/events/agent-event.ts'
import { fail, messageOf, ok, type Result } from '../../../../shared/kernel/result.ts'
import type { BackedAgent } from '../../../runtime/ports/agent-backing.ts'
import type { JournaledCall, RecordedChanges } from '../../../runtime/ports/changes.ts'
import type { Clock } from '../../../runtime/ports/ports.ts'
import type { DiskJournal } from '../../changes/change-journal.ts'
import { type FollowedFolder, unrecorded } from '../../changes/follow-folder.ts'
import type { KnownCall } from './update-recorder.ts'

interface ProgramChangesDeps {
  /** Missing: nothing is recorded. */
  readonly journal?: Pick<DiskJournal, 'begin' | 'follow'>
  readonly agent: BackedAgent
  readonly clock: Clock
  readonly emit: (draft: AgentEventDraft) => void
  /** Aborts at the end of the run. */
  readonly signal: AbortSignal
}

/** Who made a call: the agent of the program, or one of the program's own subagents. */
interface Reporter {
  emit(draft: AgentEventDraft): void
  /** The call has begun, whatever its program says. */
  start(call: KnownCall): void
}

interface SeenCall {
  readonly call: KnownCall
  readonly reporter: Reporter
}

/** Looks take at most this part of the time while the program works. */
const SHARE = 5

const READING: ReadonlySet<string> = new Set(['read', 'search', 'think', 'fetch', 'switch_mode'])

export class ProgramChanges {
  private readonly deps: ProgramChangesDeps
  private followed: FollowedFolder | null = null
  /** The calls that may have changed files since the last look. */
  private readonly calls = new Map<string, SeenCall>()
  /** Calls that wrote through Troupe: what they changed is known. */
  private readonly exact = new Set<string>()
  private queue: Promise<void> = Promise.resolve()
  private isWaiting = false
  /** ms of the last look. */
  private cost = 0
  /** Stands for changes of no call. */
  private turnId = ''
  private turns = 0

  constructor(deps: ProgramChangesDeps) {
    this.deps = deps
  }

  /** Before each prompt. Resolves when the folder is known as it is now. */
  begin(): Promise<void> {
    const { journal, agent } = this.deps
    if (journal === undefined) return Promise.resolve()
    if (this.followed !== null) return this.settle()
    const { cwd, lastSeq } = agent.state()
    this.turnId = `acp-turn-${++this.turns}-${lastSeq}`
    const call = {
      conversationId: agent.conversation.id,
      agentId: agent.id,
      toolUseId: this.turnId,
      root: cwd,
    }
    return this.next(async () => {
      const begun = await journal.follow(call)
      if (begun.ok) {
        this.followed = begun.value.folder
        await this.keep(begun.value.users)
      } else
        await this.keep([
          unrecorded({ ...call, target: { kind: 'folder', path: cwd } }, begun.failure.message),
        ])
    })
  }

  /** A call was told or changed. Its end is followed by a look, which does not hold up the program. */
  seen(call: KnownCall, reporter: Reporter): void {
    if (this.followed === null || READING.has(call.kind ?? 'other')) return
    this.calls.set(call.id, { call, reporter })
    if (call.isEnded) this.lookSoon()
  }

  /** Looks now: what the program is allowed next is not mixed with what it did before. */
  settle(): Promise<void> {
    return this.next(() => this.look())
  }

  /** The turn is over. */
  async end(): Promise<void> {
    await this.next(async () => {
      const { followed } = this
      this.followed = null
      await followed?.end(this.callOf, this.keep)
      this.calls.clear()
    })
  }

  /** Around a file that is written here for the program: its former content is kept first. */
  async write(path: string, toolUseId: string, write: () => Promise<void>): Promise<Result<void>> {
    const { journal, agent } = this.deps
    const { cwd } = agent.state()
    const call: JournaledCall = {
      conversationId: agent.conversation.id,
      agentId: agent.id,
      toolUseId,
      root: cwd,
      target: { kind: 'file', path },
    }
    this.exact.add(toolUseId)
    const begun = await journal?.begin(call)
    if (begun?.ok === false)
      return fail({
        type: 'io',
        message: `Nothing was written: Troupe could not keep the former content, which an undo needs. ${begun.failure.message}`,
      })
    try {
      await write()
      return ok(undefined)
    } catch (thrown) {
      return fail({ type: 'io', message: messageOf(thrown) })
    } finally {
      await this.keep((await begun?.value.end()) ?? [])
      // After a kill the folder is compared with the last look: without one, the file would be found again.
      await this.settle()
    }
  }

  /** One after the other. */
  private next(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work, work)
    return this.queue
  }

  private lookSoon(): void {
    if (this.isWaiting) return
    this.isWaiting = true
    const { clock, signal } = this.deps
    void clock.sleep(this.cost * (SHARE - 1), signal).then(() =>
      this.next(() => {
        this.isWaiting = false
        return this.look()
      }),
    )
  }

  private async look(): Promise<void> {
    const { followed } = this
    if (followed === null) return
    const startedAt = this.deps.clock.now()
    const ended = [...this.calls].filter(([, { call }]) => call.isEnded)
    await followed.look(this.callOf, this.keep)
    for (const [id, { call }] of ended) if (this.calls.get(id)?.call === call) this.calls.delete(id)
    this.cost = Math.max(0, this.deps.clock.now() - startedAt)
  }

  private readonly callOf = (path: string): string => {
    const { cwd } = this.deps.agent.state()
    const seen = [...this.calls.values()]
    const begun = seen.filter(({ call }) => call.startedAt !== null && !this.exact.has(call.id))
    const naming = seen.findLast(({ call }) => pathsIn(call).some((named) => resolve(cwd, named) === path))
    const found = naming ?? begun.findLast(({ call }) => call.kind === 'execute') ?? begun.at(-1)
    if (found === undefined) return this.turnId
    found.reporter.start(found.call)
    return found.call.id
  }

  private readonly keep = async (changes: readonly RecordedChanges[]): Promise<void> => {
    for (const change of changes) {
      const emit = this.calls.get(change.toolUseId)?.reporter.emit ?? this.deps.emit
      emit({ type: 'files-changed', ...noted(change, this.turnId) })
    }
    if (changes.length > 0) await this.deps.agent.flush(this.deps.signal)
  }
}

function noted(change: RecordedChanges, turnId: string): RecordedChanges {
  const isOfTurn = change.toolUseId === turnId && change.cause === 'command' && change.files.length > 0
  return isOfTurn && change.note === '' ? { ...change, note: OF_NO_CALL } : change
}

const OF_NO_CALL =
  'The program reported no call for these changes. They were made while it worked, by it, by you or by another program.'

function pathsIn({ content, locations = [] }: KnownCall): readonly string[] {
  const changed = content.flatMap((part) => (part.type === 'diff' ? [part.path] : []))
  return [...changed, ...locations.map(({ path }) => path)]
}
