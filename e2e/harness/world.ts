/** Answers every command of the window: the real runtime runs the agents, everything else is in memory. */
import { defaultsBySettings } from '../../src/main/features/conversations/conversation-handlers.ts'
import type { Runtime, RuntimeDelta, RuntimeHandlers } from '../../src/main/runtime/ports/runtime.ts'
import { DefinitionFolder } from '../../src/renderer/features/definitions/testing/definition-folder.ts'
import { ReviewWorld } from '../../src/renderer/features/worktrees/testing/review-world.ts'
import { Refusal } from '../../src/renderer/testing/refusal.ts'
import type { DefinitionInfo } from '../../src/shared/agent-definition/agent-catalog.ts'
import { readDefinition } from '../../src/shared/agent-definition/read-definition.ts'
import type { LiveEvent } from '../../src/shared/events/agent-event.ts'
import type { ProgramState } from '../../src/shared/external-agents/known-program.ts'
import {
  type Answer,
  type CommandInput,
  type CommandName,
  type CommandOutput,
  commands,
  type TroupeBridge,
} from '../../src/shared/ipc/ipc-contract.ts'
import type { WindowDelta } from '../../src/shared/ipc/window-delta.ts'
import type { Result } from '../../src/shared/kernel/result.ts'
import type { AccessInfo } from '../../src/shared/models/model-access.ts'
import { defaultSettings, type Settings } from '../../src/shared/settings/settings.ts'
import type { ConversationSnapshot } from '../../src/shared/state/conversation-snapshot.ts'
import type { ConversationSummary } from '../../src/shared/state/conversation-summary.ts'
import type { FolderInfo } from '../../src/shared/window/contract.ts'
import type { MailboxInfo } from '../../src/shared/workers/contract.ts'
import { noWorkers, type WorkersState } from '../../src/shared/workers/worker-presence.ts'
import type { ConversationLog } from './log.ts'
import { programHandlers } from './programs.ts'
import { ruleHandlers } from './rules.ts'
import { SceneRuntime } from './scene-runtime.ts'
import type { Speech } from './speech.ts'

type Handlers = {
  readonly [N in CommandName]: (input: CommandInput<N>) => CommandOutput<N> | Promise<CommandOutput<N>>
}

const noChanges = (): never => {
  throw new Refusal('No changes of agents are recorded here.', 'not-found')
}

const noServer = (): never => {
  throw new Refusal('The harness has no MCP servers.', 'no-mcp')
}

export class World {
  settings: Settings = { ...defaultSettings, access: { kind: 'api' } }
  access: AccessInfo = { kind: 'api', keySource: 'key-store', keyStoreSafe: true, baseUrl: '' }
  folder: FolderInfo | null = folderAt('/home/ada/src/checkout-service')
  definitions: readonly DefinitionInfo[] = []
  files: readonly string[] = []
  workers: WorkersState = noWorkers
  mailboxes: readonly MailboxInfo[] = []
  programs: readonly ProgramState[] = []
  /** A prepared conversation that no runtime runs, by its id. */
  readonly prepared = new Map<string, ConversationSnapshot>()
  readonly definitionFolder = new DefinitionFolder()
  readonly review = new ReviewWorld(() => this.folder?.path ?? '')
  /** Pushed as soon as the window listens. */
  atStart: readonly WindowDelta[] = []
  /** Pushed when the window has first opened a conversation. */
  readonly afterOpening: WindowDelta[] = []
  /** Resolves when the scene is prepared; every command waits for it. */
  ready: Promise<void> = Promise.resolve()
  readonly scenes: SceneRuntime
  private readonly handlers: Handlers
  /** The streaming blocks of each subagent. */
  private readonly live = new Map<string, LiveEvent[]>()
  private readonly listeners = new Set<(deltas: readonly WindowDelta[]) => void>()
  private waiting: WindowDelta[] = []
  private subscribed: string | null = null
  private watched: ReadonlySet<string> = new Set()

  /** `stepMs`: how long an agent continues before a pause takes effect. */
  constructor({ stepMs = 1500 } = {}) {
    this.scenes = new SceneRuntime({
      stepMs,
      bypassAllowed: () => this.folder?.bypassAllowed ?? false,
      defaults: (folder) =>
        defaultsBySettings({
          settings: { current: this.settings },
          isTrusted: () => this.folder?.trusted ?? false,
          isRehearsal: () => this.access.kind === 'rehearsal',
        })(folder),
      stream: (conversationId, event) => this.stream(conversationId, event),
    })
    this.runtime.subscribe((delta) => this.publish(delta))
    this.handlers = { ...accepted(this.runtime.handlers), ...this.own }
  }

