/**
 * The runtime: conversations that are open, and those that only lie on the disk. Everything it does is a
 * command in and events out; whoever shows them subscribes.
 */

import type { SpendLimits } from '../../shared/agent-event.ts'
import { type AgentState, isLive, needsUser } from '../../shared/agent-state.ts'
import type { ConversationRecord } from '../../shared/conversation.ts'
import type { ConversationSnapshot, ConversationSummary } from '../../shared/ipc-contract.ts'
import { fail, ok, type Result } from '../../shared/result.ts'
import { noPlaces, type ProgramPlaces } from './definitions/program-places.ts'
import { RateGate } from './loop/request-model.ts'
import type { LoopDeps } from './loop/run-agent.ts'
import type { Ports } from './ports.ts'
import type { NewConversation, Runtime, RuntimeDelta } from './runtime.ts'
import {
  answerAgent,
  bypassRefused,
  continueAgent,
  moveToBackground,
  pauseAgent,
  setAgentLimits,
  setMode,
  setModel,
  stopAgent,
  stopConversation,
} from './supervisor/control.ts'
import { Conversation, type ConversationDeps } from './supervisor/conversation.ts'
import { toolsFor } from './supervisor/conversation-tools.ts'
import { LetterReader } from './supervisor/letter-reader.ts'
import { findDefinition } from './supervisor/plan-agent.ts'
import { definitionChange, renewDefinition } from './supervisor/renew-definition.ts'
import { reopenConversation } from './supervisor/reopen-conversation.ts'
import { say, unqueue } from './supervisor/say.ts'
import { spawnMain } from './supervisor/spawn-main.ts'
import { offersIn } from './supervisor/spawn-surroundings.ts'
import { createTools } from './tools/create-tools.ts'

