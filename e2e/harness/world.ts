/** Answers every command of the window: the real runtime runs the agents, everything else is in memory. */

import type { CommandCall, PageDispatch } from '../../src/main/desktop/commands/dispatch.ts'
import { settingsCommands } from '../../src/main/desktop/commands/settings-commands.ts'
import { streamCommands } from '../../src/main/desktop/commands/window-commands.ts'
import { type DeltaPort, DeltaStream } from '../../src/main/desktop/deltas/delta-stream.ts'
import { fakeProgram, fakeSettings } from '../../src/main/desktop/testing/fake-program.ts'
import { defaultsBySettings, listForWindow } from '../../src/main/features/conversations/feature.ts'
import { DefinitionFolder } from '../../src/renderer/features/definitions/testing/definition-folder.ts'
import { ReviewWorld } from '../../src/renderer/features/worktrees/testing/review-world.ts'
import { dispatchTo } from '../../src/renderer/testing/fake-bridge.ts'
import { emptyProgram, type FakeHandlers, Refusal } from '../../src/renderer/testing/fake-handlers.ts'
import type { DefinitionInfo } from '../../src/shared/agent-definition/agent-catalog.ts'
import { readDefinition } from '../../src/shared/agent-definition/read-definition.ts'
import type { AgentTestsSnapshot } from '../../src/shared/agent-tests/agent-tests.ts'
import type { ChangesList } from '../../src/shared/changes/changes.ts'
import type { KeyBindings } from '../../src/shared/commands/key-bindings.ts'
import type { EnvironmentsSnapshot, OutputLine } from '../../src/shared/environments/environments.ts'
import type { ConversationRecord } from '../../src/shared/events/conversation.ts'
import type { ProgramState } from '../../src/shared/external-agents/known-program.ts'
import type { HistorySource } from '../../src/shared/histories/history.ts'
import { type ConversationInsight, insightOf } from '../../src/shared/insight/insight.ts'
import type { CommandHandlers } from '../../src/shared/ipc/handlers.ts'
import type { CommandInput, CommandName, TroupeBridge } from '../../src/shared/ipc/ipc-contract.ts'
import type { WindowDelta } from '../../src/shared/ipc/window-delta.ts'
import { ok, type Result } from '../../src/shared/kernel/result.ts'
import type { AccessInfo } from '../../src/shared/models/model-access.ts'
import type { PullRequestView, PushPreview } from '../../src/shared/pull-requests/pull-request.ts'
import type { Settings } from '../../src/shared/settings/settings.ts'
import type { SharePreview } from '../../src/shared/sharing/sharing.ts'
import type { ConversationSummary } from '../../src/shared/state/conversation-summary.ts'
import type { SampleLog } from '../../src/shared/testing/sample-log.ts'
import type { TutorialState } from '../../src/shared/tutorial/tutorial.ts'
import type { FolderInfo } from '../../src/shared/window/contract.ts'
import type { MailboxInfo } from '../../src/shared/workers/contract.ts'
import { noWorkers, type WorkersState } from '../../src/shared/workers/worker-presence.ts'
import { agentTestHandlers } from './agent-tests.ts'
import { programHandlers } from './programs.ts'
import { ruleHandlers } from './rules.ts'
import { SceneConversations } from './scene-conversations.ts'
import { searchStore } from './search.ts'
import type { Speech } from './speech.ts'

const HOME_FOLDER = '/home/ada/src/checkout-service'

export class World {
  private keys: KeyBindings = {
    file: '/home/ada/.config/troupe/keybindings.json',
    bindings: {},
    problems: [],
  }
  private readonly stored = fakeSettings({ access: { kind: 'api' }, conversationUsd: 25, maxDepth: 2 })
  access: AccessInfo = { kind: 'api', keySource: 'key-store', keyStoreSafe: true, baseUrl: '' }
  folder: FolderInfo | null = folderAt(HOME_FOLDER)
  definitions: readonly DefinitionInfo[] = []
  files: readonly string[] = []
  workers: WorkersState = noWorkers
  mailboxes: readonly MailboxInfo[] = []
  programs: readonly ProgramState[] = []
  /** What agents changed, in any conversation. */
  changes: ChangesList | null = null
  /** What other agent programs keep. */
  histories: readonly HistorySource[] = []
  /** What Settings › Insight adds up. */
  insight: readonly ConversationInsight[] = []
  tutorial: TutorialState | null = null
  /** What an export would have in it; null: nothing. */
  exported: ((share: CommandInput<'sharing.preview'>) => SharePreview) | null = null
  readonly definitionFolder = new DefinitionFolder()
  readonly review = new ReviewWorld(() => this.folder?.path ?? '')
  environments: EnvironmentsSnapshot | null = null
  agentTests: AgentTestsSnapshot | null = null
  output: readonly OutputLine[] = []
  /** Pushed as soon as the window listens. */
  atStart: readonly WindowDelta[] = []
  /** Pushed when the window has first opened a conversation. */
  readonly afterOpening: WindowDelta[] = []
  readonly conversations: SceneConversations
  private readonly dispatch: PageDispatch
  private readonly deltas = new DeltaStream({ now: () => performance.now() })

