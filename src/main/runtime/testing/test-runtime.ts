/** A runtime without a disk, a network or real time. */
import { plainDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { createRuntime, type RuntimeOptions } from '../assemble.ts'
import type { LoadedDefinition, LoadedSkill, MemorySource } from '../ports/definitions.ts'
import type { Policy, Ports } from '../ports/ports.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { ShellEnd, ShellRun } from '../ports/shell.ts'
import type { TaskBoard } from '../ports/task-board.ts'
import { type Begun, beginConversation, type EventWatch, watchEvents } from './event-watch.ts'
import { createMemoryBoard } from './memory-board.ts'
import { createMemoryRules } from './memory-rules.ts'
import { createMemoryStore, type MemoryStore } from './memory-store.ts'
import {
  createMemoryMailbox,
  freePolicy,
  type MemoryMailbox,
  noMemory,
  noReview,
  noWorktrees,
} from './plain-ports.ts'
import { createScriptedModel, type Script, type ScriptedModel } from './scripted-model.ts'

export const FOLDER = '/project'

export interface TestRuntime extends EventWatch {
  readonly runtime: Runtime
  readonly store: MemoryStore
  readonly model: ScriptedModel
  readonly mailbox: MemoryMailbox
  /** Creates a conversation and sends its first message. @returns its id */
  begin(text: string, options?: Partial<Begun>): Promise<string>
  say(conversationId: string, text: string): Promise<void>
  /** Lets time pass, ms. */
  advance(ms: number): void
}

export interface TestOptions {
  readonly script: Script
  readonly store?: MemoryStore
  readonly policy?: Partial<Policy>
  readonly memory?: MemorySource
  readonly mailbox?: MemoryMailbox
  readonly tasks?: TaskBoard
  /** A function is called at each load: files change. */
  readonly definitions?: readonly LoadedDefinition[] | (() => readonly LoadedDefinition[])
  readonly skills?: () => readonly LoadedSkill[]
  readonly runtime?: RuntimeOptions
  readonly shell?: (run: ShellRun) => Promise<ShellEnd>
  readonly contextTokens?: number
  /** Ports that replace those of the test runtime. */
  readonly ports?: Partial<Ports>
  /** Null: no model has a known price. */
  readonly price?: null
}

export function createTestRuntime(options: TestOptions): TestRuntime {
  const store = options.store ?? createMemoryStore()
  const model = createScriptedModel(options.script)
  const mailbox = options.mailbox ?? createMemoryMailbox()
  let now = 1_700_000_000_000
  const ports: Ports = {
    clock: {
      now: () => now++,
      sleep: async (ms) => {
        now += ms
      },
    },
    ids: { next: (prefix) => `${prefix}-${String(++created).padStart(6, '0')}` },
    model,
    models: {
      resolve: (name) => (name.startsWith('claude-') ? name : `claude-${name}`),
      facts: (id) => ({
        id,
        price: options.price === null ? null : { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
        contextTokens: options.contextTokens ?? 200_000,
      }),
    },
    store,
    files: {
      stat: async (path) =>
        path === FOLDER ? ok({ kind: 'folder', size: 0, mtimeMs: 0 }) : fail(notFound(path)),
      read: async (path) => fail(notFound(path)),
      write: async () => ok({ kind: 'file', size: 0, mtimeMs: 0 }),
      realPath: async (path) => ok(path),
    },
    search: {
      glob: async () => ok({ paths: [], truncated: false }),
      grep: async () => ok({ text: '', matches: 0, truncated: false }),
      first: async () => ok(null),
    },
    shell: {
      run: async (run) =>
        ok(
          (await options.shell?.(run)) ?? {
            output: `ran ${run.command}`,
            exitCode: 0,
            ended: 'exit',
            cwd: run.cwd,
          },
        ),
    },
    definitions: {
      load: async () => ({ definitions: loaded(options.definitions), problems: [] }),
      catalog: async () => ({ entries: [], problems: [], watched: [] }),
      watch: () => () => {},
    },
    skills: {
      list: async () => options.skills?.() ?? [],
      load: async (_folder, name) => options.skills?.().find((skill) => skill.name === name) ?? null,
    },
    folders: {
      facts: async () => ({ gitBranch: 'main', isRepository: true, platform: 'linux', shell: 'bash' }),
      gitState: async () => ({ status: [' M a.ts'], commits: ['1234567 Begin'] }),
    },
    memory: options.memory ?? noMemory,
    mailbox,
    tasks: options.tasks ?? createMemoryBoard(),
    worktrees: noWorktrees,
    review: noReview,
    rules: createMemoryRules(),
    policy: { ...freePolicy, ...options.policy },
    random: () => 0.5,
    ...options.ports,
  }
  const runtime = createRuntime(ports, options.runtime)
  const watch = watchEvents(runtime)
  const say: TestRuntime['say'] = async (conversationId, text) => {
    const sent = await runtime.dispatch({
      type: 'conversation.send',
      conversationId,
      agentId: null,
      content: text,
    })
    if (!sent.ok) throw new Error(sent.failure.message)
  }
  return {
    runtime,
    store,
    model,
    mailbox,
    ...watch,
    say,
    advance: (ms) => {
      now += ms
    },
    begin: (text, options) => beginConversation(runtime, text, { folder: FOLDER, ...options }),
  }
}

const blank: LoadedDefinition = { ...plainDefinition('', ''), source: 'built-in', file: null, color: 'blue' }

export const testDefinitions: readonly LoadedDefinition[] = [
  { ...blank, name: 'main', prompt: 'You are the main agent.', hidden: true },
  { ...blank, name: 'general-purpose', description: 'For anything.', prompt: 'You are a general agent.' },
  {
    ...blank,
    name: 'Explore',
    description: 'Looks things up.',
    prompt: 'You explore.',
    readOnly: true,
    reminder: 'You only read.',
    disallowedTools: ['Write', 'Edit', 'Agent'],
    model: 'haiku',
  },
]

function loaded(definitions: TestOptions['definitions']): readonly LoadedDefinition[] {
  return typeof definitions === 'function' ? definitions() : (definitions ?? testDefinitions)
}

/** Shared by all runtimes, so that a second one on the same store creates new ids. */
let created = 0

const notFound = (path: string) => ({ type: 'not-found', message: `${path} does not exist.` })
