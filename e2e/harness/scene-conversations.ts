/**
 * The conversations of a scene. A runtime on ports in memory has them all. One whose agents work is held by the scene: the
 * runtime can read it, and what the user does with its agents becomes the next events of its log.
 */
import { conversationTotals, summaryOf } from '../../src/main/runtime/conversation/summarize-conversation.ts'
import type { Policy } from '../../src/main/runtime/ports/ports.ts'
import type { Runtime, RuntimeHandlers } from '../../src/main/runtime/ports/runtime.ts'
import { createMemoryStore } from '../../src/main/runtime/testing/memory-store.ts'
import { createTestRuntime, testDefinitions } from '../../src/main/runtime/testing/test-runtime.ts'
import type { DefinitionChange } from '../../src/shared/agent-definition/agent-definition.ts'
import type { LiveEvent, SpendLimits } from '../../src/shared/events/agent-event.ts'
import type { ConversationRecord } from '../../src/shared/events/conversation.ts'
import type { CommandInput } from '../../src/shared/ipc/ipc-contract.ts'
import { fail, ok, type Result } from '../../src/shared/kernel/result.ts'
import { type AgentState, isLive } from '../../src/shared/state/agent-state.ts'
import type { ConversationDelta } from '../../src/shared/state/conversation-summary.ts'
import { type SampleLog, subagentLimits } from '../../src/shared/testing/sample-log.ts'
import { PROSE, type Speech } from './speech.ts'

/** The default limits of the settings. */
const conversationLimits: SpendLimits = {
  ...{ tokens: 50_000_000, usd: 20, usdByDefault: true, ms: null, spawns: null },
}

export class SceneConversations {
  readonly runtime: Runtime
  readonly store = createMemoryStore()
  /** Conversations that another program holds. */
  readonly locked = new Set<string>()
  /** What differs from the definitions that ended agents had, by the agents' ids. */
  readonly definitionChanges = new Map<string, DefinitionChange>()
  private readonly shown = new Map<string, SampleLog>()
  private readonly live = new Map<string, LiveEvent[]>()
  private readonly push: (delta: ConversationDelta) => void

