/**
 * `node scripts/walk.ts`: how far a prompt goes through the main process. One scripted run of the composed runtime, with
 * its real parts and a scripted API in another process, under V8's precise coverage: the files of `src` that run and the
 * calls of their functions, from a second prompt to the first token of its answer, and from a prompt to the permission
 * request of its first command. Markdown on standard output, as of `house.ts`; `--json`: the figures; `--files`: also the
 * files with their calls.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { Session } from 'node:inspector'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startScriptedServer } from '../src/main/features/rehearsal/feature.ts'
import { composeRuntime } from '../src/main/features.ts'
import type { RuntimeDelta } from '../src/main/runtime/ports/runtime.ts'
import { withoutSandbox } from '../src/main/testing/without-sandbox.ts'
import { defaultSettings } from '../src/shared/settings/settings.ts'
import { type Figure, printFigures } from './house.ts'

const ROOT = join(import.meta.dirname, '..')

/** What the test holds, and what the walk shall come to. A limit only ever goes down. Calls differ a little between runs. */
const LIMITS: Readonly<Record<string, readonly [limit: number, goal: number]>> = {
  'files from a prompt to its first token': [140, 80],
  'calls from a prompt to its first token': [4_100, 4_000],
  'files from a prompt to a permission request': [191, 120],
  'calls from a prompt to a permission request': [6_800, 8_000],
}

const COMMAND = 'touch notes.txt'

interface Walk {
  /** Calls by path below the root. */
  readonly calls: ReadonlyMap<string, number>
}

/** Runs both walks. Fails if the scripted run does not come to their ends. */
async function walk(): Promise<readonly Figure[]> {
  const base = await mkdtemp(join(tmpdir(), 'troupe-walk-'))
  const folder = join(base, 'project')
  await mkdir(folder)
  const { child, baseUrl, apiKey } = await startApi()
  const program = await composeRuntime({
    dataFolder: join(base, 'data'),
    home: base,
    environment: { PATH: process.env['PATH'] },
    settings: { current: { ...defaultSettings, ...withoutSandbox, trustedFolders: [folder] } },
    agentsFolder: join(ROOT, 'agents'),
    docsFolder: join(ROOT, 'docs'),
    rehearsal: { pace: 0, scenarioFile: null },
  })
  try {
    await program.switchAccess({ kind: 'api', key: apiKey, baseUrl })
    const { runtime } = program
    const made = await runtime.dispatch({
      type: 'conversation.create',
      ...{ folder, model: 'sonnet', permissionMode: 'default', rehearsal: false },
    })
    if (!made.ok) throw new Error(made.failure.message)
    const { id } = made.value
    const say = async (text: string) => {
      const sent = await runtime.dispatch({
        type: 'conversation.send',
        conversationId: id,
        agentId: null,
        content: text,
      })
      if (!sent.ok) throw new Error(sent.failure.message)
    }
    const until = (text: string, isEnd: (delta: RuntimeDelta) => boolean) =>
      measured(runtime.subscribe, () => say(text), isEnd)
    await say('Begin.')
    await runtime.settled(id)
    const token = await until(
      'Go on.',
      ({ type, ...delta }) => type === 'live' && 'event' in delta && delta.event.type === 'live-block',
    )
    await runtime.settled(id)
    const request = await until(
      COMMAND,
      (delta) => delta.type === 'event' && delta.event.type === 'permission-asked',
    )
    await runtime.dispatch({ type: 'conversation.stop', conversationId: id })
    if (process.argv.includes('--files')) printWalks({ token, request })
    return figuresOf({ 'its first token': token, 'a permission request': request })
  } finally {
    await program.close()
    child.kill()
    await rm(base, { recursive: true, force: true })
  }
}

/** The walk from an action to the first delta that ends it. */
async function measured(
  subscribe: (listener: (delta: RuntimeDelta) => void) => () => void,
  act: () => Promise<void>,
  isEnd: (delta: RuntimeDelta) => boolean,
): Promise<Walk> {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  // A session of its own thread answers within the call.
  session.post('Profiler.takePreciseCoverage')
  const walked = new Promise<Walk>((resolve, reject) => {
    const end = subscribe((delta) => {
      if (!isEnd(delta)) return
      session.post('Profiler.takePreciseCoverage', (failure, { result }) => {
        if (failure) reject(failure)
        else resolve({ calls: callsIn(result) })
      })
      queueMicrotask(end)
    })
  })
  await act()
  const walk = await walked
  session.post('Profiler.stopPreciseCoverage')
  session.disconnect()
  return walk
}

const SOURCES = pathToFileURL(join(ROOT, 'src/')).href

function callsIn(scripts: readonly Coverage[]): ReadonlyMap<string, number> {
  const calls = new Map<string, number>()
  for (const { url, functions } of scripts) {
    if (!url.startsWith(SOURCES) || url.includes('/testing/')) continue
    const count = functions.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0)
    if (count > 0) calls.set(url.slice(SOURCES.length), count)
  }
  return calls
}

interface Coverage {
  readonly url: string
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[]
}

function figuresOf(walks: Readonly<Record<string, Walk>>): readonly Figure[] {
  return Object.entries(walks).flatMap(([end, { calls }]) => {
    const values = { files: calls.size, calls: [...calls.values()].reduce((sum, count) => sum + count, 0) }
    return Object.entries(values).map(([kind, value]) => {
      const name = `${kind} from a prompt to ${end}`
      const [limit = 0, goal = 0] = LIMITS[name] ?? []
      return { name, value, limit, goal }
    })
  })
}

/** Prints the files of each walk with their calls, the most called first. */
function printWalks(walks: Readonly<Record<string, Walk>>): void {
  for (const [end, { calls }] of Object.entries(walks)) {
    process.stdout.write(`\n## ${end}\n`)
    for (const [path, count] of [...calls].sort(([, one], [, other]) => other - one))
      process.stdout.write(`${count} ${path}\n`)
  }
}

/** The scripted API in a process of its own: what it runs does not count. */
async function startApi(): Promise<{
  readonly child: ChildProcess
  readonly baseUrl: string
  readonly apiKey: string
}> {
  const child = fork(import.meta.filename, ['api'], { stdio: 'inherit' })
  const { baseUrl, apiKey } = await new Promise<{ baseUrl: string; apiKey: string }>((resolve, reject) => {
    child.once('error', reject)
    child.once('message', (started) => resolve(started as { baseUrl: string; apiKey: string }))
  })
  return { child, baseUrl, apiKey }
}

/** Runs the command where the last message names it, and otherwise answers with a text. */
async function serve(): Promise<void> {
  const server = await startScriptedServer({
    director: {
      reply: async ({ messages }) => {
        const last = messages.at(-1)?.content.at(-1)
        const isCommand = last?.type === 'text' && last.text.includes(COMMAND)
        return isCommand
          ? {
              blocks: [
                { type: 'tool_use', name: 'Bash', input: { command: COMMAND, description: 'Make a file' } },
              ],
            }
          : { blocks: [{ type: 'text', text: 'Done.' }] }
      },
    },
    pace: 0,
    keepRequests: 1,
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ baseUrl: server.baseUrl, apiKey: server.apiKey })
}

if (import.meta.main) {
  if (process.argv[2] === 'api') await serve()
  else {
    const figures = await walk()
    process.stdout.write(process.argv.includes('--json') ? JSON.stringify(figures) : printFigures(figures))
  }
}
