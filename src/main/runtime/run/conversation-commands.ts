/** Answers the commands on whole conversations, and what is asked of them. */

import type { ChangesUndone } from '../../../shared/changes/changes.ts'
import { lostChecks, withCheck } from '../../../shared/comparison/comparison.ts'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import type { LoggedEvent } from '../../../shared/events/conversation-event.ts'
import type { NameOf } from '../../../shared/ipc/handlers.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import type { ConversationSnapshot } from '../../../shared/state/conversation-snapshot.ts'
import { addToTimeline, emptyTimeline } from '../../../shared/timeline/timeline.ts'
import { whyNotForProgram } from '../agent/why-not-possible.ts'
import type { Assembly, Conversation } from '../conversation/conversation.ts'
import { asInterrupted, type SummaryFacts, summaryOf } from '../conversation/summarize-conversation.ts'
import { readWaiting } from '../conversation/waiting-messages.ts'
import type { Runtime, RuntimeCommand, RuntimeHandlers } from '../ports/runtime.ts'
import type { RecordChange } from '../ports/transcripts.ts'
import { writeBranch } from './branch-conversation.ts'
import { continueLimited, continueStopped } from './continue-stopped.ts'
import { interruptAgent, setMode, setModel, stopConversation } from './control.ts'
import { createConversation } from './create-conversation.ts'
import type { OpenConversations } from './open-conversations.ts'
import { suitMain } from './renew-definition.ts'
import { survives } from './reopen-conversation.ts'
import { startMain } from './run-agents.ts'
import { deliver, sendToAgent, sendToMain, unqueue, userBlocksOf } from './send-message.ts'
import { answerVerification, verificationStates, verifyNow } from './verification-commands.ts'

type ConversationHandlers = Pick<RuntimeHandlers, NameOf<'conversation' | 'verification'> & RuntimeCommand>
type Queries = Pick<Runtime, 'conversations' | 'find' | 'snapshot' | 'saved' | 'recordUndo' | 'settled'>

