/**
 * The real runtime on ports in memory. A scene is played into it: the runtime starts the agents of a prepared log,
 * and `SceneAgent` carries out the subagents.
 */
import type { BackedAgent } from '../../src/main/runtime/ports/agent-backing.ts'
import type { LoadedDefinition } from '../../src/main/runtime/ports/definitions.ts'
import type { Interceptor } from '../../src/main/runtime/ports/interceptors.ts'
import type { ModelClient, ModelReply } from '../../src/main/runtime/ports/model.ts'
import type { Policy, Ports } from '../../src/main/runtime/ports/ports.ts'
import type { Runtime } from '../../src/main/runtime/ports/runtime.ts'
import { createMemoryStore, type MemoryStore } from '../../src/main/runtime/testing/memory-store.ts'
import { gate } from '../../src/main/runtime/testing/scripts.ts'
import { createTestRuntime, testDefinitions } from '../../src/main/runtime/testing/test-runtime.ts'
import { type AgentEvent, noLimits, type SpendLimits } from '../../src/shared/events/agent-event.ts'
import { fail, ok, type Result } from '../../src/shared/kernel/result.ts'
import { type SampleLog, subagentLimits } from '../../src/shared/testing/sample-log.ts'
import { SceneAgent } from './scene-agent.ts'
import { type SceneScript, type ScriptedReply, scriptOf } from './scene-script.ts'
import type { Speech } from './speech.ts'

/** The default limits of the settings. */
const conversationLimits: SpendLimits = {
  ...{ tokens: 50_000_000, usd: 20, usdByDefault: true, ms: null, spawns: null },
}

/** The price per million tokens that the prepared logs count with. */
const PRICE = 3.5

export interface SceneRuntimeOptions {
  readonly defaults: Policy['defaults']
  readonly stepMs: number
  bypassAllowed(folder: string): boolean
}

export interface PlayOptions {
  readonly title: string
  readonly folder: string
  readonly speeches: ReadonlyMap<string, Speech>
}

export class SceneRuntime {
  readonly runtime: Runtime
  readonly store: MemoryStore
  /** The definitions of the scene's agents as they are now. */
  definitions: readonly LoadedDefinition[] = []
  /** Conversations that another program holds. */
  readonly locked = new Set<string>()
  private readonly options: SceneRuntimeOptions
  private readonly nextIds = new Map<string, string>()
  private created = 0
  /** The time of the events while a scene is played; null: now. */
  private time: number | null = null
  private scene: Scene | null = null

  constructor(options: SceneRuntimeOptions) {
    this.options = options
    this.store = createMemoryStore()
    const { open } = this.store
    this.store.open = async (record) => (this.locked.has(record.id) ? fail(lockedByOther) : open(record))
    this.store.lockedByOther = async (id) => this.locked.has(id)
    this.store.toolOutput = async () => ok('the whole output\n'.repeat(400))
    this.runtime = createTestRuntime({
      script: () => ({}),
      store: this.store,
      definitions: () => [...this.definitions, ...testDefinitions],
      runtime: { backings: (agent) => this.backingOf(agent) },
      policy: {
        bypassAllowed: (folder) => options.bypassAllowed(folder),
        defaults: options.defaults,
        // A scene decides itself how many agents it has.
        ...{ maxAgents: 1000, maxParallelAgents: 1000 },
        limits: { agent: subagentLimits, background: subagentLimits, conversation: conversationLimits },
      },
      ports: this.ports(),
    }).runtime
    this.runtime.subscribe((delta) => {
      if (delta.type === 'event' && delta.event.type === 'agent-ended') this.scene?.ended(delta.event.agentId)
    })
  }

  /** Adds a conversation without working agents. */
  keep(log: SampleLog, title: string, folder: string): void {
    this.append(log.events)
    const { record } = log.snapshot({ folder, title })
    this.store.records.set(log.conversationId, record)
  }

  /** Creates the conversation of a log and lets its agents work up to the end of the log. */
  async play(log: SampleLog, { title, folder, speeches }: PlayOptions): Promise<void> {
    const { conversationId } = log
    const script = scriptOf(log)
    const scene = new Scene(script, speeches)
    this.scene = scene
    this.definitions = script.definitions
    this.startAgentAs(script.main)
    this.nextIds.set('c', conversationId)
    const { maxTurns, permissionMode } = script.main
    must(
      await this.runtime.dispatch({
        type: 'conversation.create',
        folder,
        model: script.main.model,
        permissionMode,
        maxTurns,
      }),
    )
    must(await this.runtime.dispatch({ type: 'conversation.rename', conversationId, title }))
    if (script.interrupted.size > 0) await this.interrupt(log, script.interrupted)
    const { content } = script.firstMessage
    must(await this.runtime.dispatch({ type: 'conversation.send', conversationId, agentId: null, content }))
    await scene.played
    await this.replayUserCommands(log)
    this.time = null
  }

