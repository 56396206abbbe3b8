/** The built command line in a fresh data folder, timed as a whole process. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { followPeak } from './process-facts.ts'

export const root = join(import.meta.dirname, '..')

export interface Timed {
  /** ms */
  readonly wall: number
  /** User and system time of the process and its children, ms. */
  readonly cpu: number
  /** ms since the epoch. */
  readonly startedAt: number
}

/** A whole process, with its largest resident size, MB. */
type TimedProcess = Timed & { readonly peak: number }

interface FreshFolders {
  readonly folder: string
  /** The data folder. */
  readonly home: string
  /** The user's home. A project in it is usual, a home in the project is not. */
  readonly userHome: string
}

/** A new working folder, a new data folder and a new home, removed after `work`. */
export async function inFreshFolders<T>(
  settings: object,
  work: (folders: FreshFolders) => Promise<T>,
): Promise<T> {
  const base = await mkdtemp(join(tmpdir(), 'troupe-bench-'))
  const userHome = join(base, 'home')
  const folder = join(userHome, 'project')
  const home = join(base, 'data')
  await Promise.all([mkdir(folder, { recursive: true }), mkdir(home)])
  await writeFile(join(folder, 'file.txt'), 'A line of a file.\n'.repeat(100))
  const trusted = { trustedFolders: [folder], bypassFolders: [folder] }
  await writeFile(join(home, 'settings.json'), JSON.stringify({ ...trusted, ...settings }))
  try {
    return await work({ folder, home, userHome })
  } finally {
    await rm(base, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Runs a Node program to its end. Rejects if it fails. */
export const time = (words: readonly string[], options: Place): Promise<TimedProcess> =>
  timeProgram([process.execPath, ...words], options)

interface Place {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
}

/** Runs a program to its end. Rejects if it fails. */
export function timeProgram(words: readonly string[], options: Place): Promise<TimedProcess> {
  const startedAt = Date.now()
  const begun = performance.now()
  const script = `TIMEFORMAT='cpu %U %S'; time "$@" >/dev/null`
  const child = spawn('bash', ['-c', script, 'bash', ...words], {
    cwd: options.cwd,
    env: { PATH: process.env['PATH'], HOME: options.cwd, ...options.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const memory = followPeak(child.pid ?? -1)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      const wall = performance.now() - begun
      memory.end()
      const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(said) ?? []
      if (code !== 0) reject(new Error(`${words.join(' ')} ended with ${code}: ${said.slice(0, 2000)}`))
      else resolve({ wall, cpu: (Number(user) + Number(system)) * 1000, startedAt, peak: memory.peak() })
    })
  })
}

interface Access {
  readonly baseUrl: string
  readonly apiKey: string
}

/** `troupe run` against an API, in a fresh data folder. */
export function runTroupe(api: Access, settings: object = {}, node = process.execPath): Promise<Timed> {
  return inFreshFolders(settings, (folders) =>
    runIn(folders, api, ['Go', '--permission-mode', 'bypassPermissions'], node),
  )
}

/** `troupe run` with these words against an API. */
export function runIn(
  { folder, home, userHome }: FreshFolders,
  { apiKey, baseUrl }: Access,
  words: readonly string[],
  node = process.execPath,
): Promise<TimedProcess> {
  return timeProgram([node, join(root, 'out', 'cli.mjs'), 'run', ...words], {
    cwd: folder,
    env: { HOME: userHome, TROUPE_HOME: home, ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseUrl },
  })
}
