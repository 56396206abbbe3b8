/**
 * Makes a conversation from a file that `troupe export --jsonl` wrote: with new ids, and otherwise the same. The whole file
 * is checked before anything is written. Its agents have rights, hooks and programs that another machine gave them, so the
 * new conversation can be read, searched and shared, but not continued.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { z } from 'zod'
import { conversationEvent } from '../../../shared/events/conversation.ts'
import { isConversationEvent, type LoggedEvent } from '../../../shared/events/conversation-event.ts'
import { upcastEvent } from '../../../shared/events/upcast-event.ts'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { Imported } from '../../../shared/sharing/sharing.ts'
import { foldRecord } from '../../../shared/state/conversation-state.ts'
import { diskFailure } from '../../platform/system/disk-failure.ts'
import { readForwards } from '../../platform/transcripts/read-lines.ts'
import type { Ids } from '../../runtime/ports/ports.ts'
import type { ConversationLog, TranscriptStore } from '../../runtime/ports/transcripts.ts'
import { FILE_CONVERSATION, idRenamer, isFileAgent, keptOutputLine } from './formats/json-lines.ts'

interface Deps {
  readonly store: Pick<TranscriptStore, 'open' | 'trash'>
  readonly ids: Ids
  /** Absolute: `~` at the start of a folder in the file. */
  readonly home: string
}

/** Fails with `not-a-conversation`, whose message names the line, or as the disk does. */
export async function importConversation(file: string, deps: Deps): Promise<Result<Imported>> {
  const checked = await checkFile(file)
  if (!checked.ok) return checked
  const { agents, events } = checked.value
  const names = new Map([[FILE_CONVERSATION, deps.ids.next('c')]])
  for (const id of agents) names.set(id, deps.ids.next('a'))
  const here = (line: Line): Line => withFolder(idRenamer(names)(line), deps.home)
  const written = await write(file, here, deps)
  return written.ok ? ok({ ...written.value, agents: agents.size, events }) : written
}

type KeptOutput = z.infer<typeof keptOutputLine>
type Line = LoggedEvent | KeptOutput

async function write(
  file: string,
  here: (line: Line) => Line,
  { store }: Deps,
): Promise<Result<Pick<Imported, 'conversationId' | 'title'>>> {
  let log: ConversationLog | null = null
  const pending = new Set<string>()
  let waiting = 0
  const flush = async (to: ConversationLog): Promise<Result<void>> => {
    for (const agentId of pending) {
      const flushed = await to.flush(agentId)
      if (!flushed.ok) return flushed
    }
    pending.clear()
    waiting = 0
    return to.save()
  }
  const add = async (line: Line, bytes: number): Promise<Result<void>> => {
    if (log === null) {
      const opened = await store.open(recordIn(line))
      if (opened.ok) log = opened.value
      return opened.ok ? ok(undefined) : opened
    }
    if (line.type === 'output-kept') {
      const kept = await log.keepOutput(line.agentId, line.name, line.text)
      return kept.ok ? ok(undefined) : kept
    }
    log.append(line)
    if (!isConversationEvent(line)) pending.add(line.agentId)
    waiting += bytes
    return waiting > MOST_WAITING ? flush(log) : ok(undefined)
  }
  let failure: Failure | null = null
  for await (const read of linesOf(file)) {
    const added = read.ok ? await add(here(read.value.line), read.value.bytes) : read
    if (added.ok) continue
    failure = added.failure
    break
  }
  const opened = log as ConversationLog | null
  if (opened === null) return fail(failure ?? notOne(1, EMPTY))
  const saved = failure === null ? await flush(opened) : fail(failure)
  const { id, title } = opened.record
  await opened.close()
  if (saved.ok) return ok({ conversationId: id, title })
  await store.trash(id)
  return saved
}

/** Characters that wait in memory for the disk. */
const MOST_WAITING = 8 * 1024 * 1024

/** The record that the first line makes. */
function recordIn(line: Line) {
  const record = line.type === 'conversation-created' ? foldRecord(null, line) : null
  if (record === null) throw new Error('a checked file begins with its conversation')
  return { ...record, imported: true as const }
}

/** Folders below the home folder are those of this machine's home. */
function withFolder(line: Line, home: string): Line {
  const absolute = (folder: string) => folder.replace(/^~(?=[/\\]|$)/, () => home)
  if (line.type === 'conversation-created') return { ...line, folder: absolute(line.folder) }
  return line.type === 'agent-spawned' ? { ...line, cwd: absolute(line.cwd) } : line
}