  private get runtime(): Runtime {
    return this.scenes.runtime
  }

  readonly bridge: TroupeBridge = {
    command: async <N extends CommandName>(
      name: N,
      input: CommandInput<N>,
    ): Promise<Answer<CommandOutput<N>>> => {
      const handler = this.handlers[name] as (
        input: CommandInput<N>,
      ) => CommandOutput<N> | Promise<CommandOutput<N>>
      await this.ready
      try {
        const value = await handler(structuredClone(input))
        this.flush()
        return structuredClone({ ok: true, value })
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown
        return { ok: false, failure: { type: thrown.type, message: thrown.message } }
      }
    },
    onDeltas: (listener) => {
      this.listeners.add(listener)
      return () => this.listeners.delete(listener)
    },
    pathOf: (file) => `/home/ada/src/checkout-service/${file.name}`,
  }

  /** Adds a conversation without working agents. */
  keep(log: ConversationLog, title: string): void {
    this.scenes.keep(log, title, this.folderPath)
  }

  /** Creates the conversation of a log and lets its agents work up to the end of the log. */
  play(
    log: ConversationLog,
    title: string,
    speeches: ReadonlyMap<string, Speech> = new Map(),
  ): Promise<void> {
    return this.scenes.play(log, { title, folder: this.folderPath, speeches })
  }

  stream(conversationId: string, event: LiveEvent): void {
    const live = this.live.get(event.agentId) ?? []
    this.live.set(event.agentId, event.type === 'live-clear' ? [] : [...live, event])
    this.publish({ type: 'live', conversationId, event })
  }

  private publish(delta: RuntimeDelta): void {
    if (delta.type === 'write-failure') return
    if (delta.type === 'event' || delta.type === 'live') {
      const { event } = delta
      if (event.type === 'assistant-message' || event.type === 'agent-ended') this.live.delete(event.agentId)
      if (this.subscribed !== delta.conversationId) return
      if (delta.type === 'live' && !this.watched.has(event.agentId)) return
    }
    if (delta.type === 'conversation-event' && this.subscribed !== delta.conversationId) return
    this.push(delta)
  }

  private get folderPath(): string {
    return this.folder?.path ?? '/home/ada/src/checkout-service'
  }

  push(delta: WindowDelta): void {
    if (this.waiting.length === 0) setTimeout(() => this.flush(), FRAME_MS)
    this.waiting.push(delta)
  }

  private flush(): void {
    const deltas = this.waiting
    this.waiting = []
    if (deltas.length > 0) for (const listener of this.listeners) listener(deltas)
  }

  private setFolder(folder: FolderInfo): FolderInfo {
    this.folder = folder
    this.push({ type: 'folder', folder })
    return folder
  }

