/** A program with a repository whose agent works in a worktree, in the real sandbox, for tests of environments. */
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { EnvironmentState } from '../../../../shared/environments/environment.ts'
import type { WorktreeEnvironment } from '../../../../shared/environments/environments.ts'
import type { EventOf } from '../../../../shared/events/agent-event.ts'
import { defaultSettings, type Settings } from '../../../../shared/settings/settings.ts'
import { type ComposedRuntime, composeRuntime } from '../../../features.ts'
import { beginConversation, watchEvents } from '../../../runtime/testing/event-watch.ts'
import { startScriptedServer } from '../../rehearsal/feature.ts'
import type { ScriptedServer } from '../../rehearsal/scripted-server.ts'

const ROOT = join(import.meta.dirname, '../../../../..')

export interface EnvironmentBench {
  readonly base: string
  readonly folder: string
  readonly problems: readonly string[]
  readonly program: () => ComposedRuntime
  readonly settings: Partial<{ -readonly [key in keyof Settings]: Settings[key] }>
  /** Commits what is in the folder. */
  commit(): Promise<void>
  /** Approves the commands as they are. */
  approve(): Promise<void>
  /**
   * Starts an agent with a worktree, whose calls these Bash commands are. Resolves when it works or waits; `done` when it
   * has ended.
   */
  agent(task: string, ...commands: readonly string[]): Promise<{ readonly done: Promise<unknown> }>
  rows(): Promise<readonly WorktreeEnvironment[]>
  row(): Promise<WorktreeEnvironment>
  /** Resolves when the state of the first worktree is as wanted. */
  until(wanted: (state: EnvironmentState) => boolean): Promise<EnvironmentState>
  logText(source?: string): Promise<string>
  /** What the agents read, as JSON. */
  told(): string
  /** Resolves when an agent waits, to what the user reads. */
  waiting(): Promise<string>
  /** Resolves when an agent asks the user, to its form. */
  form(): Promise<EventOf<'form-opened'>>
  restart(): Promise<void>
  close(): Promise<void>
}

export async function environmentBench(
  files: Readonly<Record<string, string>>,
  settings: Partial<Settings> = {},
): Promise<EnvironmentBench> {
  const base = await realpath(await mkdtemp('/var/tmp/troupe-environments-'))
  const folder = join(base, 'project')
  await mkdir(join(base, 'home'), { recursive: true })
  for (const [path, text] of Object.entries({ 'README.md': 'x\n', '.gitignore': 'made\n', ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 })
  }
  const env = { PATH: process.env['PATH'], HOME: join(base, 'home') }
  const person = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.invalid']
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['commit', '-q', '-m', 'Start'],
  ])
    execFileSync('git', [...person, ...args], { cwd: folder, env })
  const current = { ...defaultSettings, trustedFolders: [folder], ...settings }
  const problems: string[] = []
  const scripts = new Map<string, readonly string[]>()
  const server: ScriptedServer = await startScriptedServer({
    director: {
      reply: async ({ messages }) => {
        const turns = messages.filter(({ role }) => role === 'assistant').length
        const text = JSON.stringify(messages)
        const isPart = [...scripts].find(([task]) => text.includes(`Do your part: ${task}`))
        const isMain = !text.includes('You work in a git worktree')
        const task = [...scripts.keys()].find((each) => text.includes(`Begin ${each}`)) ?? ''
        if (isMain && turns === 0)
          return {
            blocks: [
              {
                type: 'tool_use',
                name: 'Agent',
                input: {
                  description: task,
                  prompt: `Do your part: ${task}`,
                  subagent_type: 'general-purpose',
                  isolation: 'worktree',
                },
              },
            ],
          }
        const command = isMain ? undefined : isPart?.[1][turns]
        return command === undefined
          ? { blocks: [{ type: 'text', text: 'Done.' }] }
          : { blocks: [{ type: 'tool_use', name: 'Bash', input: { command } }] }
      },
    },
  })
  const open = async () => {
    const program = await composeRuntime({
      dataFolder: join(base, 'data'),
      home: join(base, 'home'),
      environment: { PATH: process.env['PATH'] ?? '', HOME: join(base, 'home') },
      managedSettings: [],
      settings: { current },
      agentsFolder: join(ROOT, 'agents'),
      docsFolder: join(ROOT, 'docs'),
      rehearsal: { pace: 0, scenarioFile: null },
      onProblem: (problem) => problems.push(problem),
    })
    await program.switchAccess({ kind: 'api', key: server.apiKey, baseUrl: server.baseUrl })
    return program
  }
  let program = await open()
  let watching = watchEvents(program.runtime)
  const bench: EnvironmentBench = {
    ...{ base, folder, problems, settings: current },
    async commit() {
      for (const args of [
        ['add', '-A'],
        ['commit', '-q', '-m', 'Next'],
      ])
        execFileSync('git', [...person, ...args], { cwd: folder, env })
    },
    program: () => program,
    async approve() {
      const { commands } = await program.environments.state(folder)
      const digest = commands?.digest ?? ''
      const done = await program.environments.decide({ folder, digest, decision: 'approved' })
      if (!done.ok) throw new Error(done.failure.message)
    },
    async agent(task, ...commands) {
      scripts.set(task, commands)
      watching = watchEvents(program.runtime)
      const id = await beginConversation(program.runtime, `Begin ${task}`, { folder })
      const done = program.runtime.settled(id)
      await Promise.race([done, watching.when('agent-spawned', ({ worktree }) => worktree !== null)])
      return { done }
    },
    rows: async () => (await program.environments.state(folder)).worktrees,
    async row() {
      const [row] = await bench.rows()
      if (row === undefined) throw new Error(`No worktree. ${problems.join('\n')}`)
      return row
    },
    until: (wanted) =>
      new Promise((resolve, reject) => {
        const look = async () => {
          const [row] = await bench.rows()
          if (row === undefined || !wanted(row.state)) return
          stop()
          resolve(row.state)
        }
        const stop = program.environments.subscribe(() => void look().catch(reject))
        void look().catch(reject)
      }),
    async logText(source) {
      const { id } = await bench.row()
      const read = await program.environments.log({ folder, id, source: source ?? null, lines: 1000 })
      return read.ok ? read.value.lines.map(({ text }) => text).join('\n') : read.failure.message
    },
    told: () => server.requests.map(({ text }) => text.slice(text.indexOf('"messages":'))).join('\n'),
    waiting: () =>
      watching
        .when('notice', ({ text }) => text.startsWith('Waits for') && text.includes('set'))
        .then(({ text }) => text),
    form: () => watching.when('form-opened'),
    async restart() {
      await program.close()
      program = await open()
    },
    async close() {
      await program.close()
      await server.close()
      await rm(base, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return bench
}