/** Reads the whole file, and checks that each log in it is complete and in order. */
async function checkFile(
  file: string,
): Promise<Result<{ readonly agents: ReadonlySet<string>; readonly events: number }>> {
  const agents = new Set<string>()
  const nextSeq = new Map<string, number>()
  let lastOrder = -1
  let events = 0
  let number = 0
  for await (const read of linesOf(file)) {
    number++
    const problem = read.ok ? problemOf(read.value.line) : null
    if (!read.ok) return read
    if (problem !== null) return fail(notOne(number, problem))
  }
  return events === 0 ? fail(notOne(1, EMPTY)) : ok({ agents, events })

  /** What is wrong with the line, as a sentence; null: nothing. */
  function problemOf(line: Line): string | null {
    if (line.type === 'output-kept')
      return nextSeq.has(line.agentId) ? null : 'It has the output of an unknown agent.'
    const isOwn = isConversationEvent(line)
    const log = isOwn ? line.conversationId : line.agentId
    const due = nextSeq.get(log) ?? 0
    if (events === 0 && (line.type !== 'conversation-created' || log !== FILE_CONVERSATION))
      return 'It is not the start of a conversation.'
    const added = addedIn(line)
    for (const id of added) agents.add(id)
    if (!added.every(isFileAgent) || (isOwn ? log !== FILE_CONVERSATION : !agents.has(log)))
      return 'It belongs to another conversation.'
    if (
      (due === 0) !== (line.type === 'agent-spawned' || line.type === 'conversation-created') ||
      line.seq !== due
    )
      return `Event ${line.seq} of a log came where event ${due} was due: lines are missing or doubled.`
    if (line.order < lastOrder) return 'The events are not in their order.'
    nextSeq.set(log, due + 1)
    lastOrder = line.order
    events++
    return null
  }
}

function addedIn(event: LoggedEvent): readonly string[] {
  if (event.type === 'conversation-created') return [event.mainAgentId, ...event.agentIds]
  return event.type === 'agent-added' ? [event.agentId] : []
}

const EMPTY = 'The file is empty.'

interface ReadLine {
  readonly line: Line
  /** Characters. */
  readonly bytes: number
}

/** The lines of a file, each checked. Ends with the first failure. */
async function* linesOf(path: string): AsyncGenerator<Result<ReadLine>> {
  let number = 0
  let file: FileHandle | null = null
  try {
    file = await open(path, 'r')
    const { size } = await file.stat()
    for await (const lines of readForwards(file, { from: 0, to: size })) {
      for (const { bytes } of lines) {
        number++
        const line = checkedLine(bytes.toString())
        if (!line.ok) return yield fail(notOne(number, line.failure.message))
        yield ok({ line: line.value, bytes: bytes.length })
      }
    }
  } catch (thrown) {
    yield fail(diskFailure(thrown, 'The file can’t be read', path))
  } finally {
    await file?.close()
  }
}

/** The value as it is in the line: the schema only checks it, so that it is written as it was. */
function checkedLine(text: string): Result<Line> {
  const value = jsonOrUndefined(text)
  if (typeof value !== 'object' || value === null) return fail({ type: 'line', message: 'It is not JSON.' })
  const { type } = value as { readonly type?: unknown }
  const checked = type === 'output-kept' ? parsed(keptOutputLine, value) : checkedEvent(value as LoggedEvent)
  return checked.ok ? ok(value as Line) : checked
}

function checkedEvent(value: LoggedEvent): Result<unknown> {
  if (typeof value.type === 'string' && isConversationEvent(value)) return parsed(conversationEvent, value)
  const event = upcastEvent(value)
  return event.ok ? event : fail({ type: 'line', message: event.failure.message })
}

function parsed(schema: z.ZodType, value: unknown): Result<unknown> {
  const result = schema.safeParse(value)
  return result.success ? ok(result.data) : fail({ type: 'line', message: z.prettifyError(result.error) })
}

const notOne = (line: number, why: string): Failure => ({
  type: 'not-a-conversation',
  message:
    line === 1
      ? `This is not an export to JSON Lines, so nothing was imported. Other formats can’t come back. ${why}`
      : `Line ${line} of the file is not as exported, so nothing was imported. ${why}`,
})
