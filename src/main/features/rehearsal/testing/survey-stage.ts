/**
 * A survey without a window: the real runtime and the real tools in a temporary folder, with the director behind the
 * scripted API and all its checks.
 */
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { AgentEvent } from '../../../../shared/events/agent-event.ts'
import { textOf } from '../../../../shared/messages/text-of.ts'
import { createNodeFileSystem } from '../../../platform/files/node-file-system.ts'
import { createFolderReader } from '../../../platform/folders/folder-reader.ts'
import { createGit } from '../../../platform/git/git-client.ts'
import { createAnthropicClient } from '../../../platform/models/anthropic-client.ts'
import { createModelCatalog } from '../../../platform/models/model-catalog.ts'
import { createRipgrepSearch, findRipgrep } from '../../../platform/search/ripgrep-search.ts'
import { childEnvironment } from '../../../platform/shell/child-environment.ts'
import { createShell } from '../../../platform/shell/create-shell.ts'
import { createSystemClock } from '../../../platform/system/machine-time.ts'
import { createIds } from '../../../platform/system/random-names.ts'
import { createRuntime } from '../../../runtime/assemble.ts'
import type { Runtime } from '../../../runtime/ports/runtime.ts'
import { createMemoryBoard } from '../../../runtime/testing/memory-board.ts'
import { createMemoryStore } from '../../../runtime/testing/memory-store.ts'
import {
  createMemoryMailbox,
  freePolicy,
  noMemory,
  noReview,
  noWorktrees,
} from '../../../runtime/testing/plain-ports.ts'
import { createDefinitionSource } from '../../definitions/definition-source.ts'
import { createPermissionRules } from '../../permissions/permission-rules.ts'
import type { Director } from '../director.ts'
import { startScriptedServer } from '../feature.ts'
import { loadScenario } from '../scenario.ts'

/** The director that plays the survey. */
async function surveyDirector(): Promise<Director> {
  const loaded = loadScenario(await readFile(join(AGENTS, 'survey.yaml'), 'utf8'))
  if (!loaded.ok) throw new Error(loaded.failure.message)
  return loaded.value
}

export interface TestFolder {
  readonly path: string
  write(files: Readonly<Record<string, string>>): Promise<void>
  git(...feedback: readonly string[]): void
  /** Commits all files. */
  commit(message: string, author?: string): void
}

/** A folder with these files, removed after the test. */
export async function testFolder(files: Readonly<Record<string, string>> = {}): Promise<TestFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'troupe-survey-')))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  const git = (...feedback: readonly string[]) =>
    void execFileSync('git', feedback, { cwd: path, env: { ...process.env, ...GIT }, stdio: 'pipe' })
  const folder: TestFolder = {
    path,
    git,
    write: async (more) => {
      for (const [name, text] of Object.entries(more)) {
        await mkdir(dirname(join(path, name)), { recursive: true })
        await writeFile(join(path, name), text)
      }
    },
    commit: (message, author = 'Ana') => {
      git('add', '-A')
      git('-c', `user.name=${author}`, '-c', 'user.email=a@example.org', 'commit', '-q', '-m', message)
    },
  }
  await folder.write(files)
  return folder
}

/** Without the machine's own settings. */
const GIT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CEILING_DIRECTORIES: tmpdir(),
}

type Answer = 'allow' | 'deny'

interface StageOptions {
  readonly trusted?: boolean
  /** The answer to permission requests; denied by default. */
  readonly answer?: Answer
  /** Definition of the main agent. */
  readonly agent?: string
  readonly coordinator?: boolean
  readonly settings?: { readonly userAgents?: Readonly<Record<string, string>> }
}

interface SurveyStage {
  readonly runtime: Runtime
  readonly conversationId: string
  readonly events: readonly AgentEvent[]
  /** Sends a message and waits until the main agent is idle. Resolves to the main agent's last text. */
  say(text: string): Promise<string>
  /** Sends a message without waiting. */
  send(text: string, agentId?: string): Promise<void>
  settled(): Promise<string>
  /** The first event that fits, including past events. */
  when(fits: (event: AgentEvent) => boolean): Promise<AgentEvent>
  /** The reports of subagents, by their task. */
  reports(): ReadonlyMap<string, string>
  /** The commands and files of permission requests. */
  asked(): readonly string[]
}

