/** A made-up main process: holds conversations and settings in memory and answers every command of the contract. */

import { DefinitionFolder } from '../../src/renderer/features/definition-editor/testing/definition-folder.ts'
import { ReviewWorld } from '../../src/renderer/features/review/testing/review-world.ts'
import { Refusal } from '../../src/renderer/testing/refusal.ts'
import { stableColor } from '../../src/shared/agent-definition/agent-color.ts'
import { readDefinition } from '../../src/shared/agent-definition/read-definition.ts'
import type { AgentEvent, LiveEvent, PermissionMode } from '../../src/shared/agent-event.ts'
import { type AgentState, foldAgent, isLive } from '../../src/shared/agent-state.ts'
import type { ConversationRecord } from '../../src/shared/conversation.ts'
import type {
  AccessInfo,
  Answer,
  CommandInput,
  CommandName,
  CommandOutput,
  ConversationSummary,
  DefinitionChange,
  DefinitionInfo,
  FolderInfo,
  QueuedMessage,
  TroupeBridge,
  WindowDelta,
} from '../../src/shared/ipc-contract.ts'
import { defaultSettings, type Settings } from '../../src/shared/settings.ts'
import {
  continueAgent,
  definitionChange,
  moveToBackground,
  pauseAgent,
  renewDefinition,
  stopAgent,
} from './lifecycle.ts'
import { ConversationLog } from './log.ts'

export interface Conversation {
  record: ConversationRecord
  readonly log: ConversationLog
  agents: Map<string, AgentState>
  queued: QueuedMessage[]
  /** What each agent streams at this moment. */
  live: Map<string, LiveEvent[]>
  readOnly: boolean
  /** Of agents whose definition is another one by now. */
  changedDefinitions: Map<string, DefinitionChange>
}

type Handlers = {
  readonly [N in CommandName]: (input: CommandInput<N>) => CommandOutput<N> | Promise<CommandOutput<N>>
}

export class World {
  settings: Settings = { ...defaultSettings, access: { kind: 'api' } }
  access: AccessInfo = { kind: 'api', keySource: 'key-store', keyStoreSafe: true, baseUrl: '' }
  folder: FolderInfo | null = folderAt('/home/ada/src/checkout-service')
  definitions: readonly DefinitionInfo[] = []
  files: readonly string[] = []
  readonly definitionFolder = new DefinitionFolder()
  readonly review = new ReviewWorld(() => this.folder?.path ?? '')
  /** Pushed as soon as the window listens. */
  atStart: readonly WindowDelta[] = []
  readonly conversations = new Map<string, Conversation>()
  private readonly trash = new Map<string, Conversation>()
  private readonly listeners = new Set<(deltas: readonly WindowDelta[]) => void>()
  private waiting: WindowDelta[] = []
  private subscribed: string | null = null
  private watched: ReadonlySet<string> = new Set()
  private made = 0

