/** External agents: their agents and their agents' own subagents in the window, and the memory of each. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ScriptedReply } from '../src/main/features/rehearsal/director.ts'
import { startScriptedServer } from '../src/main/features/rehearsal/feature.ts'
import { openTroupe } from './electron.ts'
import { type Figure, median, percentile } from './figure.ts'
import { eventLoopDelay, frames } from './frames.ts'
import { ownSize, processesBelow } from './process-facts.ts'
import { inFreshFolders, root } from './troupe.ts'

const PROGRAMS = 4
const CHILDREN = 3
const SECONDS = 8
const RUNS = 3
const FEW = 1
const MANY = 21

export async function measure(): Promise<readonly Figure[]> {
  return [...(await inTheWindow()), await memory()]
}

function inTheWindow(): Promise<readonly Figure[]> {
  const settings = { access: { kind: 'rehearsal' }, maxParallelAgents: 20, stageLayout: 'grid' }
  return inFreshFolders(settings, async ({ folder, home }) => {
    const base = join(folder, '..')
    const scenario = join(home, 'scenario.yaml')
    await writeFile(scenario, JSON.stringify(SCENARIO))
    const started = await addProgram(base, 'streams')
    const opened = { TROUPE_SCENARIO: scenario, TROUPE_REHEARSAL_PACE: '100', HOME: base }
    const { app, page } = await openTroupe({ folder, home }, opened)
    const idleDelay = await eventLoopDelay(app, 3)
    const idle = await frames(page, 3)
    const message = page.locator('textarea[aria-label="Message"]')
    await message.fill('Stream')
    await message.press('Enter')
    await lines(started, PROGRAMS)
    // The main agent, and every session as an agent of the tree.
    await page
      .getByRole('treeitem')
      .nth(PROGRAMS * (1 + CHILDREN))
      .waitFor({ timeout: 60_000 })
    const [busyDelay, busy] = await Promise.all([eventLoopDelay(app, SECONDS), frames(page, SECONDS)])
    await app.close()
    const what = `external agents stream markdown on ${PROGRAMS * (1 + CHILDREN)} sessions at 100 tokens/s`
    const work = percentile(busy.work, 0.95)
    return [
      {
        name: `${what}: script, style and layout a frame, CPU, p95`,
        unit: 'ms',
        runs: [work],
        reference: { name: 'idle', runs: [percentile(idle.work, 0.95)] },
        target: '≤ 8 ms',
        met: work <= 8,
      },
      {
        name: `${what}: frames a second`,
        unit: 'fps',
        runs: [busy.fps],
        reference: { name: 'idle', runs: [idle.fps] },
        target: 'within 5 % of idle',
        met: busy.fps >= 0.95 * idle.fps,
      },
      {
        name: `${what}: event-loop delay of the main process, p99`,
        unit: 'ms',
        runs: [busyDelay],
        reference: { name: 'idle', runs: [idleDelay] },
        target: '≤ 16 ms',
        met: busyDelay <= 16,
      },
    ]
  })
}

const SCENARIO = {
  name: 'External agents that stream',
  steps: [
    {
      agent: '/main agent/',
      turn: 1,
      reply: [
        {
          tool: 'Agent',
          repeat: PROGRAMS,
          input: { description: 'program {{n}}', subagent_type: 'outsider', prompt: 'Stream {{n}}' },
        },
      ],
    },
    { reply: 'Done.' },
  ],
}

/** The user's definition of the measured program. @returns the file to which it adds a line for each turn */
async function addProgram(userFolder: string, mode: 'streams' | 'waits'): Promise<string> {
  const agents = join(userFolder, '.claude', 'agents')
  const started = join(userFolder, 'started')
  await mkdir(agents, { recursive: true })
  const args = JSON.stringify([join(import.meta.dirname, 'outside-program.ts'), mode])
  const lines = [
    'name: outsider',
    'description: An external agent.',
    'backing: acp',
    `command: ${process.execPath}`,
    `args: ${args}`,
    `env: { STARTED: ${JSON.stringify(started)} }`,
  ]
  await writeFile(join(agents, 'outsider.md'), `---\n${lines.join('\n')}\n---\n\nWork.\n`)
  return started
}

/** Resolves when the file has this many lines. Rejects after a minute. */
async function lines(file: string, count: number): Promise<void> {
  const begun = Date.now()
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text.split('\n').length > count) return
    if (Date.now() - begun > 60_000) throw new Error(`Only ${text.split('\n').length - 1} turns began.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function memory(): Promise<Figure> {
  const runs: number[] = []
  for (let run = 0; run < RUNS; run++)
    runs.push(((await sizeWith(MANY)) - (await sizeWith(FEW))) / (MANY - FEW))
  return {
    name: `memory of a session of an external agent, without the program: ${MANY} against ${FEW}`,
    unit: 'MB',
    runs,
    target: '≤ 2 MB',
    met: median(runs) <= 2,
  }
}

/** MB of the runtime and the guards of its programs while so many sessions are at work. */
function sizeWith(sessions: number): Promise<number> {
  return inFreshFolders({}, async ({ folder, home }) => {
    const base = join(folder, '..')
    const started = await addProgram(base, 'waits')
    const server = await startScriptedServer({
      director: { reply: async ({ messages }) => (messages.length === 1 ? starting(sessions) : DONE) },
      keepRequests: 0,
    })
    const child = fork(
      join(import.meta.dirname, 'idle-runtime.ts'),
      [server.baseUrl, server.apiKey, home, folder, root],
      { execArgv: ['--expose-gc'], env: { ...process.env, HOME: base } },
    )
    try {
      await said(child, 'ready')
      child.send({ do: 'start', task: 'Go' })
      await lines(started, sessions)
      for (let round = 0; round < 3; round++) {
        child.send({ do: 'measure' })
        await said(child, 'measured')
      }
      const pid = child.pid ?? -1
      const ours = [pid, ...(await withoutPrograms(await processesBelow(pid)))]
      return (await Promise.all(ours.map(ownSize))).reduce((sum, size) => sum + size, 0)
    } finally {
      child.kill('SIGKILL')
      await server.close()
    }
  })
}

const starting = (count: number): ScriptedReply => ({
  blocks: Array.from({ length: count }, (_, at) => ({
    type: 'tool_use',
    name: 'Agent',
    input: { description: `session ${at}`, subagent_type: 'outsider', prompt: 'Wait' },
  })),
})

const DONE: ScriptedReply = { blocks: [{ type: 'text', text: 'Done.' }] }

async function withoutPrograms(pids: readonly number[]): Promise<readonly number[]> {
  const kept = await Promise.all(
    pids.map(async (pid) => {
      const [first = ''] = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
      return first === process.execPath ? [] : [pid]
    }),
  )
  return kept.flat()
}

async function said(child: ReturnType<typeof fork>, word: string): Promise<void> {
  for (;;) {
    const [heard] = await once(child, 'message')
    if (heard === word) return
  }
}