  /** Closes the conversation as if its process had died while these agents worked. The next message opens it again. */
  private async interrupt(
    { conversationId, events }: SampleLog,
    agentIds: ReadonlySet<string>,
  ): Promise<void> {
    must(await this.runtime.dispatch({ type: 'conversation.trash', conversationId }))
    must(await this.store.restore(conversationId))
    const record = must(await this.store.read(conversationId))
    this.store.records.set(conversationId, { ...record, agentIds: [...record.agentIds, ...agentIds] })
    this.append(events.filter(({ agentId, type }) => agentIds.has(agentId) && type !== 'agent-ended'))
  }

  private append(events: readonly AgentEvent[]): void {
    for (const event of events) {
      const known = this.store.logs.get(event.agentId)
      if (known) known.push(event)
      else this.store.logs.set(event.agentId, [event])
    }
  }

  private async replayUserCommands({ conversationId, events }: SampleLog): Promise<void> {
    for (const event of events) {
      const { agentId } = event
      if (event.type === 'moved-to-background')
        must(await this.runtime.dispatch({ type: 'agent.toBackground', conversationId, agentId }))
      if (event.type === 'agent-spawned' && event.parentId !== null && differs(event.limits))
        must(
          await this.runtime.dispatch({
            type: 'agent.setLimits',
            conversationId,
            agentId,
            limits: event.limits,
          }),
        )
    }
  }

  private startAgentAs({ agentId, at }: AgentEvent): void {
    this.nextIds.set('a', agentId)
    this.time = at
  }

  private backingOf(agent: BackedAgent): SceneAgent | null {
    const { id } = agent
    const { scene } = this
    if (id === scene?.script.main.agentId) scene.main = agent
    if (agent.state().parentId === null) return null
    return new SceneAgent(agent, {
      takeHistory: () => scene?.takeHistory(id) ?? [],
      speechOf: () => scene?.speeches.get(id) ?? null,
      setTime: (at) => {
        this.time = at
      },
      ready: () => scene?.ready(id),
      stepMs: this.options.stepMs,
    })
  }

  private ports(): Partial<Ports> {
    const { store } = this
    return {
      store,
      clock: { now: () => this.time ?? Date.now(), sleep },
      ids: {
        next: (prefix) => {
          const given = this.nextIds.get(prefix)
          this.nextIds.delete(prefix)
          this.created += 1
          return given ?? `${prefix}-${this.created}`
        },
      },
      model: { request: (request, options) => this.reply(request, options) },
      models: {
        resolve: (name) => (name.startsWith('claude-') ? name : `claude-${name}-4-5`),
        facts: (id) => ({
          id,
          price: { input: PRICE, output: PRICE, cacheRead: PRICE, cacheWrite: PRICE },
          contextTokens: 200_000,
        }),
      },
      files: {
        stat: async () => ok({ kind: 'folder', size: 0, mtimeMs: 0 }),
        read: async (path) => fail({ type: 'not-found', message: `${path} does not exist.` }),
        write: async () => ok({ kind: 'file', size: 0, mtimeMs: 0 }),
        realPath: async (path) => ok(path),
      },
      interceptors: { list: async ({ id }) => (id === this.scene?.script.main.agentId ? [this.pacing] : []) },
    }
  }

  /** Starts the agents of a message one after another, and holds a call until the log's next reply is due. */
  private readonly pacing: Interceptor = {
    source: 'scene',
    timeLimitMs: 60_000,
    handlers: {
      'tool-call': async ({ toolUseId }) => {
        const child = this.scene?.script.children.get(toolUseId)
        if (child === undefined) return null
        await this.scene?.turnOf(child.agentId)
        this.startAgentAs(child)
        return null
      },
      'tool-result': async ({ tool }) => {
        if (tool !== 'Agent') await this.scene?.untilNextReply()
        return null
      },
    },
  }

