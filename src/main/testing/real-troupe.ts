/** The real program as a separate process that a test can kill, with the scripted API in this process. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { AgentEvent } from '../../shared/events/agent-event.ts'
import type { Director } from '../features/rehearsal/director.ts'
import { startScriptedServer } from '../features/rehearsal/feature.ts'
import type { ScriptedServer } from '../features/rehearsal/scripted-server.ts'
import type { ResultLine } from '../features/run/run-outcome.ts'
import { PROGRAM } from './program-file.ts'
import { withoutSandbox } from './without-sandbox.ts'

export interface RunningTroupe {
  readonly child: ChildProcessWithoutNullStreams
  readonly events: AgentEvent[]
  /** Calls the listener with each printed event. */
  onEvent(listener: (event: AgentEvent) => void): void
  /** Resolves when the process has ended, with all its output. */
  readonly ended: Promise<{
    readonly code: number | null
    readonly result: ResultLine | null
    readonly errors: string
  }>
}

export interface RealTroupe {
  /** The folder that contains everything. */
  readonly base: string
  readonly folder: string
  readonly home: string
  readonly server: ScriptedServer
  start(args: readonly string[]): RunningTroupe
  /** The lines of a file in the project folder and in all worktrees; none if the file does not exist. */
  linesOf(file: string): Promise<readonly string[]>
  /** `keep`: leaves the folders. */
  close(options?: { keep?: boolean }): Promise<void>
}

export async function realTroupe(
  director: Director,
  settings: object = {},
  { keepRequests = 5000, program = PROGRAM }: { keepRequests?: number; program?: string } = {},
): Promise<RealTroupe> {
  const base = await mkdtemp(join(tmpdir(), 'troupe-real-'))
  const folder = join(base, 'project')
  const home = join(base, 'data')
  await Promise.all([mkdir(folder), mkdir(home)])
  const trusted = { trustedFolders: [folder], bypassFolders: [folder] }
  await writeFile(join(home, 'settings.json'), JSON.stringify({ ...withoutSandbox, ...trusted, ...settings }))
  const server = await startScriptedServer({ director, keepRequests })
  const children = new Set<ChildProcessWithoutNullStreams>()

  return {
    base,
    folder,
    home,
    server,
    start: (args) => {
      const child = spawn(process.execPath, [program, ...args], {
        cwd: folder,
        env: {
          PATH: process.env['PATH'],
          HOME: base,
          TROUPE_HOME: home,
          ANTHROPIC_API_KEY: server.apiKey,
          ANTHROPIC_BASE_URL: server.baseUrl,
        },
      })
      children.add(child)
      child.stdin.end()
      return follow(child, () => children.delete(child))
    },
    linesOf: async (file) => {
      const folders = [folder, ...(await worktreesBelow(home))]
      const texts = await Promise.all(
        folders.map((path) => readFile(join(path, file), 'utf8').catch(() => '')),
      )
      return texts.flatMap((text) => text.split('\n').filter(Boolean))
    },
    close: async ({ keep = false } = {}) => {
      for (const child of children) child.kill('SIGKILL')
      await server.close()
      if (!keep) await rm(base, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** All worktree folders of a data folder. */
export async function worktreesBelow(home: string): Promise<readonly string[]> {
  const repositories = await readdir(join(home, 'worktrees')).catch(() => [])
  const found = await Promise.all(
    repositories.map(async (name) => {
      const repository = join(home, 'worktrees', name)
      const entries = await readdir(repository, { withFileTypes: true }).catch(() => [])
      return (
        entries
          // A worktree that is being removed has a leading dot.
          .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
          .map((entry) => join(repository, entry.name))
      )
    }),
  )
  return found.flat()
}

function follow(child: ChildProcessWithoutNullStreams, gone: () => void): RunningTroupe {
  const events: AgentEvent[] = []
  const listeners: ((event: AgentEvent) => void)[] = []
  let result: ResultLine | null = null
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    if (!line.startsWith('{')) return
    const value = JSON.parse(line) as AgentEvent | ResultLine
    if (value.type === 'result') result = value
    else {
      events.push(value)
      for (const listener of listeners) listener(value)
    }
  })
  const ended = new Promise<Awaited<RunningTroupe['ended']>>((resolve) => {
    child.on('close', (code) => {
      gone()
      resolve({ code, result, errors })
    })
  })
  return { child, events, ended, onEvent: (listener) => void listeners.push(listener) }
}

/** The ids of processes whose command line contains this text. */
export function processesWith(text: string): readonly string[] {
  try {
    return execFileSync('pgrep', ['-f', '--', text], { encoding: 'utf8' }).split('\n').filter(Boolean)
  } catch {
    return []
  }
}