export function conversationHandlers(conversations: OpenConversations, deps: Assembly): ConversationHandlers {
  const { store, policy } = deps.ports
  /** Publishes the entry of a conversation that is not open. */
  async function publishSummary(conversationId: string) {
    const record = await store.read(conversationId)
    if (!record.ok) return record
    const summary = summaryOf({ record: record.value }, policy.limits.conversation)
    deps.publish({ type: 'conversation', summary })
    return ok(summary)
  }
  /** Changes the record of a conversation, which is not opened for that. */
  async function amend(
    conversationId: string,
    changeOf: (record: ConversationRecord) => RecordChange,
  ): Promise<Result<void>> {
    const open = conversations.get(conversationId)
    if (open) {
      open.file.emit(changeOf(open.file.record))
      return open.file.save()
    }
    const record = await store.read(conversationId)
    if (!record.ok) return record
    const amended = await store.amend(conversationId, changeOf(record.value))
    if (amended.ok) await publishSummary(conversationId)
    return amended
  }

  /** The events of a range; null: they are many, none, or can't be read. */
  async function fewEvents(
    conversationId: string,
    range: { readonly from: number; readonly to: number },
  ): Promise<readonly LoggedEvent[] | null> {
    if (range.from > range.to || range.to - range.from > MOST_EVENTS) return null
    const events: LoggedEvent[] = []
    for await (const batch of store.readConversation(conversationId, range)) {
      if (!batch.ok) return null
      events.push(...batch.value)
    }
    return events
  }

  return {
    'conversation.create': async ({ message, ...wanted }) => {
      const created = await createConversation(wanted, conversations, deps)
      if (!created.ok) return created
      const sent = message ? await sendToMain(created.value, message) : ok(null)
      const { summary } = created.value
      if (sent.ok) return ok(summary)
      const { type, message: reason } = sent.failure
      return ok({ ...summary, notSent: { type, message: reason } })
    },
    'conversation.requests': async () =>
      ok(
        conversations.all().flatMap(({ id, file: { record }, agents }) => {
          const asking = agents.states().filter(({ requests, forms }) => requests.length + forms.length > 0)
          if (asking.length === 0 || record.scratch) return []
          return [{ conversationId: id, title: record.title, folder: record.folder, agents: asking }]
        }),
      ),
    'conversation.branch': async ({ content: given, ...point }) => {
      const content = given === null ? ok(null) : userBlocksOf(given)
      if (!content.ok) return content
      const written = await writeBranch({ ...point, content: content.value }, deps.ports)
      if (!written.ok) return written
      return conversations.use(written.value.id, async (conversation) => {
        const suited = await suitMain(conversation)
        if (!suited.ok) return suited
        const sent = given === null ? ok(null) : await sendToMain(conversation, { content: given })
        conversation.publishSummary()
        return sent.ok ? ok(conversation.summary) : sent
      })
    },
    'conversation.send': ({ conversationId, agentId, ...message }) =>
      conversations.use(conversationId, (conversation) =>
        sendToAgent(conversation, agentId ?? conversation.file.record.mainAgentId, message),
      ),
    'conversation.unqueue': ({ conversationId, messageId }) =>
      conversations.use(conversationId, (conversation) => unqueue(conversation, messageId)),
    'conversation.sendNow': ({ conversationId, messageId }) =>
      conversations.use(conversationId, (conversation) => sendNow(conversation, messageId)),
    'conversation.runCommand': ({ conversationId, command, isCheck }) =>
      conversations.use(conversationId, ({ userCommands }) => userCommands.run(command, isCheck)),
    'conversation.stopCommand': async ({ conversationId, commandId }) => {
      await conversations.get(conversationId)?.userCommands.stop(commandId)
      return ok(undefined)
    },
    'conversation.shareCommand': ({ conversationId, commandId, share }) =>
      conversations.use(conversationId, ({ userCommands }) => userCommands.share(commandId, share)),
    'conversation.setLimits': ({ conversationId, limits }) =>
      conversations.use(conversationId, async (conversation) => {
        conversation.file.emit({ type: 'conversation-limited', limits })
        const saved = await conversation.file.save()
        return saved.ok ? ok(conversation.summary) : saved
      }),
    'conversation.stop': async ({ conversationId }) => {
      const open = conversations.get(conversationId)
      if (open) await stopConversation(open)
      return ok(undefined)
    },
    'conversation.continue': ({ conversationId, whenLimitEnds }) =>
      conversations.use(conversationId, (conversation) =>
        whenLimitEnds ? continueLimited(conversation, deps) : continueStopped(conversation),
      ),
    'conversation.setMode': ({ conversationId, permissionMode }) =>
      conversations.use(conversationId, (conversation) => setMode(conversation, permissionMode)),
    'conversation.setModel': ({ conversationId, agentId, ...choice }) =>
      conversations.use(conversationId, (conversation) => setModel(conversation, choice, agentId)),
    'conversation.compact': ({ conversationId, instructions }) =>
      conversations.use(conversationId, (conversation) => compactNow(conversation, instructions)),
    'conversation.rename': ({ conversationId, title }) =>
      amend(conversationId, () => ({ type: 'conversation-titled', title, named: true })),
    'conversation.mark': ({ conversationId, pinned, archived }) =>
      amend(conversationId, (record) => ({
        type: 'conversation-marked',
        pinned: pinned ?? record.pinned,
        archived: archived ?? record.archived,
      })),
    'conversation.trash': async ({ conversationId }) => {
      await conversations.close(conversationId, 'deleted')
      const record = await store.read(conversationId)
      const trashed = await store.trash(conversationId)
      if (trashed.ok && record.ok) await deps.workers?.forget?.(record.value.agentIds)
      if (trashed.ok) deps.publish({ type: 'conversation-gone', conversationId })
      return trashed
    },
    'conversation.restore': async ({ conversationId }) => {
      const restored = await store.restore(conversationId)
      return restored.ok ? publishSummary(conversationId) : restored
    },
    'conversation.timeline': async ({ conversationId }) => {
      const timeline = emptyTimeline()
      for await (const batch of store.readConversation(conversationId)) {
        if (!batch.ok)
          return timeline.lastOrder < 0 ? batch : ok({ timeline, problem: batch.failure.message })
        for (const event of batch.value) addToTimeline(timeline, event)
      }
      return ok({ timeline, problem: null })
    },
    'conversation.past': async ({ conversationId, order, after }) => {
      const events = after === null ? null : await fewEvents(conversationId, { from: after + 1, to: order })
      if (events !== null) return ok({ snapshot: null, events })
      const past = await store.stateAt(conversationId, order)
      if (!past.ok) return past
      const { record, agents, lastOrder } = past.value
      if (record === null) return fail({ type: 'not-found', message: 'Nothing had happened yet.' })
      return ok({ snapshot: { record, readOnly: true, agents: [...agents.values()], order: lastOrder } })
    },
    'conversation.retryLog': async ({ conversationId }) =>
      (await conversations.get(conversationId)?.file.retry()) ?? ok(undefined),
    'verification.answer': ({ conversationId, ...answer }) =>
      conversations.use(conversationId, (conversation) => answerVerification(conversation, answer)),
    'verification.start': ({ conversationId, owner }) =>
      conversations.use(conversationId, (conversation) => verifyNow(conversation, owner)),
    'verification.states': ({ conversationId }) => conversations.use(conversationId, verificationStates),
  }
}

