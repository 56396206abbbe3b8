/** The real program as a process of its own, with the scripted API in this one: for killing it from outside. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { AgentEvent } from '../../shared/agent-event.ts'
import type { Director } from '../adapters/rehearsal/director.ts'
import { type ScriptedServer, startScriptedServer } from '../adapters/rehearsal/scripted-server.ts'
import type { ResultLine } from '../command-line/result-line.ts'
import { PROGRAM } from './program-file.ts'

export interface RunningTroupe {
  readonly child: ChildProcessWithoutNullStreams
  readonly events: AgentEvent[]
  /** Calls back with each event as it is printed. */
  onEvent(listener: (event: AgentEvent) => void): void
  /** Resolves at the end of the process, with everything it said. */
  readonly ended: Promise<{
    readonly code: number | null
    readonly result: ResultLine | null
    readonly errors: string
  }>
}

export interface RealTroupe {
  /** All of it lies here. */
  readonly base: string
  readonly folder: string
  readonly home: string
  readonly server: ScriptedServer
  start(words: readonly string[]): RunningTroupe
  /** Lines of a file in the folder that the agents work in, and in worktrees of their own; none if it is not there. */
  linesOf(file: string): Promise<readonly string[]>
  /** `keep`: its folders stay. */
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
  await writeFile(join(home, 'settings.json'), JSON.stringify({ ...trusted, ...settings }))
  const server = await startScriptedServer({ director, keepRequests })
  const children = new Set<ChildProcessWithoutNullStreams>()

  return {
    base,
    folder,
    home,
    server,
    start: (words) => {
      const child = spawn(process.execPath, [program, ...words], {
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

/** The folders of all worktrees that lie in a data folder. */
export async function worktreesBelow(home: string): Promise<readonly string[]> {
  const repositories = await readdir(join(home, 'worktrees')).catch(() => [])
  const found = await Promise.all(
    repositories.map(async (name) => {
      const repository = join(home, 'worktrees', name)
      const entries = await readdir(repository, { withFileTypes: true }).catch(() => [])
      return (
        entries
          // What is on its way out has a dot before its name.
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

/** Processes whose command line holds these words. */
export function processesWith(words: string): readonly string[] {
  try {
    return execFileSync('pgrep', ['-f', '--', words], { encoding: 'utf8' }).split('\n').filter(Boolean)
  } catch {
    return []
  }
}