  constructor() {
    const policy = {
      bypassAllowed: () => this.folder?.bypassAllowed ?? false,
      defaults: defaultsBySettings({
        settings: this.stored,
        isTrusted: () => this.folder?.trusted ?? false,
        isRehearsal: () => this.access.kind === 'rehearsal',
      }),
    }
    this.conversations = new SceneConversations(policy, (delta) => this.push(delta))
    this.dispatch = dispatchTo(() => this.others, this.own())
  }

  get settings(): Settings {
    return this.stored.current
  }
  set settings(settings: Settings) {
    this.stored.current = settings
  }

  /** As the main process and the preload answer a page. */
  readonly bridge: TroupeBridge = connectPage({
    dispatch: (...command) => this.dispatch(...command),
    stream: this.deltas,
    pathOf: (file) => `${HOME_FOLDER}/${file.name}`,
  })

  /** Adds a conversation without working agents. */
  keep(log: SampleLog, title: string, more: Partial<ConversationRecord> = {}): void {
    this.conversations.keep(log, { title, folder: this.folderPath, ...more })
  }

  /** Adds a conversation whose agents work. */
  show(
    log: SampleLog,
    more: Partial<ConversationRecord>,
    speeches: ReadonlyMap<string, Speech> = new Map(),
  ): void {
    const rehearsal = this.access.kind === 'rehearsal'
    this.conversations.show(log, { folder: this.folderPath, rehearsal, ...more }, speeches)
  }

  push(delta: WindowDelta): void {
    this.deltas.push(delta)
  }

  private get folderPath(): string {
    return this.folder?.path ?? HOME_FOLDER
  }

  private setFolder(folder: FolderInfo): FolderInfo {
    this.folder = folder
    this.push({ type: 'folder', folder })
    return folder
  }

  /** Answers of the program's own code, over the scene's runtime and its transcripts. */
  private own() {
    return {
      ...this.conversations.handlers,
      'conversation.list': listForWindow(this.conversations.window, Date.now),
      ...streamCommands({
        program: async () =>
          fakeProgram({ runtime: this.conversations.window, store: this.conversations.store }),
        subscriptions: {
          subscribed: () => {
            for (const delta of this.afterOpening.splice(0)) this.push(delta)
          },
          unsubscribed: () => {},
        },
      }),
      ...settingsCommands({ settings: this.stored }),
      'keys.state': async () => ok(this.keys),
      'keys.set': async ({ keys: chosen }: CommandInput<'keys.set'>) => {
        const first = Object.keys(this.keys.bindings).length + 2
        const added = Object.entries(chosen).map(
          ([id, keys], at) => [id, { keys, line: first + at }] as const,
        )
        this.keys = { ...this.keys, bindings: { ...this.keys.bindings, ...Object.fromEntries(added) } }
        return ok(this.keys)
      },
      'keys.reset': async ({ ids }: CommandInput<'keys.reset'>) => {
        const kept = Object.entries(this.keys.bindings).filter(([id]) => ids !== null && !ids.includes(id))
        this.keys = { ...this.keys, bindings: Object.fromEntries(kept) }
        return ok(this.keys)
      },
      'conversation.retryLog': async () => ok(this.push({ type: 'write-failure', failures: [] })),
      'conversation.compact': async () => ok(undefined),
    } satisfies Partial<CommandHandlers<[CommandCall]>>
  }

  /** The pull request of every worktree; null: none. */
  pullRequest: {
    readonly view: PullRequestView
    readonly preview: PushPreview
    readonly log: string
  } | null = null

