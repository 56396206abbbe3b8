/** Memory of an agent in the headless process, at work and after its end. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { build } from 'vite'
import type { ScriptedReply } from '../src/main/features/rehearsal/director.ts'
import { startScriptedServer } from '../src/main/features/rehearsal/feature.ts'
import { createBrigade } from '../src/main/testing/brigade.ts'
import { type Figure, median } from './figure.ts'
import { ownSize, proportionalSize } from './process-facts.ts'
import { inFreshFolders, root } from './troupe.ts'

const RUNS = 3
const FEW = 10
const MANY = 50
const TURNS = 4
/** Conversations with this many agents, one after the other; the first ones warm up. */
const BATCHES = 6
const WARM = 3

/** MB: total, and anonymous. Differences use the second, because the first depends on pages shared with other processes. */
interface Size {
  readonly pss: number
  readonly own: number
}

interface Sizes {
  readonly idle: Size
  readonly few: Size
  readonly many: Size
  readonly perFinished: number
}

export async function measure(): Promise<readonly Figure[]> {
  const program = await buildRuntime()
  const all: Sizes[] = []
  const bare: number[] = []
  for (let run = 0; run < RUNS; run++) {
    all.push(await sizesOf(program))
    bare.push(await bareSize())
  }
  const reference = { name: 'an idle Node', runs: bare }
  const running = all.map(({ few, many }) => (many.own - few.own) / (MANY - FEW))
  const finished = all.map(({ perFinished }) => perFinished)
  const row = (name: string, runs: readonly number[]) => ({ name, unit: 'MB' as const, runs, reference })
  const noTarget = { target: 'none: input of the next rows', met: true }
  return [
    {
      ...row(
        'headless memory (PSS), no agents',
        all.map(({ idle }) => idle.pss),
      ),
      ...noTarget,
    },
    {
      ...row(
        `headless memory (PSS), ${FEW} agents at work`,
        all.map(({ few }) => few.pss),
      ),
      ...noTarget,
    },
    {
      ...row(
        `headless memory (PSS), ${MANY} agents at work`,
        all.map(({ many }) => many.pss),
      ),
      ...noTarget,
    },
    {
      ...row('memory of an agent at work', running),
      target: '≤ 1 MB',
      met: median(running) <= 1,
    },
    {
      ...row('memory of an agent that has ended, its conversation open', finished),
      target: '≤ 0.1 MB',
      met: median(finished) <= 0.1,
    },
  ]
}

/** Built as the command line is: Node's own reader of TypeScript takes 30 MB. @returns the path of the script */
async function buildRuntime(): Promise<string> {
  const outDir = join(root, 'out', 'bench')
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    resolve: { conditions: ['node', 'import', 'module', 'default'], mainFields: ['module', 'main'] },
    ssr: { noExternal: true, external: ['@vscode/ripgrep', 'electron'] },
    build: {
      ssr: join(import.meta.dirname, 'idle-runtime.ts'),
      ...{ target: 'node20.18', outDir, minify: false, copyPublicDir: false, reportCompressedSize: false },
      rolldownOptions: {
        external: [...builtinModules, /^node:/],
        output: { format: 'esm', entryFileNames: 'idle-runtime.mjs', codeSplitting: false },
      },
    },
  })
  return join(outDir, 'idle-runtime.mjs')
}

function sizesOf(program: string): Promise<Sizes> {
  return inFreshFolders({}, async ({ folder, home }) => {
    const gate = createGate()
    const brigades = new Map([FEW, MANY].map((agents) => [agents, brigadeOf(agents)]))
    const server = await startScriptedServer({
      director: {
        reply: async (request, signal): Promise<ScriptedReply> => {
          const text = JSON.stringify(request.messages[0])
          // In its last turn, each agent waits until all have been measured.
          if (/You are agent/.test(text) && request.messages.length > 2 * (TURNS - 1)) await gate.pass()
          return (brigades.get(text.includes(`Go ${FEW}"`) ? FEW : MANY) ?? brigadeOf(MANY)).reply(
            request,
            signal,
          )
        },
      },
      keepRequests: 0,
    })
    const child = fork(program, [server.baseUrl, server.apiKey, home, folder, root], {
      execArgv: ['--expose-gc'],
    })
    try {
      await heard(child, 'ready')
      const idle = await sizeOf(child)
      const atWork = async (agents: number): Promise<Size> => {
        const settled = heard(child, 'settled')
        gate.shut()
        child.send({ do: 'start', task: `Go ${agents}` })
        await gate.waiting(agents)
        const size = await sizeOf(child)
        gate.open()
        await settled
        return size
      }
      const few = await atWork(FEW)
      const many = await atWork(MANY)
      gate.open()
      const after: number[] = []
      for (let batch = 0; batch < BATCHES; batch++) {
        const settled = heard(child, 'settled')
        child.send({ do: 'start', task: `Go ${MANY}` })
        await settled
        after.push((await sizeOf(child)).own)
      }
      const [from = 0, to = 0] = [after[WARM - 1], after[BATCHES - 1]]
      return { idle, few, many, perFinished: (to - from) / ((BATCHES - WARM) * MANY) }
    } finally {
      child.kill('SIGKILL')
      await server.close()
    }
  })
}

const brigadeOf = (agents: number) => createBrigade({ agents, turns: TURNS, command: () => 'cat file.txt' })

async function sizeOf(child: ChildProcess): Promise<Size> {
  for (let round = 0; round < 3; round++) {
    const measured = heard(child, 'measured')
    child.send({ do: 'measure' })
    await measured
  }
  const pid = child.pid ?? -1
  return { pss: await proportionalSize(pid), own: await ownSize(pid) }
}

async function heard(child: ChildProcess, word: string): Promise<void> {
  for (;;) {
    const [said] = await once(child, 'message')
    if (said === word) return
  }
}

async function bareSize(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)'])
  await once(child.stdout, 'data')
  const size = await proportionalSize(child.pid ?? -1)
  child.kill('SIGKILL')
  return size
}

/** Blocks callers while closed. */
function createGate() {
  let isShut = false
  let held: (() => void)[] = []
  let watcher: (() => void) | null = null
  return {
    shut: () => {
      isShut = true
    },
    open: () => {
      isShut = false
      for (const letThrough of held) letThrough()
      held = []
    },
    pass: (): Promise<void> =>
      isShut
        ? new Promise((resolve) => {
            held.push(resolve)
            watcher?.()
          })
        : Promise.resolve(),
    /** Resolves when this many callers are blocked. */
    waiting: (count: number): Promise<void> =>
      new Promise((resolve) => {
        watcher = () => held.length >= count && resolve()
        watcher()
      }),
  }
}
