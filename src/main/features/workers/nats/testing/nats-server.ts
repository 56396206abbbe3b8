/**
 * A real nats-server for a test, on a free port of loopback, with its store in a temporary folder. It can be killed and
 * started again on the same port and store. Where the program is missing, `withNats` skips the tests and says so.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, onTestFinished } from 'vitest'

export interface TestNatsServer {
  readonly port: number
  /** `nats://127.0.0.1:<port>` */
  readonly url: string
  /** A temporary folder for the server's files, removed after the test. */
  readonly folder: string
  /** SIGKILL. Resolves when the process is gone. */
  kill(): Promise<void>
  /** Starts the server again on the same port and store. Resolves when it takes connections. */
  start(): Promise<void>
  /** Ends the server regularly. */
  stop(): Promise<void>
}

interface TestNatsOptions {
  /** Lines of the server's configuration: users, limits. May use the folder. */
  readonly config?: (folder: string) => string
  /** Whether JetStream is on, without a line in `config`; true by default. */
  readonly jetStream?: boolean
  /** Ends the server after the current test; true by default. Pass false in `beforeAll`, and call `stop`. */
  readonly perTest?: boolean
}

const installed = isInstalled()

/** `describe` for tests that need a nats-server. In CI a missing server is a failure, elsewhere they are skipped. */
export const withNats = installed ? describe : describe.skip
if (!installed) {
  const advice = 'nats-server is not installed (Debian: apt-get install nats-server)'
  if (process.env['CI']) throw new Error(`${advice}, so that the tests of NATS cannot run`)
  process.stderr.write(`Skipped: ${import.meta.url.split('/').at(-1)}: ${advice}.\n`)
}

/** Starts a server. Throws with its output if it ends at once. */
export async function startNatsServer(options: TestNatsOptions = {}): Promise<TestNatsServer> {
  const { config = () => '', jetStream = true, perTest = true } = options
  const folder = await mkdtemp(join(tmpdir(), 'troupe-nats-'))
  const file = join(folder, 'nats.conf')
  await writeFile(file, `${jetStream ? `jetstream { store_dir: "${folder}/js" }\n` : ''}${config(folder)}\n`)
  let running: ChildProcess | null = null
  let port = -1
  const end = async (signal: NodeJS.Signals) => {
    const child = running
    running = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }
  const start = async () => {
    await end('SIGTERM')
    const child = spawn('nats-server', ['-c', file, '-a', '127.0.0.1', '-p', String(port)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    running = child
    port = await portOf(child)
  }
  const remove = async () => {
    await end('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
  await start()
  if (perTest) onTestFinished(remove)
  return {
    port,
    url: `nats://127.0.0.1:${port}`,
    folder,
    kill: () => end('SIGKILL'),
    start,
    stop: remove,
  }
}

/** Resolves with the port when the server takes connections. */
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const { stderr } = child
    if (stderr === null) return reject(new Error('nats-server has no output'))
    const lines: string[] = []
    let port = 0
    createInterface({ input: stderr }).on('line', (line) => {
      if (lines.length < 100) lines.push(line)
      port = Number(/Listening for client connections on \S*:(\d+)/.exec(line)?.[1] ?? port)
      if (line.includes('Server is ready')) resolve(port)
    })
    child.on('error', reject)
    child.on('exit', () => reject(new Error(`nats-server ended:\n${lines.join('\n')}`)))
  })
}

function isInstalled(): boolean {
  try {
    execFileSync('nats-server', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