export function createRuntime(ports: Ports, places: ProgramPlaces = noPlaces): Runtime {
  const open = new Map<string, Conversation>()
  const opening = new Map<string, Promise<Result<Conversation>>>()
  const listeners = new Set<(delta: RuntimeDelta) => void>()
  const loop: LoopDeps = { ...ports, gate: new RateGate(), random: () => ports.random() }
  const deps: ConversationDeps = {
    ports,
    loop,
    baseTools: createTools(ports),
    places,
    letters: new LetterReader(ports.mailbox),
    toolsFor,
    publish,
    changed: (conversation) =>
      publish({
        type: 'conversation',
        summary: summaryOf(conversation.record, conversation.states(), false),
      }),
  }

  function summaryOf(record: ConversationRecord, states: readonly AgentState[], readOnly: boolean) {
    return summaryWith(ports.policy.limits.conversation, record, states, readOnly)
  }

  function publish(delta: RuntimeDelta): void {
    for (const listener of listeners) listener(delta)
  }

  /** The open conversation, opened for going on if it is not yet. */
  function forWriting(conversationId: string): Promise<Result<Conversation>> {
    const here = open.get(conversationId)
    if (here) return Promise.resolve(ok(here))
    const already = opening.get(conversationId)
    if (already) return already
    const attempt = (async () => {
      const record = await ports.store.read(conversationId)
      if (!record.ok) return record
      const conversation = await reopenConversation(record.value, ports.store, deps)
      if (conversation.ok) open.set(conversationId, conversation.value)
      return conversation
    })().finally(() => opening.delete(conversationId))
    opening.set(conversationId, attempt)
    return attempt
  }

  /** What is done with a conversation that goes on. */
  async function goingOn<T>(
    conversationId: string,
    act: (conversation: Conversation) => Result<T> | Promise<Result<T>>,
  ): Promise<Result<T>> {
    const conversation = await forWriting(conversationId)
    return conversation.ok ? act(conversation.value) : conversation
  }

  async function create(options: NewConversation): Promise<Result<ConversationSummary>> {
    const folder = await ports.files.realPath(options.folder)
    if (!folder.ok) return folder
    const stat = await ports.files.stat(folder.value)
    if (!stat.ok || stat.value.kind !== 'folder')
      return fail({
        type: 'folder-gone',
        message: `${options.folder} is not a folder that can be read. Choose another.`,
      })
    const { policy } = ports
    if (options.permissionMode === 'bypassPermissions' && !policy.bypassAllowed(folder.value))
      return fail(bypassRefused)
    const offers = await offersIn(folder.value, ports)
    const tried = options.definition
    const definition = tried ? ok(tried) : findDefinition(offers.definitions, options.agent ?? 'main')
    if (!definition.ok) return definition

    const now = ports.clock.now()
    const mainAgentId = ports.ids.next('a')
    const record: ConversationRecord = {
      v: 1,
      id: ports.ids.next('c'),
      folder: folder.value,
      title: tried ? `Try: ${tried.name}` : '',
      named: tried !== undefined,
      mainAgentId,
      agentIds: [mainAgentId],
      createdAt: now,
      updatedAt: now,
      rehearsal: options.rehearsal,
      scratch: tried !== undefined,
      queued: [],
      limits: null,
    }
    const log = await ports.store.open(record)
    if (!log.ok) return log
    const conversation = new Conversation(log.value, deps, { firstOrder: 0, queued: [] })
    open.set(record.id, conversation)
    const spawned = await spawnMain(conversation, {
      definition: definition.value,
      offers,
      model: options.model,
      maxTurns: options.maxTurns ?? null,
      permissionMode: options.permissionMode,
    })
    if (!spawned.ok) {
      open.delete(record.id)
      await conversation.close()
      await ports.store.trash(record.id)
      return spawned
    }
    return ok(summaryOf(conversation.record, conversation.states(), false))
  }

  async function snapshot(conversationId: string): Promise<Result<ConversationSnapshot>> {
    const here = open.get(conversationId)
    if (here)
      return ok({
        record: here.record,
        readOnly: false,
        agents: here.states(),
        queued: here.queue.shown(),
        order: here.lastOrder,
      })
    const record = await ports.store.read(conversationId)
    if (!record.ok) return record
    const states = await ports.store.states(record.value.agentIds)
    if (!states.ok) return states
    const readOnly = await ports.store.lockedByOther(conversationId)
    // Opened meanwhile by a message: then that is the truth.
    if (open.has(conversationId)) return snapshot(conversationId)
    return ok({
      record: record.value,
      readOnly,
      agents: readOnly ? states.value : states.value.map(asInterrupted),
      queued: [],
      order: Math.max(-1, ...states.value.map((state) => state.lastOrder)),
    })
  }

  return {
    create,
    snapshot,
    conversations: async () => {
      const records = await ports.store.list()
      return Promise.all(
        records.map(async (record) => {
          const here = open.get(record.id)
          if (here) return summaryOf(here.record, here.states(), false)
          return summaryOf(record, [], await ports.store.lockedByOther(record.id))
        }),
      )
    },
    send: ({ conversationId, agentId, content }) =>
      goingOn(conversationId, (here) =>
        say(here, { agentId: agentId ?? here.record.mainAgentId, from: 'user', sender: null, content }),
      ),
    unqueue: (conversationId, messageId) => {
      const here = open.get(conversationId)
      return here ? unqueue(here, messageId) : fail(notOpen)
    },
    stopAgent: async (conversationId, agentId) => {
      const here = open.get(conversationId)
      return here ? stopAgent(here, agentId) : ok(undefined)
    },
    pauseAgent: async (conversationId, agentId) => {
      const here = open.get(conversationId)
      return here ? pauseAgent(here, agentId) : fail(notWorking)
    },
    continueAgent: (conversationId, agentId) =>
      goingOn(conversationId, (here) => continueAgent(here, agentId)),
    moveToBackground: async (conversationId, agentId) => {
      const here = open.get(conversationId)
      return here ? moveToBackground(here, agentId) : fail(notWorking)
    },
    definitionChange: (conversationId, agentId) =>
      goingOn(conversationId, (here) => definitionChange(here, agentId)),
    renewDefinition: (conversationId, agentId) =>
      goingOn(conversationId, (here) => renewDefinition(here, agentId)),
    setAgentLimits: (conversationId, agentId, limits) =>
      goingOn(conversationId, (here) => setAgentLimits(here, agentId, limits)),
    setLimits: (conversationId, limits) =>
      goingOn(conversationId, async (here) => {
        const saved = await here.save({ limits })
        return saved.ok ? ok(summaryOf(here.record, here.states(), false)) : saved
      }),
    stopConversation: async (conversationId) => {
      const here = open.get(conversationId)
      if (here) await stopConversation(here)
      return ok(undefined)
    },
    answer: async ({ conversationId, ...prompt }, answer) => {
      const here = open.get(conversationId)
      return here ? answerAgent(here, prompt, answer) : fail(notOpen)
    },
    setMode: (conversationId, mode) => goingOn(conversationId, (here) => setMode(here, mode)),
    setModel: (conversationId, model) => goingOn(conversationId, (here) => setModel(here, model)),
    rename: async (conversationId, title) => {
      const here = open.get(conversationId)
      if (here) return here.save({ title, named: true })
      const renamed = await ports.store.rename(conversationId, title)
      const record = await ports.store.read(conversationId)
      if (renamed.ok && record.ok)
        publish({ type: 'conversation', summary: summaryOf(record.value, [], false) })
      return renamed
    },
    trash: async (conversationId) => {
      const here = open.get(conversationId)
      open.delete(conversationId)
      if (here) await closeConversation(here)
      const trashed = await ports.store.trash(conversationId)
      if (trashed.ok) publish({ type: 'conversation-gone', conversationId })
      return trashed
    },
    restore: async (conversationId) => {
      const restored = await ports.store.restore(conversationId)
      if (!restored.ok) return restored
      const record = await ports.store.read(conversationId)
      if (!record.ok) return record
      const summary = summaryOf(record.value, [], false)
      publish({ type: 'conversation', summary })
      return ok(summary)
    },
    state: (conversationId, agentId) => open.get(conversationId)?.state(agentId) ?? null,
    live: (agentId) => {
      for (const conversation of open.values()) {
        const agent = conversation.agents.get(agentId)
        if (agent) return agent.stream.events(agentId)
      }
      return []
    },
    retryLog: async (conversationId) => (await open.get(conversationId)?.retryLog()) ?? ok(undefined),
    accessChanged: () => loop.gate.open(),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    settled: async (conversationId) => {
      const conversation = open.get(conversationId)
      const main = conversation?.main
      if (!main) throw new Error(`The conversation ${conversationId} is not open.`)
      for (;;) {
        const runs = conversation.runs()
        if (runs.length === 0) return (conversation.main ?? main).state()
        await Promise.race(runs)
      }
    },
    close: async () => {
      await Promise.all([...opening.values()])
      await Promise.all([...open.values()].map(closeConversation))
      open.clear()
    },
  }
}

function summaryWith(
  limits: SpendLimits,
  record: ConversationRecord,
  states: readonly AgentState[],
  readOnly: boolean,
): ConversationSummary {
  return {
    id: record.id,
    folder: record.folder,
    title: record.title,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    rehearsal: record.rehearsal,
    scratch: record.scratch,
    running: states.filter(isLive).length,
    prompts: states.reduce((sum, state) => sum + (needsUser(state) ? state.prompts.length : 0), 0),
    readOnly,
    limits: record.limits ?? limits,
  }
}

/** Stops everything, then lets go of the log. */
async function closeConversation(conversation: Conversation): Promise<void> {
  conversation.isClosing = true
  await stopConversation(conversation)
  await conversation.close()
}

/** An agent that looks alive in a log that nobody writes: its process died. Nothing is written to say so. */
function asInterrupted(state: AgentState): AgentState {
  if (!isLive(state)) return state
  return {
    ...state,
    status: 'interrupted',
    waitingFor: null,
    prompts: [],
    retry: null,
    endedAt: state.lastAt,
  }
}

const notWorking = { type: 'ended', message: 'This agent does not work at the moment.' }

const notOpen = {
  type: 'not-found',
  message: 'This is no longer open: it was answered, taken, or has ended.',
}
