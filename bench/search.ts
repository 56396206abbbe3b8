/** A search in 1 GB of transcripts, warm: until its first places are there, and how long the main thread waits meanwhile. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { composeSearch } from '../src/main/features/search/feature.ts'
import { findRipgrep } from '../src/main/platform/search/ripgrep-search.ts'
import { ok } from '../src/shared/kernel/result.ts'
import { plainQuery } from '../src/shared/search/search.ts'
import { type Figure, median } from './figure.ts'
import { COMMON, RARE, writeTranscripts } from './made-transcripts.ts'
import { root } from './troupe.ts'

const MADE = { conversations: 1000, agents: 5, bytes: 200_000 }
const RUNS = 9
const FIRST = 200
const DELAY = 16

export async function measure(): Promise<readonly Figure[]> {
  const ripgrep = await findRipgrep()
  if (!ripgrep.ok) throw new Error(ripgrep.failure.message)
  const dataFolder = mkdtempSync(join(tmpdir(), 'troupe-bench-search-'))
  const searches = composeSearch({
    ...{ dataFolder, home: dataFolder, variables: {} },
    settings: { current: { histories: {}, recentFolders: [], trustedFolders: [] } },
    ready: async () => ok(undefined),
    script: join(root, 'out', 'search.cjs'),
    rgPath: async () => ripgrep,
    environment: {},
  })
  try {
    await writeTranscripts(dataFolder, MADE)
    const tasks = join(dataFolder, 'tasks')
    const logs = readdirSync(tasks).map((agent) => join(agent, 'transcript.jsonl'))
    const bare = (text: string) => {
      const begun = performance.now()
      execFileSync(ripgrep.value, ['--ignore-case', '--text', '--count', text, ...logs], {
        cwd: tasks,
        stdio: 'ignore',
      })
      return performance.now() - begun
    }
    const delays = monitorEventLoopDelay({ resolution: 1 })
    let count = 0
    const search = async (text: string) => {
      const searchId = `s-${++count}`
      const begun = performance.now()
      let first: number | null = null
      delays.enable()
      for (
        let part = await searches.start({ searchId, query: plainQuery(text) });
        ;
        part = await searches.next({ searchId })
      ) {
        if (!part.ok) throw new Error(part.failure.message)
        if (part.value.hits.length > 0) first ??= performance.now() - begun
        if (part.value.end !== null) break
      }
      delays.disable()
      return first ?? Number.NaN
    }
    const [common, rare, alone]: [number[], number[], number[]] = [[], [], []]
    await search(RARE)
    bare(RARE)
    for (let run = 0; run < RUNS; run++) {
      alone.push(bare(RARE))
      common.push(await search(COMMON))
      rare.push(await search(RARE))
    }
    const reference = { name: 'ripgrep alone, all of it', runs: alone }
    const target = `≤ ${FIRST} ms`
    const delay = delays.percentile(99) / 1e6
    return [
      {
        name: 'search in 1 GB of transcripts, warm: a phrase of every agent, first places',
        ...{ unit: 'ms', runs: common, reference, target, met: median(common) <= FIRST },
      },
      {
        name: 'search in 1 GB of transcripts, warm: a phrase of the oldest conversation alone',
        ...{ unit: 'ms', runs: rare, reference, target, met: median(rare) <= FIRST },
      },
      {
        name: 'delay of the main thread meanwhile, p99',
        ...{ unit: 'ms', runs: [delay], target: `≤ ${DELAY} ms`, met: delay <= DELAY },
      },
    ]
  } finally {
    await searches.close()
    rmSync(dataFolder, { recursive: true, force: true })
  }
}