  constructor(policy: Pick<Policy, 'bypassAllowed' | 'defaults'>, push: (delta: ConversationDelta) => void) {
    const { store } = this
    const { open } = store
    const isHeld = (id: string) => this.locked.has(id) || this.shown.has(id)
    store.open = async (record, follower) => (isHeld(record.id) ? fail(heldByOther) : open(record, follower))
    store.lockedByOther = async (id) => isHeld(id)
    store.toolOutput = async () => ok('the whole output\n'.repeat(400))
    this.push = push
    this.runtime = createTestRuntime({
      script: () => ({ text: 'Understood.', usage: { input: 300, cacheRead: 2600, cacheWrite: 120 } }),
      store,
      definitions: testDefinitions,
      policy: {
        ...policy,
        limits: { agent: subagentLimits, background: subagentLimits, conversation: conversationLimits },
      },
      ports: {
        clock: { now: () => Date.now(), sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) },
        files: {
          stat: async () => ok({ kind: 'folder', size: 0, mtimeMs: 0 }),
          read: async (path) => fail({ type: 'not-found', message: `${path} does not exist.` }),
          write: async () => ok({ kind: 'file', size: 0, mtimeMs: 0 }),
          realPath: async (path) => ok(path),
        },
      },
    }).runtime
    this.runtime.subscribe((delta) => {
      if (delta.type !== 'write-failure') push(delta)
    })
  }

  /** Adds a conversation without working agents. */
  keep(log: SampleLog, more: Partial<ConversationRecord>): void {
    const { record } = log.snapshot({ totals: conversationTotals([...log.states.values()]), ...more })
    this.store.records.set(record.id, record)
    this.append(log, 0)
  }

  /** Adds a conversation whose agents work. They say their speeches. */
  show(log: SampleLog, more: Partial<ConversationRecord>, speeches: ReadonlyMap<string, Speech>): void {
    this.keep(log, { updatedAt: log.events[0]?.at ?? 0, ...more })
    this.shown.set(log.conversationId, log)
    for (const [agentId, speech] of speeches) this.speak(log, agentId, speech)
  }

  /** Shows what an agent says, after what it said before. */
  say({ conversationId }: Pick<SampleLog, 'conversationId'>, event: LiveEvent): void {
    this.live.set(event.agentId, [...(this.live.get(event.agentId) ?? []), event])
    this.push({ type: 'live', conversationId, event })
  }

  /** The runtime as the window sees it. */
  get window(): Pick<Runtime, 'conversations' | 'dispatch' | 'live' | 'snapshot'> {
    const { runtime, shown, store, live } = this
    return {
      dispatch: runtime.dispatch,
      conversations: async () =>
        (await runtime.conversations()).map((summary) => {
          const [log, record] = [shown.get(summary.id), store.records.get(summary.id)]
          return log && record
            ? summaryOf({ record, states: [...log.states.values()] }, conversationLimits)
            : summary
        }),
      snapshot: async (id) => {
        const snapshot = await runtime.snapshot(id)
        return snapshot.ok && shown.has(id)
          ? ok({ ...snapshot.value, readOnly: this.locked.has(id) })
          : snapshot
      },
      live: (agentId) => [...(live.get(agentId) ?? []), ...runtime.live(agentId)],
    }
  }

  /** What the runtime answers, and what a conversation answers whose agents work. */
  get handlers(): RuntimeHandlers {
    const own = this.ownHandlers as Record<string, (input: never, log: SampleLog) => unknown>
    const entries = Object.entries(this.runtime.handlers).map(([name, handler]) => {
      const answer = async (input: { readonly conversationId?: string }) => {
        const log = this.shown.get(input.conversationId ?? '')
        return log && own[name] ? own[name](input as never, log) : handler(input as never)
      }
      return [name, answer] as const
    })
    return Object.fromEntries(entries) as unknown as RuntimeHandlers
  }

  private readonly ownHandlers: OwnHandlers = {
    'verification.states': () => ok({}),
    'agent.definitionChange': ({ agentId }) =>
      ok(this.definitionChanges.get(agentId) ?? { kind: 'same', what: [] }),
    'conversation.send': ({ agentId, content }, log) => {
      const id = agentId ?? 'main'
      const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
      const messageId = `sent-${log.events.length}`
      this.add(log, () => {
        log.receives(id, '', 'user', { messageId, content: [...blocks] })
        log.status(id, 'running')
      })
      return ok({ messageId, queued: false })
    },
    'conversation.setMode': ({ permissionMode }, log) =>
      this.add(log, () => log.add('main', 'permission-mode-changed', { permissionMode, neverAsks: false })),
    'agent.answer': ({ agentId, requestId, answer }, log) => {
      const request = log.stateOf(agentId).requests.find((asked) => asked.requestId === requestId)
      if (request === undefined)
        return fail({ type: 'not-found', message: 'This request is no longer open.' })
      const { toolUseId, alwaysRule } = request
      return this.add(log, () => {
        log.answered(agentId, requestId, {
          ...{ toolUseId, decision: answer.decision },
          feedback: answer.decision === 'deny' ? answer.feedback : null,
          ...(answer.decision === 'allow-always' && { rule: answer.rule ?? alwaysRule ?? undefined }),
        })
        if (log.stateOf(agentId).requests.length === 0) log.status(agentId, 'running')
      })
    },
    'agent.pause': ({ agentId }, log) =>
      this.add(log, () => {
        log.add(agentId, 'pause-changed', { paused: true })
        log.status(agentId, 'paused')
      }),
    'agent.continue': ({ agentId }, log) =>
      this.add(log, () => {
        if (isLive(log.stateOf(agentId))) log.add(agentId, 'pause-changed', { paused: false })
        else log.receives(agentId, 'The user resumed you. Continue your work.', 'runtime')
        log.status(agentId, 'running')
      }),
    'agent.stop': ({ agentId }, log) =>
      this.add(log, () => {
        const isMeant = ({ id, parentId }: AgentState) => agentId === id || agentId === parentId
        for (const state of [...log.states.values()].reverse())
          if (isMeant(state) && isLive(state)) log.ends(state.id, state.lastLine, 'stopped')
      }),
    'agent.toBackground': ({ agentId }, log) =>
      this.add(log, () => log.add(agentId, 'moved-to-background', { by: 'user', bubbles: true })),
  }

  /** Adds events to a log, and tells the window. */
  private add(log: SampleLog, write: () => void): Result<void> {
    const from = log.events.length
    log.now = Date.now()
    write()
    this.append(log, from)
    const { conversationId } = log
    for (const event of log.events.slice(from)) this.push({ type: 'event', conversationId, event })
    return ok(undefined)
  }

  private append({ events }: SampleLog, from: number): void {
    const { logs } = this.store
    for (const event of events.slice(from)) {
      const known = logs.get(event.agentId)
      if (known) known.push(event)
      else logs.set(event.agentId, [event])
    }
  }

  /** Streams at a steady pace while the agent runs. */
  private speak(
    log: SampleLog,
    agentId: string,
    { once, endless, charactersPerSecond, delay }: Speech,
  ): void {
    const say = (append: string) =>
      this.say(log, { type: 'live-block', agentId, index: 0, kind: 'text', name: '', append })
    const isRunning = () => log.stateOf(agentId).status === 'running'
    if (once !== undefined) {
      if (isRunning()) say(once)
      return
    }
    let before = performance.now()
    let [position, said] = [-delay, 0]
    const timer = setInterval(() => {
      const now = performance.now()
      if (isRunning()) position += ((now - before) / 1000) * charactersPerSecond
      before = now
      const append = PROSE.slice(said, Math.max(0, Math.floor(position)))
      if (append !== '') say(append)
      said += append.length
      if (position < PROSE.length) return
      if (!endless) return clearInterval(timer)
      this.live.delete(agentId)
      this.add(log, () =>
        log.answers(agentId, {
          text: PROSE,
          tools: [{ tool: 'Read', summary: 'src/payments/charge.ts', note: '88 lines' }],
        }),
      )
      this.push({
        type: 'live',
        conversationId: log.conversationId,
        event: { type: 'live-clear', agentId, reason: 'finished' },
      })
      position = 0
      said = 0
    }, 16)
  }
}

type Answered =
  | `agent.${'answer' | 'continue' | 'definitionChange' | 'pause' | 'stop' | 'toBackground'}`
  | `conversation.${'send' | 'setMode'}`
  | 'verification.states'

type OwnHandlers = {
  readonly [N in Answered]: (
    input: CommandInput<N>,
    log: SampleLog,
  ) => Awaited<ReturnType<RuntimeHandlers[N]>>
}

const heldByOther = {
  type: 'locked',
  message: 'Another program holds this conversation. You can read it here, but not continue it.',
}
