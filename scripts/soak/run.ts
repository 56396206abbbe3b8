/**
 * `npm run soak`: runs the real runtime with at least eight agents at work against a script that answers
 * immediately, and reports growth. `--minutes N` (default 10; fractions allowed).
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median } from '../../bench/figure.ts'
import { type ProcessFacts, processFacts } from '../../bench/process-facts.ts'
import { inFreshFolders } from '../../bench/troupe.ts'
import { startScriptedServer } from '../../src/main/features/rehearsal/feature.ts'
import { createBusyDirector } from './busy-director.ts'
import type { Sample } from './busy-runtime.ts'
import { growthOf, type Limit } from './growth.ts'

type Facts = Sample & ProcessFacts & { readonly at: number; readonly pace: number }

/** Minimum average number of working agents for a valid run. */
const AT_WORK = 8
/** The first part is ignored: code is compiled and caches fill. */
const WARM_UP = 0.15

/**
 * Growth limits. Each is above the normal variation between quarters, and below a leak of a few hundred bytes
 * for each of ten thousand agents, or of one handle per minute.
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
    why: 'live objects: conversations in progress differ by 1 to 2 MB between samples',
  },
  {
    name: 'own memory (PSS without files)',
    unit: 'MB',
    of: ({ own }) => own,
    limit: { share: 0.2, amount: 10 },
    why: 'the heap grows with the pace of the work; leaks outside the heap show here',
  },
  {
    name: 'open handles',
    unit: '',
    of: ({ handles }) => handles,
    limit: { share: 0, amount: 6 },
    why: 'transcripts, pipes and sockets of the agents at work during a sample',
  },
  {
    name: 'child processes',
    unit: '',
    of: ({ children }) => children,
    limit: { share: 0, amount: 4 },
    why: 'commands that run during a sample',
  },
  {
    name: 'event-loop delay (p99)',
    unit: 'ms',
    of: ({ delay }) => delay,
    limit: { share: 1, amount: 50 },
    why: 'other load on the machine counts too',
  },
  {
    name: 'CPU for 1,000 turns',
    unit: 's',
    of: ({ pace }) => pace,
    limit: { share: 0.25, amount: 0.5 },
    why: 'other load costs caches; work that slows down over time shows here',
  },
]

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const minutes = Number(values.minutes)
if (!(minutes > 0)) {
  console.error(`--minutes must be a number above 0, not "${values.minutes}".`)
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
    // ms per turn equal seconds per thousand turns.
    all.push({ ...sample, ...facts, at, pace: (sample.cpu - (former?.cpu ?? 0)) / Math.max(1, turns) })
    // Deleted conversations stay in the trash for users; here they would only fill the disk.
    await rm(join(home, 'trash'), { recursive: true, force: true, maxRetries: 5 })
    if (at < nextLine) continue
    nextLine += Math.max(60_000, samplesMs / 60)
    console.log(line(all.at(-1) as Facts))
  }
  return all
}

/** Samples the idle runtime, then closes it. */
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
    console.log('GREW  child processes: some were left while nothing was at work')
    isGood = false
  }
  const atWork = median(judged.map(({ meanAtWork }) => meanAtWork))
  const least = Math.min(...judged.map(({ leastAtWork }) => leastAtWork))
  console.log(`agents at work: ${atWork.toFixed(1)} on average, ${least} minimum`)
  if (!(atWork >= AT_WORK)) console.log(`Too few agents were at work: at least ${AT_WORK} are needed.`)
  return isGood && atWork >= AT_WORK ? 0 : 1
}