  /** What the harness answers by itself. */
  private readonly own: Omit<Handlers, keyof RuntimeHandlers> & Partial<Handlers> = {
    ...this.review.handlers,
    'conversation.retryLog': () => this.push({ type: 'write-failure', failures: [] }),
    start: () => {
      for (const delta of this.atStart) this.push(delta)
      this.review.onChange = (snapshot) => this.push({ type: 'review', snapshot })
      this.push({ type: 'review', snapshot: this.review.snapshot() })
      return {
        version: '0.1.0',
        platform: 'linux',
        dataFolder: '/home/ada/.local/share/troupe',
        settings: this.settings,
        access: this.access,
        folder: this.folder,
        coordinatorMode: null,
        electron: '',
      }
    },
    'folder.pick': () => this.setFolder(folderAt('/home/ada/src/new-service', { trusted: false })),
    'folder.open': ({ path }) => {
      if (path.includes('missing'))
        throw new Refusal(`${path} is not there any more. It was moved or deleted; choose another folder.`)
      return this.setFolder(this.folder?.path === path ? this.folder : folderAt(path))
    },
    'folder.sample': () => this.setFolder(folderAt('/home/ada/Troupe sample', { trusted: true })),
    'folder.trust': ({ trusted }) => this.setFolder({ ...(this.folder ?? folderAt('/')), trusted }),
    'folder.bypass': ({ path, allowed }) => ({
      ...(this.folder ?? folderAt(path)),
      path,
      bypassAllowed: allowed,
    }),
    'folder.contents': () => ({
      agents: 3,
      skills: 1,
      commands: 2,
      hooks: 2,
      mcpServers: 1,
      instructions: ['CLAUDE.md'],
    }),
    'folder.definitions': () => ({
      definitions: this.definitions,
      problems: this.definitionFolder
        .catalog(this.folder?.trusted === true)
        .entries.filter(({ state }) => state === 'waits')
        .map(({ id }) => ({ file: id, message: 'It waits for your approval.', waits: true as const })),
    }),
    'folder.files': ({ query }) =>
      this.files.filter((file) => file.toLowerCase().includes(query.toLowerCase())).slice(0, 50),
    'draft.list': () => [],
    'trash.list': () => [],
    'trash.delete': () => undefined,
    'draft.save': () => undefined,
    'conversation.list': () => this.runtime.conversations(),
    'conversation.subscribe': async ({ conversationId }) => {
      const snapshot =
        this.prepared.get(conversationId) ?? accept(await this.runtime.snapshot(conversationId))
      this.subscribed = conversationId
      for (const delta of this.afterOpening.splice(0)) this.push(delta)
      return snapshot
    },
    'conversation.unsubscribe': () => undefined,
    'conversation.compact': () => undefined,
    'agent.transcript': async ({ agentId, before, limit }) => {
      const { events } = accept(await this.scenes.store.page(agentId, { before, limit }))
      const older = (events[0]?.seq ?? 0) > 0
      return { events, older, live: this.live.get(agentId) ?? this.runtime.live(agentId) }
    },
    'agent.watch': ({ agentIds }) => {
      this.watched = new Set(agentIds)
    },
    'definition.catalog': () => this.definitionFolder.catalog(this.folder?.trusted === true),
    'definition.open': ({ id }) => this.definitionFolder.open(id),
    'definition.pending': ({ id }) => this.definitionFolder.pending(id),
    'definition.approve': ({ id, version }) => {
      this.definitionFolder.approve(id, version)
    },
    'definition.save': ({ id, text, version }) => this.written(this.definitionFolder.save(id, text, version)),
    'definition.create': ({ source, path, text }) =>
      this.written(this.definitionFolder.create(source, path, text)),
    'definition.move': ({ id, path }) => this.written(this.definitionFolder.move(id, path)),
    'definition.trash': ({ id, unsaved }) => this.written(this.definitionFolder.trash(id, unsaved)),
    'definition.restore': ({ trashId }) => this.written(this.definitionFolder.restore(trashId)),
    'definition.listTrash': () => this.definitionFolder.listTrash(),
    'definition.readTrashed': ({ trashId }) => this.definitionFolder.readTrashed(trashId),
    'definition.deleteTrashed': ({ trashIds }) => this.definitionFolder.deleteTrashed(trashIds),
    'definition.tryOut': ({ folder, text, worktree }) => this.tryOut(folder, text, worktree),
    'definition.draft': () => this.draft(),
    'definition.stopDraft': () => {
      this.stopDraft()
    },
    'statusLine.test': () => ({ output: 'main ±3', problem: null, exitCode: 0, ms: 12 }),
    'workers.state': () => this.workers,
    'workers.test': () => [
      {
        what: 'server',
        outcome: 'ok',
        text: 'nats-server 2.9.10 at tls://nats.example.org:4222, with TLS, with JetStream',
      },
    ],
    'mailboxes.list': () => this.mailboxes,
    // The harness has one page, and no servers.
    'agentWindow.open': () => {},
    'agentWindow.close': () => {},
    // The harness has no files that agents could change.
    'changes.list': ({ conversationId }) => ({
      ...{ conversationId, agents: [], messages: [], calls: [], user: [], redo: null },
      kept: { days: 30, bytes: 0 },
    }),
    'changes.space': () => ({ bytes: 0 }),
    'changes.clean': () => ({ bytes: 0 }),
    'changes.history': () => null,
    'changes.file': noChanges,
    'changes.preview': noChanges,
    'changes.undo': noChanges,
    'changes.previewRedo': noChanges,
    'changes.redo': noChanges,
    'sandbox.state': () => ({ kind: 'on' }),
    'settings.origins': () => ({}),
    ...ruleHandlers(),
    'plugins.list': () => [],
    'plugins.add': () => [],
    'plugins.enable': () => [],
    'plugins.disable': () => [],
    'plugins.remove': () => [],
    'plugins.update': () => [],
    'setup.report': ({ folder }) => ({ folder, trusted: true, items: [] }),
    'setup.preview': () => ({ servers: [], rules: [], notes: [], digest: '' }),
    'setup.undoImport': ({ folder }) => ({ folder, trusted: true, items: [] }),
    'setup.import': ({ folder }) => ({ folder, trusted: true, items: [] }),
    'mcp.state': ({ folder }) => ({ folder, servers: [], problems: [] }),
    'mcp.approve': noServer,
    'mcp.refuse': noServer,
    'mcp.add': noServer,
    'mcp.remove': noServer,
    'mcp.reconnect': noServer,
    'mcp.test': noServer,
    'mcp.resources': () => [],
    ...programHandlers(this),
    'slash.list': () => [],
    'slash.expand': ({ line }) => ({
      kind: 'expanded',
      command: { name: line.slice(1), text: line, model: null },
    }),
    'hooks.state': () => ({ entries: [], problems: [], runs: [] }),
    'hooks.decide': () => undefined,
    'hooks.test': () => [],
    'settings.change': ({ patch }) => {
      this.settings = { ...this.settings, ...patch } as Settings
      return this.settings
    },
    'provider.save': ({ before, name, provider, key }) => {
      const { [before ?? name]: _, ...others } = this.settings.providers
      const entry = { ...provider, ...(key !== null && { key: name }) }
      this.settings = { ...this.settings, providers: { ...others, [name]: entry } }
      return this.settings
    },
    'provider.remove': ({ name }) => {
      const { [name]: _, ...others } = this.settings.providers
      this.settings = { ...this.settings, providers: others }
      return this.settings
    },
    'provider.probe': ({ model }) => ({ model, at: 0, ms: 10, checks: [] }),
    'access.set': (access) => {
      this.access =
        access.kind === 'api'
          ? { kind: 'api', keySource: 'key-store', keyStoreSafe: true, baseUrl: access.baseUrl }
          : { kind: access.kind, keySource: null, keyStoreSafe: true, baseUrl: '' }
      return this.access
    },
    'access.test': async ({ key }) => {
      await new Promise((resolve) => setTimeout(resolve, 600))
      if (key?.includes('wrong'))
        throw new Refusal(
          'The API refused this key (401: invalid x-api-key). Copy it again from console.anthropic.com.',
        )
      return { model: 'claude-haiku-4-5', ms: 412 }
    },
    'access.models': () => [
      { id: 'claude-sonnet-4-5', name: 'Claude Sonnet 4.5' },
      { id: 'claude-opus-4-1', name: 'Claude Opus 4.1' },
      { id: 'claude-haiku-4-5', name: 'Claude Haiku 4.5' },
    ],
    'system.openFile': () => undefined,
    'system.openSetup': () => undefined,
    'system.openTerminal': () => undefined,
    'system.reveal': () => undefined,
    'system.openLink': () => undefined,
    'system.notify': () => undefined,
  }