  /** What else a scene answers by itself. */
  private readonly others: Omit<FakeHandlers, keyof ReturnType<World['own']>> &
    Pick<Required<FakeHandlers>, Exclude<CommandName, keyof ReturnType<World['own']>>> = {
    ...emptyProgram,
    ...this.review.handlers,
    ...this.definitionFolder.handlers(
      () => this.folder?.trusted === true,
      () => this.written(),
    ),
    ...ruleHandlers(),
    ...agentTestHandlers(this),
    ...programHandlers(this),
    'pullRequest.state': () => this.pullRequest?.view ?? emptyProgram['pullRequest.state'](),
    'pullRequest.preview': () => this.pullRequest?.preview ?? emptyProgram['pullRequest.preview'](),
    'pullRequest.log': () => this.pullRequest?.log ?? emptyProgram['pullRequest.log'](),
    'conversation.sizes': () => {
      const ids = [...this.conversations.store.records.keys()]
      return Object.fromEntries(ids.map((id, at) => [id, 400_000 + ((at * 977_000) % 9_000_000)]))
    },
    'review.conversations': () => ['kept-5', 'kept-7'],
    'history.list': ({ program }) =>
      this.histories.filter((source) => program === undefined || source.program === program),
    'search.start': ({ query }) => searchStore(this.conversations.store, query),
    'changes.list': (input) => this.changes ?? emptyProgram['changes.list'](input),
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
    'tutorial.state': () => this.tutorial,
    'sharing.preview': (share) => this.exported?.(share) ?? emptyProgram['sharing.preview'](share),
    'environment.state': (input) => this.environments ?? emptyProgram['environment.state'](input),
    'environment.log': ({ source }) => ({
      lines: this.output.filter((line) => source === null || line.source === source),
      isCut: false,
    }),
    'insight.read': ({ query }) => ({
      report: insightOf(this.insight, query),
      ...{ reading: null, trashed: 2, damaged: 0, newer: 0 },
    }),
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
    'slash.expand': ({ line }) => ({
      kind: 'expanded',
      command: { name: line.slice(1), text: line, model: null },
    }),
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
  }

  /** Writes a file behind the window's back, as another program would; null deletes it. */
  changeOnDisk(id: string, text: string | null): void {
    this.definitionFolder.changeOnDisk(id, text)
    this.written()
  }

  private written(): void {
    if (this.folder !== null) this.push({ type: 'definitions', folder: this.folder.path })
  }

  private async tryOut(folder: string, text: string, worktree: boolean): Promise<ConversationSummary> {
    const { definition, diagnostics } = readDefinition(text, { stem: 'agent', source: 'the editor' })
    if (definition === null)
      throw new Refusal(`This can’t be tried out yet. Line 1: ${diagnostics[0]?.message ?? ''}`)
    const isolation = worktree ? ('worktree' as const) : null
    const tried = { ...definition, isolation, source: 'project', file: null } as const
    return accept(await this.conversations.runtime.tryOut({ folder, definition: tried }))
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

/** @returns the page's end of its commands and deltas: what the preload is to a page */
function connectPage({
  dispatch,
  stream,
  pathOf,
}: { readonly dispatch: PageDispatch; readonly stream: DeltaStream } & Pick<
  TroupeBridge,
  'pathOf'
>): TroupeBridge {
  const listeners = new Set<(deltas: readonly WindowDelta[]) => void>()
  let toMain: (message: { readonly data: unknown }) => void = () => {}
  const port: DeltaPort = {
    postMessage: (sent) => {
      const { batch, deltas } = structuredClone(sent)
      for (const listener of listeners) listener(deltas)
      toMain({ data: { ack: batch } })
    },
    on: (_event, listener) => {
      toMain = listener
    },
    start() {},
    close() {},
  }
  return {
    async command(name, input) {
      const { answer, hold } = structuredClone(await dispatch(name, structuredClone(input), stream))
      // Deltas follow after the page has taken the answer.
      if (hold !== undefined) setTimeout(() => toMain({ data: { release: hold } }))
      return answer as never
    },
    onDeltas(listener) {
      if (listeners.size === 0) stream.attach(port)
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    pathOf,
  }
}

/** The value, or the failure as the window receives it. */
function accept<T>(result: Result<T>): T {
  if (!result.ok) throw new Refusal(result.failure.message, result.failure.type)
  return result.value
}