  readonly bridge: TroupeBridge = {
    command: async <N extends CommandName>(
      name: N,
      input: CommandInput<N>,
    ): Promise<Answer<CommandOutput<N>>> => {
      const handler = this.handlers[name] as (
        input: CommandInput<N>,
      ) => CommandOutput<N> | Promise<CommandOutput<N>>
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

  add(log: ConversationLog, record: Partial<ConversationRecord> & { readonly title: string }): Conversation {
    const id = log.conversationId
    const conversation: Conversation = {
      record: {
        v: 1,
        id,
        folder: this.folder?.path ?? '/home/ada/src/checkout-service',
        named: false,
        mainAgentId: 'main',
        agentIds: [],
        limits: null,
        createdAt: log.events[0]?.at ?? Date.now(),
        updatedAt: log.events.at(-1)?.at ?? Date.now(),
        rehearsal: this.access.kind === 'rehearsal',
        scratch: false,
        queued: [],
        ...record,
      },
      log,
      agents: new Map(),
      queued: [],
      live: new Map(),
      readOnly: false,
      changedDefinitions: new Map(),
    }
    for (const event of log.events) foldInto(conversation, event)
    this.conversations.set(id, conversation)
    return conversation
  }

  /** Shows what was written to a log since `from` to whoever is subscribed. */
  publish(conversation: Conversation, from: number): void {
    for (const event of conversation.log.events.slice(from)) {
      foldInto(conversation, event)
      if (event.type === 'assistant-message') conversation.live.delete(event.agentId)
      if (this.subscribed === conversation.record.id)
        this.push({ type: 'event', conversationId: conversation.record.id, event })
    }
    conversation.record = { ...conversation.record, updatedAt: Date.now() }
    this.push({ type: 'conversation', summary: summaryOf(conversation) })
  }

  /** Writes events and shows them at once. */
  act(conversation: Conversation, write: (log: ConversationLog) => void): void {
    const from = conversation.log.events.length
    conversation.log.now = Date.now()
    write(conversation.log)
    this.publish(conversation, from)
  }

  stream(conversation: Conversation, event: LiveEvent): void {
    const live = conversation.live.get(event.agentId) ?? []
    conversation.live.set(event.agentId, event.type === 'live-clear' ? [] : [...live, event])
    if (this.subscribed === conversation.record.id && this.watched.has(event.agentId))
      this.push({ type: 'live', conversationId: conversation.record.id, event })
  }

  push(delta: WindowDelta): void {
    if (this.waiting.length === 0) requestAnimationFrame(() => this.flush())
    this.waiting.push(delta)
  }

  private flush(): void {
    const deltas = this.waiting
    this.waiting = []
    if (deltas.length > 0) for (const listener of this.listeners) listener(deltas)
  }

  private conversation(id: string): Conversation {
    const found = this.conversations.get(id)
    if (found === undefined)
      throw new Refusal('This conversation is no longer there. It was deleted or moved by another program.')
    return found
  }

  private setFolder(folder: FolderInfo): FolderInfo {
    this.folder = folder
    this.push({ type: 'folder', folder })
    return folder
  }

  private readonly handlers: Handlers = {
    ...this.review.handlers,
    'agent.pause': ({ conversationId, agentId }) =>
      pauseAgent(this, this.conversation(conversationId), agentId),
    'agent.continue': ({ conversationId, agentId }) =>
      continueAgent(this, this.conversation(conversationId), agentId),
    'agent.toBackground': ({ conversationId, agentId }) =>
      moveToBackground(this, this.conversation(conversationId), agentId),
    'agent.definitionChange': ({ conversationId, agentId }) =>
      definitionChange(this.conversation(conversationId), agentId),
    'agent.setLimits': ({ conversationId, agentId, limits }) =>
      void this.act(this.conversation(conversationId), (log) =>
        log.write(agentId, { type: 'limits-changed', limits }),
      ),
    'agent.renew': ({ conversationId, agentId }) =>
      renewDefinition(this, this.conversation(conversationId), agentId),
    'agent.stop': ({ conversationId, agentId }) =>
      stopAgent(this, this.conversation(conversationId), agentId),
    'conversation.retryLog': () => this.push({ type: 'log-trouble', troubles: [] }),
    'conversation.setLimits': ({ conversationId, limits }) => {
      const conversation = this.conversation(conversationId)
      conversation.record = { ...conversation.record, limits }
      return summaryOf(conversation)
    },
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
    'folder.definitions': () => ({ definitions: this.definitions, problems: [] }),
    'folder.files': ({ query }) =>
      this.files.filter((file) => file.toLowerCase().includes(query.toLowerCase())).slice(0, 50),
    'conversation.list': () => [...this.conversations.values()].map(summaryOf),
    'conversation.create': ({ folder }) => {
      this.made += 1
      const log = new ConversationLog(`new-${this.made}`, Date.now())
      log.spawn({ id: `main-new-${this.made}`, name: 'main', color: 'neutral', task: '', maxTurns: 100 })
      log.status(`main-new-${this.made}`, 'waiting', 'message')
      const conversation = this.add(log, {
        title: 'New conversation',
        folder,
        mainAgentId: `main-new-${this.made}`,
      })
      return summaryOf(conversation)
    },
    'conversation.rename': ({ conversationId, title }) => {
      const conversation = this.conversation(conversationId)
      conversation.record = { ...conversation.record, title, named: true }
      this.push({ type: 'conversation', summary: summaryOf(conversation) })
    },
    'conversation.trash': ({ conversationId }) => {
      this.trash.set(conversationId, this.conversation(conversationId))
      this.conversations.delete(conversationId)
      this.push({ type: 'conversation-gone', conversationId })
    },
    'conversation.restore': ({ conversationId }) => {
      const found = this.trash.get(conversationId)
      if (found === undefined) throw new Refusal('It is no longer in the trash.')
      this.conversations.set(conversationId, found)
      return summaryOf(found)
    },
    'conversation.subscribe': ({ conversationId }) => {
      const conversation = this.conversation(conversationId)
      this.subscribed = conversationId
      return {
        record: conversation.record,
        readOnly: conversation.readOnly,
        agents: [...conversation.agents.values()],
        queued: conversation.queued,
        order: conversation.log.events.at(-1)?.order ?? 0,
      }
    },
    'conversation.unsubscribe': () => undefined,
    'conversation.send': ({ conversationId, agentId, text }) =>
      this.send(this.conversation(conversationId), agentId, text),
    'conversation.unqueue': ({ conversationId, messageId }) => {
      const conversation = this.conversation(conversationId)
      const found = conversation.queued.find((message) => message.messageId === messageId)
      if (found === undefined) throw new Refusal('The agent has read this message already.')
      this.setQueue(
        conversation,
        conversation.queued.filter((message) => message !== found),
      )
      return { text: found.text }
    },
    'conversation.stop': ({ conversationId }) => {
      const conversation = this.conversation(conversationId)
      for (const agentId of conversation.agents.keys()) stopAgent(this, conversation, agentId)
    },
    'conversation.setMode': ({ conversationId, permissionMode }) => {
      const conversation = this.conversation(conversationId)
      this.act(conversation, (log) =>
        log.write(conversation.record.mainAgentId, {
          type: 'permission-mode-changed',
          permissionMode: permissionMode as PermissionMode,
        }),
      )
    },
    'conversation.setModel': ({ conversationId, model }) => {
      const conversation = this.conversation(conversationId)
      this.act(conversation, (log) =>
        log.write(conversation.record.mainAgentId, { type: 'model-changed', model }),
      )
    },
    'agent.answer': ({ conversationId, agentId, promptId, decision, words }) => {
      const conversation = this.conversation(conversationId)
      const prompt = conversation.agents.get(agentId)?.prompts.find((other) => other.promptId === promptId)
      if (prompt === undefined) throw new Refusal('This question was answered already.')
      this.act(conversation, (log) => {
        log.write(agentId, {
          type: 'permission-answered',
          promptId,
          toolUseId: prompt.toolUseId,
          decision,
          words,
        })
        log.status(agentId, 'running')
      })
    },
    'agent.transcript': ({ conversationId, agentId, before, limit }) => {
      const conversation = this.conversation(conversationId)
      const all = conversation.log.events.filter(
        (event) => event.agentId === agentId && (before === null || event.seq < before),
      )
      const events = all.slice(-limit)
      return { events, older: all.length > events.length, live: conversation.live.get(agentId) ?? [] }
    },
    'agent.watch': ({ agentIds }) => {
      this.watched = new Set(agentIds)
    },
    'agent.toolOutput': () => 'the whole output\n'.repeat(400),
    'definition.library': () => this.definitionFolder.library(this.folder?.trusted === true),
    'definition.open': ({ id }) => this.definitionFolder.open(id),
    'definition.save': ({ id, text, version }) => this.written(this.definitionFolder.save(id, text, version)),
    'definition.create': ({ source, path, text }) =>
      this.written(this.definitionFolder.create(source, path, text)),
    'definition.move': ({ id, path }) => this.written(this.definitionFolder.move(id, path)),
    'definition.trash': ({ id }) => this.written(this.definitionFolder.trash(id)),
    'definition.restore': ({ trashId }) => this.written(this.definitionFolder.restore(trashId)),
    'definition.tryOut': ({ text }) => this.tryOut(text),
    'definition.draft': () => this.draft(),
    'definition.stopDraft': () => {
      this.stopDraft()
    },
    'statusLine.test': () => ({ output: 'main ±3', problem: null, exitCode: 0, ms: 12 }),
    'settings.change': ({ patch }) => {
      this.settings = { ...this.settings, ...patch } as Settings
      return this.settings
    },
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

  private tryOut(text: string): ConversationSummary {
    const { definition, diagnostics } = readDefinition(text, { stem: 'agent', source: 'the editor' })
    if (definition === null)
      throw new Refusal(`This can’t be tried out yet. Line 1: ${diagnostics[0]?.message ?? ''}`)
    this.made += 1
    const id = `try-${this.made}`
    const log = new ConversationLog(id, Date.now())
    log.spawn({
      id: `main-${id}`,
      name: definition.name,
      color: stableColor(definition.color, definition.name),
      task: '',
    })
    log.status(`main-${id}`, 'waiting', 'message')
    return summaryOf(this.add(log, { title: definition.name, mainAgentId: `main-${id}`, scratch: true }))
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

  private send(
    conversation: Conversation,
    agentId: string | null,
    text: string,
  ): { messageId: string; queued: boolean } {
    if (conversation.readOnly)
      throw new Refusal('Another program holds this conversation. It can be read here, not continued.')
    const id = agentId ?? conversation.record.mainAgentId
    const agent = conversation.agents.get(id)
    this.made += 1
    const messageId = `sent-${this.made}`
    if (agent !== undefined && isLive(agent)) {
      this.setQueue(conversation, [
        ...conversation.queued,
        { messageId, agentId: id, text, from: 'user', sender: null },
      ])
      return { messageId, queued: true }
    }
    if (!conversation.record.named && conversation.record.title === 'New conversation')
      conversation.record = { ...conversation.record, title: text.slice(0, 60) }
    this.act(conversation, (log) => {
      log.status(id, 'running')
      log.told(id, text, 'user')
    })
    return { messageId, queued: false }
  }

  setQueue(conversation: Conversation, queued: QueuedMessage[]): void {
    conversation.queued = queued
    this.push({ type: 'queue', conversationId: conversation.record.id, queued })
  }
}

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

function summaryOf({ record, agents, readOnly }: Conversation): ConversationSummary {
  const states = [...agents.values()]
  return {
    id: record.id,
    folder: record.folder,
    title: record.title,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    rehearsal: record.rehearsal,
    scratch: record.scratch,
    running: states.filter(isLive).length,
    prompts: states.reduce((sum, agent) => sum + agent.prompts.length, 0),
    readOnly,
    limits: record.limits ?? { tokens: 50_000_000, usd: 20, ms: null, spawns: null },
  }
}

function foldInto(conversation: Conversation, event: AgentEvent): void {
  const after = foldAgent(conversation.agents.get(event.agentId) ?? null, event)
  if (after !== null) conversation.agents.set(event.agentId, after)
}