  private readonly reply: ModelClient['request'] = async (request, { signal, onDelta }) => {
    const { scene } = this
    const isScene = scene !== null && JSON.stringify(request.messages[0]).includes(scene.firstText)
    const next = isScene ? scene.takeReply() : null
    if (next) {
      this.time = next.message.at
      void scene?.addRemarks(next, (at) => {
        this.time = at
      })
      const { messageId, model, usage } = next.message
      const stopReason = next.content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'
      return ok({ id: messageId, model, content: next.content, stopReason, usage, pace: [] })
    }
    if (isScene && !scene.isPlayed) {
      scene.finish()
      // The log ends while the main agent works.
      await aborted(signal)
      return fail({ type: 'aborted', message: 'aborted', status: null, retryAfterMs: null })
    }
    onDelta({ index: 0, kind: 'text', name: '', append: ANSWER })
    return ok({ ...blankReply, id: `msg-${++this.created}`, model: request.model })
  }
}

type Gate = ReturnType<typeof gate>

/** A log while it is played. */
class Scene {
  readonly script: SceneScript
  readonly speeches: ReadonlyMap<string, Speech>
  readonly played: Promise<void>
  main: BackedAgent | null = null
  isPlayed = false
  private nextReply = 0
  private readonly starts = new Map<string, Gate>()
  private readonly ends = new Map<string, Gate>()
  private readonly playing = new Set<string>()
  private lastStart = Promise.resolve()
  private resolvePlayed: () => void = () => {}

  constructor(script: SceneScript, speeches: ReadonlyMap<string, Speech>) {
    this.script = script
    this.speeches = speeches
    this.played = new Promise((resolve) => {
      this.resolvePlayed = resolve
    })
  }

  get firstText(): string {
    const [first] = this.script.firstMessage.content
    return first?.type === 'text' ? first.text : ''
  }

  takeHistory(agentId: string): readonly AgentEvent[] {
    if (this.playing.has(agentId)) return []
    this.playing.add(agentId)
    return this.script.historyOf(agentId)
  }

  /** Resolves when every agent of an earlier call is ready. */
  async turnOf(agentId: string): Promise<void> {
    const before = this.lastStart
    this.lastStart = before.then(() => entry(this.starts, agentId).opened)
    await before
  }

  ready(agentId: string): void {
    entry(this.starts, agentId).open()
  }

  ended(agentId: string): void {
    this.ready(agentId)
    entry(this.ends, agentId).open()
  }

  takeReply(): ScriptedReply | null {
    return this.script.replies[this.nextReply++] ?? null
  }

  async untilNextReply(): Promise<void> {
    const after = this.script.replies[this.nextReply]?.after ?? []
    await Promise.all(after.map((agentId) => entry(this.ends, agentId).opened))
    await sleep(0)
  }

  /** Adds the messages that the log has between the calls of a reply. After the last reply the log is played. */
  async addRemarks(reply: ScriptedReply, setTime: (at: number) => void): Promise<void> {
    const calls = reply.content.filter((block) => block.type === 'tool_use' && block.name === 'Agent')
    if (calls.length === 0) return
    await Promise.all(
      calls.map((call) => {
        const child = call.type === 'tool_use' ? this.script.children.get(call.id) : undefined
        return child && entry(this.starts, child.agentId).opened
      }),
    )
    reply.remarks.forEach((event, seq) => {
      setTime(event.at)
      const { agentId } = event
      this.main?.ingest({ agentId, backing: 'loop', epoch: 0 }, { ...event, seq })
    })
    if (this.nextReply >= this.script.replies.length) this.finish()
  }

  finish(): void {
    this.isPlayed = true
    this.resolvePlayed()
  }
}

const ANSWER = 'Understood.'

const blankReply: Omit<ModelReply, 'id' | 'model'> = {
  content: [{ type: 'text', text: ANSWER }],
  stopReason: 'end_turn',
  usage: { input: 300, output: 10, cacheRead: 2600, cacheWrite: 120 },
  pace: [],
}

const lockedByOther = {
  type: 'locked',
  message: 'Another program holds this conversation. You can read it here, but not continue it.',
}

function entry(entries: Map<string, Gate>, agentId: string): Gate {
  const found = entries.get(agentId) ?? gate()
  entries.set(agentId, found)
  return found
}

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.failure.message)
  return result.value
}

function differs(limits: SpendLimits): boolean {
  return (Object.keys(noLimits) as (keyof SpendLimits)[]).some((key) => limits[key] !== subagentLimits[key])
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