/** With more events, a snapshot is quicker. */
const MOST_EVENTS = 500

/** What is asked of whole conversations by their ids, and not commanded. */
export function conversationQueries(conversations: OpenConversations, deps: Assembly): Queries {
  const { store, policy } = deps.ports
  const summarize = (facts: SummaryFacts) => summaryOf(facts, policy.limits.conversation)

  /** The main agent of a closed conversation whose program died while the agent worked. */
  async function interruptedMain(record: ConversationRecord): Promise<AgentState | undefined> {
    const { outcome, updatedAt, createdAt, mainAgentId } = record
    // Every run begins with a message, so nothing ran since the last outcome.
    if (outcome === undefined || updatedAt <= (outcome?.at ?? createdAt)) return undefined
    const states = await store.states([mainAgentId])
    const main = states.ok ? states.value[0] : undefined
    return main && asInterrupted(main)
  }

  return {
    conversations: async () => {
      const records = await store.list()
      return Promise.all(
        records.map(async (record) => {
          const open = conversations.get(record.id)
          if (open) return open.summary
          const isElsewhere = await store.lockedByOther(record.id)
          const readOnly = isElsewhere || record.imported === true
          return summarize({
            record,
            readOnly,
            main: isElsewhere ? undefined : await interruptedMain(record),
          })
        }),
      )
    },
    find: async (id) => {
      const direct = await store.read(id)
      if (direct.ok) return direct.value
      return (await store.list()).find(({ agentIds }) => agentIds.includes(id)) ?? null
    },
    snapshot: (conversationId) => snapshot(conversationId, conversations, deps),
    recordUndo: (conversationId, undo) =>
      conversations.use(conversationId, (conversation) => recordUndo(conversation, undo)),
    saved: async (conversationId, { writing = false } = {}) => {
      if (writing) return conversations.use(conversationId, saveAll)
      const open = conversations.get(conversationId)
      return open ? saveAll(open) : ok(undefined)
    },
    settled: async (conversationId) => {
      const open = conversations.get(conversationId)
      const main = open?.agents.main
      if (!open || !main) throw new Error(`The conversation ${conversationId} is not open.`)
      for (;;) {
        const runs = [...open.agents.runs(), ...open.pending]
        if (runs.length === 0) return main.state()
        await Promise.race(runs)
      }
    },
  }
}

async function snapshot(
  conversationId: string,
  conversations: OpenConversations,
  deps: Assembly,
): Promise<Result<ConversationSnapshot>> {
  const open = conversations.get(conversationId)
  if (open)
    return ok({
      record: { ...open.file.record, queued: [...open.file.queue.all] },
      readOnly: false,
      agents: open.agents.states(),
      order: open.events.lastOrder,
    })
  const { store } = deps.ports
  const record = await store.read(conversationId)
  if (!record.ok) return record
  const states = await store.states(record.value.agentIds)
  if (!states.ok) return states
  const isElsewhere = await store.lockedByOther(conversationId)
  const readOnly = isElsewhere || record.value.imported === true
  if (!readOnly && (await someSurvive(states.value, deps))) {
    const opened = await conversations.use(conversationId, () => ok(undefined))
    if (opened.ok) return snapshot(conversationId, conversations, deps)
  }
  // A message may have opened the conversation since: then its state in memory is newer.
  if (conversations.get(conversationId)) return snapshot(conversationId, conversations, deps)
  return ok({
    record: {
      ...record.value,
      queued: await readWaiting(record.value, states.value, store),
      ...(isElsewhere ? {} : { comparisons: withoutLost(record.value) }),
    },
    readOnly,
    agents: isElsewhere ? states.value : states.value.map(asInterrupted),
    order: Math.max(-1, ...states.value.map((state) => state.lastOrder)),
  })
}

