/**
 * `npm run bench [NAME …] [-- --peer PATH]`: measures speed and memory, or the same work with another program. It prints a table, writes `bench/results.json`, and,
 * when everything was measured, `docs/benchmarks.md`.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { arch, cpus, platform, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { type Figure, tableOf } from './figure.ts'

const root = join(import.meta.dirname, '..')

/** In the order of the table; each is loaded only when it is run. */
const benches: Readonly<Record<string, () => Promise<{ measure(): Promise<readonly Figure[]> }>>> = {
  start: () => import('./start.ts'),
  command: () => import('./command.ts'),
  confined: () => import('./confined.ts'),
  turns: () => import('./turns.ts'),
  hooks: () => import('./hooks.ts'),
  crowd: () => import('./crowd.ts'),
  cache: () => import('./cache.ts'),
  memory: () => import('./memory.ts'),
  append: () => import('./append.ts'),
  read: () => import('./read.ts'),
  histories: () => import('./histories.ts'),
  resume: () => import('./resume.ts'),
  search: () => import('./search.ts'),
  insight: () => import('./insight.ts'),
  control: () => import('./control.ts'),
  worktrees: () => import('./worktrees.ts'),
  'agent-tests': () => import('./agent-tests.ts'),
  setups: () => import('./setups.ts'),
  jobs: () => import('./jobs.ts'),
  window: () => import('./window.ts'),
  timeline: () => import('./timeline.ts'),
  outside: () => import('./outside.ts'),
}

const words = process.argv.slice(2)
const peerAt = words.indexOf('--peer')
/** The other program, and its option out of the way. */
const [, peer] = peerAt < 0 ? [] : words.splice(peerAt, 2)
if (peerAt >= 0 && peer === undefined) {
  console.error('--peer needs the path of a program with the command line of Claude Code.')
  process.exit(2)
}
const wanted = words
const unknown = wanted.filter((name) => !(name in benches))
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}.`)
  process.exit(2)
}

const figures: Figure[] = []
/** Keeps what was measured, also for the case that a later part fails. */
const add = async (measured: readonly Figure[]) => {
  figures.push(...measured)
  const results = JSON.stringify({ machine: machine(), figures }, null, 2)
  await writeFile(join(root, 'bench', 'results.json'), `${results}\n`)
}
if (peer !== undefined) {
  console.error('peer …')
  await add(await (await import('./peer.ts')).measure(peer))
}
for (const [name, load] of Object.entries(benches)) {
  // Compared with another program, nothing else runs unless it is named.
  if (peer !== undefined && !wanted.includes(name)) continue
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.error(`${name} …`)
  await add(await (await load()).measure())
}
const table = tableOf(figures)
console.log(table)
if (wanted.length === 0 && peer === undefined)
  await writeFile(join(root, 'docs', 'benchmarks.md'), await page(table))

function machine(): string {
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} cores (${processor}), ${memory} GB, ${platform()} ${release()} ${arch()}, Node ${process.version}`
}

async function page(table: string): Promise<string> {
  const version = (JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string })
    .version
  const missed = figures.filter((figure) => !figure.met)
  return `# Benchmarks

Made by \`npm run bench\` with version ${version}, on ${machine()}. The machine is shared: compare a figure with its reference from the same run, not with another day's figure. The model answers immediately, from a scripted API in its own process. Times are wall-clock unless the row says CPU.

${table}

${missed.length === 0 ? 'All targets were met in this run.' : `Missed in this run: ${missed.map((figure) => figure.name).join('; ')}.`}
`
}