export async function surveyStage(folder: TestFolder, options: StageOptions = {}): Promise<SurveyStage> {
  const { trusted = true, answer = 'deny', agent, coordinator = false, settings = {} } = options
  const home = await realpath(await mkdtemp(join(tmpdir(), 'troupe-survey-home-')))
  for (const [name, text] of Object.entries(settings.userAgents ?? {})) {
    await mkdir(join(home, '.claude', 'agents'), { recursive: true })
    await writeFile(join(home, '.claude', 'agents', name), text)
  }
  const server = await startScriptedServer({ director: await surveyDirector(), pace: 0, keepRequests: 1000 })
  const clock = createSystemClock()
  const environment = childEnvironment({ ...process.env, ...GIT, HOME: home })
  const commands = createShell({ environment: { ...environment, ...GIT } })
  const runtime = createRuntime({
    clock,
    ids: createIds({ clock, random: Math.random }),
    model: createAnthropicClient({ apiKey: server.apiKey, baseUrl: server.baseUrl, clock }),
    models: createModelCatalog({}),
    store: createMemoryStore(),
    files: createNodeFileSystem(),
    search: createRipgrepSearch({ rgPath: findRipgrep, environment }),
    shell: commands.shell,
    definitions: createDefinitionSource({ builtIn: AGENTS, home }),
    skills: { list: async () => [], load: async () => null },
    folders: createFolderReader({
      platform: 'linux',
      git: createGit({ environment: {} }),
      shell: async () => 'bash',
    }),
    memory: noMemory,
    mailbox: createMemoryMailbox(),
    tasks: createMemoryBoard(),
    worktrees: noWorktrees,
    review: noReview,
    rules: createPermissionRules({ dataFolder: home, onProblem: () => {} }),
    policy: {
      ...freePolicy,
      trusted: () => trusted,
      defaults: (folder) => ({ ...freePolicy.defaults(folder), rehearsal: true }),
    },
    random: Math.random,
  })
  onTestFinished(async () => {
    await runtime.close()
    await commands.killAll()
    const refused = server.requests.filter(({ status }) => status >= 400)
    await server.close()
    await rm(home, { recursive: true, force: true })
    expect(events.filter((event) => JSON.stringify(event).includes('{{'))).toEqual([])
    expect(refused.map(({ status, text }) => `${status}: ${text.slice(0, 500)}`)).toEqual([])
  })

  const events: AgentEvent[] = []
  const watchers = new Set<(event: AgentEvent) => void>()
  runtime.subscribe((delta) => {
    if (delta.type !== 'event') return
    const { event } = delta
    events.push(event)
    for (const watcher of [...watchers]) watcher(event)
    if (event.type === 'permission-asked')
      queueMicrotask(
        () =>
          void runtime.dispatch({
            type: 'agent.answer',
            conversationId,
            agentId: event.agentId,
            requestId: event.requestId,
            answer: answer === 'allow' ? { decision: 'allow-once' } : { decision: 'deny', feedback: null },
          }),
      )
  })
  const created = await runtime.dispatch({
    type: 'conversation.create',
    folder: folder.path,
    model: 'sonnet',
    permissionMode: 'default',
    ...(agent === undefined ? {} : { agent }),
    coordinator,
  })
  if (!created.ok) throw new Error(created.failure.message)
  const conversationId = created.value.id

  const stage: SurveyStage = {
    runtime,
    conversationId,
    events,
    send: async (text, agentId) => {
      const sent = await runtime.dispatch({
        type: 'conversation.send',
        conversationId,
        agentId: agentId ?? null,
        content: text,
      })
      if (!sent.ok) throw new Error(sent.failure.message)
    },
    settled: async () => {
      const state = await runtime.settled(conversationId)
      return lastWords(events, state.id)
    },
    say: async (text) => {
      await stage.send(text)
      return stage.settled()
    },
    when: (fits) =>
      new Promise((resolve) => {
        const watcher = (event: AgentEvent) => {
          if (!fits(event)) return
          watchers.delete(watcher)
          resolve(event)
        }
        const past = events.find(fits)
        if (past) resolve(past)
        else watchers.add(watcher)
      }),
    reports: () =>
      new Map(
        events.flatMap((event) =>
          event.type === 'agent-spawned' && event.parentId !== null
            ? [[event.task, lastWords(events, event.agentId)] as const]
            : [],
        ),
      ),
    asked: () => events.flatMap((event) => (event.type === 'permission-asked' ? [event.subject.text] : [])),
  }
  return stage
}

const AGENTS = join(import.meta.dirname, '../../../../../agents')

function lastWords(events: readonly AgentEvent[], agentId: string): string {
  const said = events.flatMap((event) =>
    event.type === 'assistant-message' && event.agentId === agentId ? [textOf(event.content)] : [],
  )
  return said.findLast((text) => text.trim() !== '') ?? ''
}

interface ToldFact {
  readonly path: string
  readonly line: number
  readonly text: string
}

/** Every location with a line in a text: `- `src/a.ts:12` `the line` …`. */
export function factsIn(text: string): readonly ToldFact[] {
  return text.split('\n').flatMap((row): ToldFact[] => {
    const match = /^- (`+) ?(.+?):(\d+) ?\1(?: (`+) ?(.*?) ?\4(?!`))?/.exec(row)
    return match ? [{ path: match[2] ?? '', line: Number(match[3]), text: match[5] ?? '' }] : []
  })
}

/** Checks every fact: the file has this line with this text. */
export async function expectTrue(folder: TestFolder, facts: readonly ToldFact[]): Promise<void> {
  for (const { path, line, text } of facts) {
    const content = await readFile(join(folder.path, path), 'utf8')
    const real = content.split(/\r?\n/)[line - 1]
    expect(real, `${path}:${line} is there`).toBeDefined()
    const told = text.endsWith('…') ? text.slice(0, -1) : text
    expect(
      real?.trim().startsWith(told),
      `${path}:${line} is ${JSON.stringify(real)}, told was ${text}`,
    ).toBe(true)
  }
}