  /** Writes a file behind the window's back, as another program would; null deletes it. */
  changeOnDisk(id: string, text: string | null): void {
    this.written(this.definitionFolder.changeOnDisk(id, text))
  }

  private written<T>(answer: T): T {
    if (this.folder !== null) this.push({ type: 'definitions', folder: this.folder.path })
    return answer
  }

  private async tryOut(folder: string, text: string, worktree: boolean): Promise<ConversationSummary> {
    const { definition, diagnostics } = readDefinition(text, { stem: 'agent', source: 'the editor' })
    if (definition === null)
      throw new Refusal(`This can’t be tried out yet. Line 1: ${diagnostics[0]?.message ?? ''}`)
    const isolation = worktree ? ('worktree' as const) : null
    const tried = { ...definition, isolation, source: 'project', file: null } as const
    return accept(await this.runtime.tryOut({ folder, definition: tried }))
  }

  private stopDraft: () => void = () => {}

  private draft(): Promise<{ text: string }> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve({ text: DRAFT }), 2500)
      this.stopDraft = () => {
        clearTimeout(timer)
        reject(new Refusal('The draft was stopped.'))
      }
    })
  }
}

const FRAME_MS = 16

const DRAFT = `---
name: migration-checker
description: Checks database migrations before they are merged. It only reads.
tools: Read, Grep, Glob, Bash(git diff:*)
color: yellow
readOnly: true
---

You check migrations for locks, missing indexes and steps that can’t be taken back.
`

/** A folder as the main process would describe it. */
export function folderAt(path: string, more: Partial<FolderInfo> = {}): FolderInfo {
  const name = path.split('/').at(-1) ?? path
  return { path, name, trusted: true, gitBranch: 'main', dirtyFiles: 3, bypassAllowed: false, ...more }
}

/** Handlers of the program as the window calls them: the input is checked, and a failure is thrown. */
function accepted(handlers: RuntimeHandlers): Pick<Handlers, keyof RuntimeHandlers> {
  const taken = Object.entries(handlers).map(([name, handler]) => {
    const answer = handler as (input: unknown) => Promise<Result<unknown>>
    const { input: schema } = commands[name as keyof RuntimeHandlers]
    return [name, async (input: unknown) => accept(await answer(schema.parse(input)))]
  })
  return Object.fromEntries(taken)
}

/** The value, or the failure as the window receives it. */
function accept<T>(result: Result<T>): T {
  if (!result.ok) throw new Refusal(result.failure.message, result.failure.type)
  return result.value
}
