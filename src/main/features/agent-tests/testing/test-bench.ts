/** A repository with an agent and its cases, and the program with all its real parts, where a function is the model. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { CaseAttempt, TestRun, VersionRef } from '../../../../shared/agent-tests/agent-tests.ts'
import type { CommandInput } from '../../../../shared/ipc/ipc-contract.ts'
import type { Result } from '../../../../shared/kernel/result.ts'
import { defaultSettings, type Settings } from '../../../../shared/settings/settings.ts'
import { type ComposedRuntime, composeRuntime } from '../../../features.ts'
import { withoutSandbox } from '../../../testing/without-sandbox.ts'
import type { Director, ScriptedBlock, ScriptedRequest } from '../../rehearsal/director.ts'
import { startScriptedServer } from '../../rehearsal/feature.ts'

const ROOT = join(import.meta.dirname, '../../../../..')

export const CASES = '.claude/agent-tests/reviewer'
export const inUse: VersionRef = { base: { type: 'in-use' }, model: null, effort: null, skill: null }
export const draft = (text: string, name?: string): VersionRef => ({
  ...inUse,
  base: { type: 'draft', text, name },
})
export const reviewer = (prompt: string, more = ''): string =>
  `---\nname: reviewer\ndescription: Reviews.\nmodel: haiku\n${more}---\n${prompt}\n`

/** @returns the blocks of the model's answer to a request; a text is the report */
export type Model = (
  request: ScriptedRequest,
) => string | readonly ScriptedBlock[] | Promise<string | readonly ScriptedBlock[]>

export const tool = (name: string, input: unknown): readonly ScriptedBlock[] => [
  { type: 'tool_use', name, input },
]

/** Whether the agent has the result of a tool call. */
export const hasResult = ({ messages }: ScriptedRequest): boolean =>
  messages.some(({ role }) => role === 'assistant')

type AskedRun = CommandInput<'agentTests.run'>

export interface TestBench {
  readonly program: ComposedRuntime
  readonly folder: string
  readonly dataFolder: string
  /** Of the scripted API. */
  readonly baseUrl: string
  write(files: Readonly<Record<string, string>>): Promise<void>
  git(...args: readonly string[]): string
  /** What a run must not change: refs, worktrees, and the state of the checkout. */
  traces(): readonly string[]
  /** The folders of attempts that are on the disk. */
  attemptFolders(): readonly string[]
  /** Begins a run and waits for its end. */
  run(
    wanted?: Partial<AskedRun>,
  ): Promise<{ readonly run: TestRun; readonly attempts: readonly CaseAttempt[] }>
  begin(wanted?: Partial<AskedRun>): Promise<string>
  results(): ReturnType<ComposedRuntime['agentTests']['runs']['results']>
  /** Ends the program, and starts another one with its data. */
  restart(): Promise<void>
}

export async function testBench(
  model: Model,
  {
    settings = {},
    files = {},
    under = tmpdir(),
  }: {
    readonly settings?: Partial<Settings>
    readonly files?: Readonly<Record<string, string>>
    /** The folder of all: the sandbox has a `/tmp` of its own. */
    readonly under?: string
  } = {},
): Promise<TestBench> {
  const base = await realpath(await mkdtemp(join(under, 'troupe-bench-')))
  const [folder, dataFolder, home] = [join(base, 'project'), join(base, 'data'), join(base, 'home')]
  await Promise.all([mkdir(folder), mkdir(dataFolder), mkdir(home)])
  const director: Director = {
    reply: async (request) => {
      const answer = await model(request)
      return { blocks: typeof answer === 'string' ? [{ type: 'text', text: answer }] : answer }
    },
  }
  const server = await startScriptedServer({ director, pace: 0, keepRequests: 0 })
  const start = async () => {
    const composed = await composeRuntime({
      ...{ dataFolder, home, environment: { PATH: process.env['PATH'] } },
      settings: { current: { ...defaultSettings, ...withoutSandbox, trustedFolders: [folder], ...settings } },
      agentsFolder: join(ROOT, 'agents'),
      docsFolder: join(ROOT, 'docs'),
      rehearsal: { pace: 0, scenarioFile: null },
      managedSettings: [],
    })
    await composed.switchAccess({ kind: 'api', key: server.apiKey, baseUrl: server.baseUrl })
    return composed
  }
  let program = await start()
  onTestFinished(async () => {
    await program.close()
    await server.close()
    await rm(base, { recursive: true, force: true, maxRetries: 5 })
  })

  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
  const write: TestBench['write'] = async (given) => {
    for (const [name, text] of Object.entries(given)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
  }
  const begin: TestBench['begin'] = async (wanted = {}) => {
    const given = {
      agent: 'reviewer',
      versions: [inUse],
      caseFiles: [],
      attempts: 1,
      maxUsd: null,
      stopsWhenClear: false,
    }
    return resultOf(await program.handlers['agentTests.run']({ folder, ...given, ...wanted })).runId
  }
  const results = () => program.agentTests.runs.results(folder)

  git('init', '-q', '-b', 'main')
  await write({ '.claude/agents/reviewer.md': reviewer('Be short.'), 'a.txt': 'one\n', ...files })
  git('add', '-A')
  git('commit', '-qm', 'First')
  return {
    get program() {
      return program
    },
    ...{ folder, dataFolder, baseUrl: server.baseUrl, write, git, begin, results },
    traces: () => [
      git('for-each-ref'),
      git('worktree', 'list'),
      git('status', '--porcelain'),
      git('stash', 'list'),
    ],
    attemptFolders() {
      const attempts = join(dataFolder, 'attempts')
      return existsSync(attempts) ? readdirSync(attempts) : []
    },
    async run(wanted) {
      const runId = await begin(wanted)
      await program.agentTests.runs.ended(runId)
      const { runs, attempts } = await results()
      const run = runs.find(({ id }) => id === runId)
      if (run === undefined) throw new Error('The run is gone.')
      return { run, attempts: attempts.filter((attempt) => attempt.runId === runId) }
    },
    async restart() {
      await program.close()
      program = await start()
    },
  }
}

export function resultOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.type}: ${result.failure.message}`)
  return result.value
}
