/**
 * A branch: a new conversation that begins with a copy of another one's history up to a message of the user. The
 * original, its agents and the files on disk stay as they are.
 */
import type { AgentEvent, AgentEventDraft, EventOf } from '../../../shared/events/agent-event.ts'
import { EVENT_VERSION } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import type { Commands } from '../../../shared/ipc/ipc-contract.ts'
import type { InputOf } from '../../../shared/kernel/command.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { UserBlock } from '../../../shared/messages/content.ts'
import { noUsage } from '../../../shared/models/no-usage.ts'
import { History } from '../loop/history.ts'
import type { Ports } from '../ports/ports.ts'
import type { ConversationLog } from '../ports/transcripts.ts'
import { excerptOf, type HistoryCopy, historyCopy, MOST_CARRIED } from './history-copy.ts'
import { importedConversation } from './reopen-conversation.ts'
import { titleFrom } from './title-from.ts'

/** Where a branch begins, as the command `conversation.branch` says it. */
type BranchPoint = Omit<InputOf<Commands['conversation.branch']>, 'content'> & {
  readonly content: readonly UserBlock[] | null
}

/**
 * Writes the log of the branch. Fails with `not-found` or `imported`, with `not-possible` for a main agent in its own worktree, or if
 * the store fails.
 */
export async function writeBranch(
  { conversationId, seq, content, coordinator, before = false, folder: given }: BranchPoint,
  ports: Ports,
): Promise<Result<ConversationRecord>> {
  const { store } = ports
  const original = await store.read(conversationId)
  if (!original.ok) return original
  if (original.value.imported) return fail(importedConversation)
  const events = await eventsBefore(
    original.value.mainAgentId,
    { seq, includesTurn: content === null && !before },
    ports,
  )
  if (!events.ok) return events
  const [spawned] = events.value
  if (spawned?.type === 'agent-spawned' && spawned.worktree?.own) return fail(ownWorktree)
  const folder =
    original.value.history === undefined ? original.value.folder : (given ?? original.value.folder)
  const chosen = ports.policy.defaults(folder)
  const defaults = { ...chosen, model: ports.models.resolve(chosen.model) }
  const copy = historyCopy(original.value, { folder, defaults })
  const record = {
    ...branchRecord(original.value, content, ports),
    ...(copy !== null && {
      ...{
        folder,
        title: original.value.title,
        coordinator: defaults.coordinator,
        rehearsal: defaults.rehearsal,
      },
    }),
    ...((copy === null || coordinator !== undefined) && {
      coordinator: coordinator ?? original.value.coordinator,
    }),
    // The teams and tasks are those of agents that stay in the original.
    phases: original.value.phases.filter(({ at }) => at <= (events.value.at(-1)?.at ?? 0)),
  }
  const opened = await store.open(record)
  if (!opened.ok) return opened
  const log = opened.value
  await copyEvents(events.value, { log, original: original.value, filesWentBack: before, copy }, ports)
  const flushed = await log.flush(record.mainAgentId)
  const saved = flushed.ok ? await log.save() : flushed
  await log.close()
  if (saved.ok) return ok(log.record)
  await store.trash(record.id)
  return saved
}

function branchRecord(
  { history: _, ...original }: ConversationRecord,
  content: readonly UserBlock[] | null,
  { ids, clock }: Ports,
): ConversationRecord {
  const mainAgentId = ids.next('a')
  const now = clock.now()
  return {
    ...original,
    id: ids.next('c'),
    title: content === null ? `${original.title} (branch)` : titleFrom(content),
    named: false,
    pinned: false,
    archived: false,
    mainAgentId,
    agentIds: [mainAgentId],
    createdAt: now,
    updatedAt: now,
    queued: [],
    outcome: null,
    teams: [],
    tasks: [],
    branchOf: original.id,
  }
}

/** The events before the message; with its turn, those before the next message of the user. All, without a message. */
async function eventsBefore(
  agentId: string,
  { seq, includesTurn }: { readonly seq: number | null; readonly includesTurn: boolean },
  { store }: Ports,
): Promise<Result<readonly AgentEvent[]>> {
  const before: AgentEvent[] = []
  let isFound = false
  for await (const batch of store.events(agentId)) {
    if (!batch.ok) return batch
    for (const event of batch.value) {
      const isUsers = event.type === 'user-message' && event.from === 'user'
      if (isFound && isUsers) return ok(before)
      if (event.seq === seq && isUsers) {
        if (!includesTurn) return ok(before)
        isFound = true
      }
      before.push(event)
    }
  }
  return isFound || seq === null
    ? ok(before)
    : fail({ type: 'not-found', message: 'There is no such message of yours.' })
}