/** Checks that a dead program left running do not run any more. */
const withoutLost = ({ comparisons }: ConversationRecord): ConversationRecord['comparisons'] =>
  lostChecks(comparisons).reduce(withCheck, comparisons)

/** Whether processes that survived this program's last run carry out agents of the conversation. */
async function someSurvive(states: readonly AgentState[], { workers }: Assembly): Promise<boolean> {
  for (const state of states) if (await survives(state, workers)) return true
  return false
}

/** The message is delivered once the interrupted turn has ended, and stays queued if anything fails before. */
async function sendNow(conversation: Conversation, messageId: string): Promise<Result<void>> {
  const { queue, record } = conversation.file
  const message = queue.all.find((one) => one.messageId === messageId)
  if (message === undefined)
    return fail({ type: 'not-found', message: 'The agent has read this message already.' })
  if (message.agentId !== record.mainAgentId || message.from !== 'user')
    return fail({ type: 'not-possible', message: 'Only your message to the main agent can interrupt it.' })
  await interruptAgent(conversation, message.agentId)
  return deliver(conversation, message)
}

/** An idle agent does it at once, a busy one with its next turn. `instructions`: what the summary must keep; may be empty. */
async function compactNow(conversation: Conversation, instructions: string): Promise<Result<void>> {
  const { mainAgentId } = conversation.file.record
  const refusal = whyNotForProgram(
    conversation,
    mainAgentId,
    'It keeps its own history, so Troupe can’t summarize it. Where it offers a command for that, send it the command.',
  )
  if (refusal !== null) return fail(refusal)
  const done = await conversation.withAgent(mainAgentId, (agent, handle) => {
    const { history } = agent.transcript
    if (!handle.isRunning && history.messages().length < 2)
      return fail({ type: 'nothing', message: 'There is nothing to summarize yet.' })
    agent.wantedCompaction = { instructions }
    if (!handle.isRunning) startMain(conversation, handle)
    return ok(undefined)
  })
  return done.ok ? done.value : done
}

/** The event of an undo. The agents whose files were changed back are told in their next turn. */
async function recordUndo(conversation: Conversation, undo: ChangesUndone): Promise<Result<void>> {
  const { file, agents } = conversation
  file.emit({ type: 'changes-undone', ...undo })
  const authors = new Set(undo.changes.map(({ agentId }) => agentId))
  const paths = undo.files.map(({ path }) => path)
  for (const { id, agent } of agents.all()) {
    const isTold = agents.isMain(id) || (agent !== null && authors.has(id) && isAtWork(agent.state()))
    if (agent !== null && isTold && paths.length > 0) agent.transcript.tell(textFor(undo, paths))
  }
  return saveAll(conversation)
}

const isAtWork = (state: AgentState): boolean => isLive(state)

function textFor({ redoOf }: ChangesUndone, paths: readonly string[]): string {
  const shown = paths.slice(0, MOST_NAMED).map((path) => `- ${path}`)
  const more = paths.length > MOST_NAMED ? [`- and ${paths.length - MOST_NAMED} more`] : []
  const what = redoOf === null ? 'undid changes that agents made' : 'restored changes that were undone before'
  return [
    `The user ${what}. These files changed:`,
    ...shown,
    ...more,
    'Read a file again before you rely on it or change it. Do not repeat an undone change unless the user asks for it.',
  ].join('\n')
}

const MOST_NAMED = 20

/** Writes every event of the conversation and its agents to the disk. */
async function saveAll({ file, agents }: Conversation): Promise<Result<void>> {
  for (const { id, agent } of agents.all()) {
    const flushed = agent === null ? ok(undefined) : await file.tryFlush(id)
    if (!flushed.ok) return flushed
  }
  return file.save()
}
