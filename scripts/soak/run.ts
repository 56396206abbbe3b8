/**
 * `npm run soak`: the real runtime with eight agents and more always at work, against a script that answers
 * at once; says whether anything grew. `--minutes N` (10; a fraction to try it out).
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median } from '../../bench/figure.ts'
import { type ProcessFacts, processFacts } from '../../bench/process-facts.ts'
import { inFreshFolders } from '../../bench/troupe.ts'
import { startScriptedServer } from '../../src/main/adapters/rehearsal/scripted-server.ts'
import { createBusyDirector } from './busy-director.ts'
import type { Sample } from './busy-runtime.ts'
import { growthOf, type Limit } from './growth.ts'

type Facts = Sample & ProcessFacts & { readonly at: number; readonly pace: number }

/** Fewer agents at work on average than this, and the soak proves nothing. */
const AT_WORK = 8
/** The first part is not judged: code is compiled and caches are filled. */
const WARM_UP = 0.15

/**
 * What counts as growth. Each limit is above what the same work varies by from quarter to quarter, and below
 * what a leak of a few hundred bytes for each of ten thousand agents, or of one handle a minute, would add.
 */
const watched: readonly {
  name: string
  unit: string
  of(facts: Facts): number
  limit: Limit
  why: string
}[] = [
  {
    name: 'heap after collection',
    unit: 'MB',
    of: ({ heap }) => heap,
    limit: { share: 0.05, amount: 2 },
    why: 'live objects: at each sample other conversations are under way, which is 1 to 2 MB',
  },
  {
    name: 'own memory (PSS without files)',
    unit: 'MB',
    of: ({ own }) => own,
    limit: { share: 0.2, amount: 10 },
    why: 'the collector lets its heap grow with the pace of the work; what leaks outside of it shows here',
  },
  {
    name: 'open handles',
    unit: '',
    of: ({ handles }) => handles,
    limit: { share: 0, amount: 6 },
    why: 'transcripts, pipes and sockets of the agents that are at work when it is looked',
  },
  {
    name: 'child processes',
    unit: '',
    of: ({ children }) => children,
    limit: { share: 0, amount: 4 },
    why: 'commands that run when it is looked',
  },
  {
    name: 'event-loop delay (p99)',
    unit: 'ms',
    of: ({ delay }) => delay,
    limit: { share: 1, amount: 50 },
    why: 'the machine may be busy with something else',
  },
  {
    name: 'CPU for 1,000 turns',
    unit: 's',
    of: ({ pace }) => pace,
    limit: { share: 0.25, amount: 0.5 },
    why: 'what others do on the machine costs caches; work that slows with what was done before shows here',
  },
]

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const minutes = Number(values.minutes)
if (!(minutes > 0)) {
  console.error(`--minutes wants a number above 0, not "${values.minutes}".`)
  process.exit(2)
}
if (process.platform !== 'linux') {
  console.error('The soak reads /proc, which only Linux has.')
  process.exit(2)
}
const samplesMs = minutes * 60_000
const everyMs = Math.max(500, Math.min(10_000, samplesMs / 80))

process.exitCode = await inFreshFolders({}, async ({ folder, home }) => {
  const director = createBusyDirector()
  const server = await startScriptedServer({ director, keepRequests: 0 })
  const args = [server.baseUrl, server.apiKey, home, folder]
  const child = fork(join(import.meta.dirname, 'busy-runtime.ts'), args, { execArgv: ['--expose-gc'] })
  const died = once(child, 'exit').then(([code, signal]: (number | string | null)[]) => {
    throw new Error(`The runtime’s process ended by itself (${code ?? signal}).`)
  })
  died.catch(() => undefined)
  try {
    const all = await Promise.race([soak(child, home), died])
    const rest = await Promise.race([restOf(child), died])
    return conclude(all, rest)
  } finally {
    child.kill('SIGKILL')
    await server.close()
  }
})

async function soak(child: ChildProcess, home: string): Promise<readonly Facts[]> {
  const begun = performance.now()
  const all: Facts[] = []
  let nextLine = 0
  while (performance.now() - begun < samplesMs) {
    await new Promise((resolve) => setTimeout(resolve, everyMs))
    const former = all.at(-1)
    const [sample, facts] = [await ask(child, 'sample'), await processFacts(child.pid ?? -1)]
    const at = performance.now() - begun
    const turns = sample.turns - (former?.turns ?? 0)
    // ms for a turn are seconds for a thousand.
    all.push({ ...sample, ...facts, at, pace: (sample.cpu - (former?.cpu ?? 0)) / Math.max(1, turns) })
    // Thrown-away conversations are kept for people; here they would only fill the disk.
    await rm(join(home, 'trash'), { recursive: true, force: true, maxRetries: 5 })
    if (at < nextLine) continue
    nextLine += Math.max(60_000, samplesMs / 60)
    console.log(line(all.at(-1) as Facts))
  }
  return all
}

/** With nothing at work any more, and then with nothing open. */
async function restOf(child: ChildProcess): Promise<ProcessFacts & { readonly heap: number }> {
  const { heap } = await ask(child, 'rest')
  return { heap, ...(await processFacts(child.pid ?? -1)) }
}

async function ask(child: ChildProcess, order: 'sample' | 'rest'): Promise<Sample> {
  const answer = once(child, 'message')
  child.send(order)
  return (await answer)[0] as Sample
}

function line(facts: Facts): string {
  const { at, heap, memory, own, handles, children, delay, turns, agentsEnded, conversations } = facts
  return [
    `${(at / 60_000).toFixed(1)} min`,
    `heap ${heap.toFixed(1)} MB`,
    `memory ${memory.toFixed(0)} MB, its own ${own.toFixed(0)} MB`,
    `${handles} handles`,
    `${children} children`,
    `delay ${delay.toFixed(0)} ms`,
    `${turns} turns`,
    `${agentsEnded} agents ended`,
    `${conversations} conversations`,
  ].join(' · ')
}

/** The exit code: 1 where something grew, or too little was at work. */
function conclude(all: readonly Facts[], rest: ProcessFacts & { readonly heap: number }): number {
  const judged = all.slice(Math.ceil(all.length * WARM_UP))
  const last = all.at(-1)
  if (!last) return 1
  console.log(`at rest · heap ${rest.heap.toFixed(1)} MB · memory ${rest.memory.toFixed(0)} MB, its own ${rest.own.toFixed(0)} MB · ${rest.handles} handles · ${rest.children} children
${last.stopped} agents were stopped by hand, ${last.queued} messages were queued`)
  let isGood = true
  for (const { name, unit, of, limit, why } of watched) {
    const { first, last, grew } = growthOf(judged.map(of), limit)
    if (grew) isGood = false
    const allowed = `+${limit.share * 100} % and ${limit.amount}${unit && ` ${unit}`}: ${why}`
    console.log(
      `${grew ? 'GREW ' : 'level'} ${name}: ${first.toFixed(1)} → ${last.toFixed(1)} ${unit} (allowed ${allowed})`,
    )
  }
  if (rest.children > 0) {
    console.log('GREW  child processes: some were left when nothing was at work any more')
    isGood = false
  }
  const atWork = median(judged.map(({ meanAtWork }) => meanAtWork))
  const least = Math.min(...judged.map(({ leastAtWork }) => leastAtWork))
  console.log(`agents at work: ${atWork.toFixed(1)} on average, ${least} at the least`)
  if (!(atWork >= AT_WORK)) console.log(`Too few agents were at work: ${AT_WORK} should be.`)
  return isGood && atWork >= AT_WORK ? 0 : 1
}