interface Copying {
  readonly log: ConversationLog
  readonly original: ConversationRecord
  /** Whether the changes of files after this point were undone. */
  readonly filesWentBack: boolean
  /** Of the conversation of another program. */
  readonly copy: HistoryCopy | null
}

async function copyEvents(
  events: readonly AgentEvent[],
  { log, original, filesWentBack, copy }: Copying,
  { store, clock, ids }: Ports,
): Promise<void> {
  const { id: conversationId, mainAgentId: agentId } = log.record
  let { order } = log.next
  let seq = 0
  const history = new History(null)
  const append = (event: AgentEvent) => {
    log.append({ ...event, v: EVENT_VERSION, agentId, seq: seq++, order: order++ })
    history.apply(event)
  }
  const add = (draft: AgentEventDraft) =>
    append({ v: EVENT_VERSION, agentId, seq, order, at: clock.now(), ...draft } as AgentEvent)

  for (const { origin: _, ...copied } of events) {
    const event = copy === null ? copied : copy.adapted(copied)
    if (event === null) continue
    if (event.type === 'agent-spawned') {
      append(spawnedIn(event, { conversationId, outputs: log.outputFolder(original.mainAgentId) }))
    } else if (event.type === 'assistant-message')
      append({ ...event, usage: noUsage, countedTokens: 0, costUsd: 0 })
    else if (event.type === 'tool-ended') append(await withOwnOutput(event, { log, original }, store))
    else if (COPIED.has(event.type)) append(event)
  }
  for (const { call } of history.openCalls())
    add({
      type: 'tool-ended',
      toolUseId: call.id,
      name: call.name,
      isError: true,
      content: 'Not finished when the user branched the conversation. It may still run in the original.',
      note: 'in the original',
      durationMs: 0,
      display: null,
      outputFile: null,
    })
  if (copy !== null && history.characters > MOST_CARRIED)
    add({ type: 'context-compacted', summary: excerptOf(events) })
  const files = filesWentBack ? 'Changed files went back too.' : 'Files stay as they are now.'
  const note = copy?.note ?? `Branched from “${original.title}”. ${files}`
  if (history.length > 0)
    add({
      type: 'user-message',
      messageId: ids.next('m'),
      from: 'runtime',
      sender: null,
      content: [{ type: 'text', text: copy?.text ?? branchedText(filesWentBack) }],
      note,
    })
  else add({ type: 'notice', level: 'info', text: note })
  add({ type: 'status-changed', status: 'waiting', waitingFor: 'message' })
}

const branchedText = (filesWentBack: boolean): string => {
  const files = filesWentBack
    ? 'The changes that agents made to files after this point were undone, except where the user decided otherwise, so read a file again'
    : 'Files were not changed back, so check them'
  return `The user went back to this point and continues from here in a new conversation. ${files} before you rely on what you read above. Agents that were started above belong to the original conversation: start new ones.`
}

/** Everything that the history and the transcript consist of. Status, requests and permissions stay in the original. */
const COPIED: ReadonlySet<AgentEvent['type']> = new Set([
  'user-message',
  'tool-started',
  'notice',
  'context-cleared',
  'context-compacted',
  'tools-changed',
  'instructions-loaded',
  'servers-told',
  'files-told',
  'permissions-told',
  'part-refused',
  'permission-mode-changed',
  'model-changed',
  'effort-changed',
  'thinking-changed',
  'definition-renewed',
])

/** The copied history names outputs in the original's folder, so the branch may read them there. */
function spawnedIn(
  event: Omit<EventOf<'agent-spawned'>, 'origin'>,
  { conversationId, outputs }: { readonly conversationId: string; readonly outputs: string },
): EventOf<'agent-spawned'> {
  const { definition } = event
  const readFolders = [...new Set([...definition.readFolders, outputs])]
  return { ...event, conversationId, definition: { ...definition, readFolders } }
}

/** Copies a large output too, so that the branch does not need the original. */
async function withOwnOutput(
  event: Omit<EventOf<'tool-ended'>, 'origin'>,
  { log, original }: Pick<Copying, 'log' | 'original'>,
  store: Ports['store'],
): Promise<EventOf<'tool-ended'>> {
  if (event.outputFile === null) return event
  const output = await store.toolOutput(original.mainAgentId, event.toolUseId)
  if (!output.ok) return event
  const kept = await log.keepOutput(log.record.mainAgentId, event.toolUseId, output.value)
  return kept.ok ? { ...event, outputFile: { ...event.outputFile, path: kept.value } } : event
}

const ownWorktree = {
  type: 'not-possible',
  message: 'This conversation works in its own worktree, which two conversations can’t share.',
} as const
