/** A gigabyte of conversations of another agent program: listed for the first time, listed again, searched, and one of them opened. */
import { execFileSync } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { createHistories } from '../src/main/features/histories/histories.ts'
import { composeSearch } from '../src/main/features/search/feature.ts'
import { findRipgrep } from '../src/main/platform/search/ripgrep-search.ts'
import { createSystemClock, machineElapsed } from '../src/main/platform/system/machine-time.ts'
import { createTranscriptStore } from '../src/main/platform/transcripts/create-transcript-store.ts'
import { ok } from '../src/shared/kernel/result.ts'
import { plainQuery } from '../src/shared/search/search.ts'
import { type Figure, median } from './figure.ts'
import { root } from './troupe.ts'

const FILES = 100
const LINES = 10_000
/** Of the one that is opened. */
const LONG = 100_000
const RUNS = 3
const SEARCHES = 9
const FIRST = 200

export async function measure(): Promise<readonly Figure[]> {
  const base = await mkdtemp(join(tmpdir(), 'troupe-bench-'))
  try {
    const project = join(base, '.claude', 'projects', '-work-shop')
    await mkdir(project, { recursive: true })
    for (let at = 0; at < FILES; at++) await writeSession(join(project, `session-${at}.jsonl`), LINES)
    await appendFile(
      join(project, `session-${FILES - 1}.jsonl`),
      lineOf(LINES - 1).replaceAll('Line ', 'Lonely line '),
    )
    const [first, again, opened]: [number[], number[], number[]] = [[], [], []]
    const [grown, delays]: [number[], number[]] = [[], []]
    const clock = createSystemClock()
    const startIn = (dataFolder: string) =>
      createHistories({
        ...{ dataFolder, home: base, variables: {}, elapsed: machineElapsed },
        settings: { current: { histories: { claude: true }, recentFolders: [], trustedFolders: [] } },
        cache: (folder) => createTranscriptStore({ dataFolder: folder, clock }),
      })
    for (let run = 0; run < RUNS; run++) {
      const dataFolder = join(base, `data-${run}`)
      const delay = monitorEventLoopDelay({ resolution: 1 })
      delay.enable()
      first.push(await timed(async () => void (await startIn(dataFolder).list({ program: 'claude' }))))
      delay.disable()
      delays.push(delay.percentile(99) / 1e6)
      await appendFile(join(project, 'session-0.jsonl'), lineOf(LINES + run))
      again.push(await timed(async () => void (await startIn(dataFolder).list({ program: 'claude' }))))
    }
    const searched = await searches(base)
    await writeSession(join(project, 'long.jsonl'), LONG)
    for (let run = 0; run < RUNS; run++) {
      for (const runs of [opened, grown]) {
        const histories = startIn(join(base, `open-${run}`))
        const found = await histories.find('long')
        if (!found.ok) throw new Error(found.failure.message)
        const { id } = found.value
        runs.push(await timed(async () => void (await histories.ready(id))))
        await appendFile(join(project, 'long.jsonl'), lineOf(LONG + run))
      }
    }
    const what = '1 GB of conversations of Claude Code, 100 files of 10,000 lines'
    return [
      {
        name: `${what}: the first list`,
        unit: 'ms',
        runs: first,
        target: '≤ 10,000 ms',
        met: median(first) <= 10_000,
      },
      {
        ...{ name: `${what}: the first list, event-loop delay, p99`, unit: 'ms', runs: delays },
        ...{ target: '≤ 16 ms', met: median(delays) <= 16 },
      },
      {
        ...{ name: `${what}: the list after a restart, one file longer`, unit: 'ms', runs: again },
        ...{ target: '≤ 300 ms', met: median(again) <= 300 },
      },
      ...searched,
      {
        ...{
          name: 'a conversation of Claude Code of 100 MB, opened for the first time',
          unit: 'ms',
          runs: opened,
        },
        ...{ target: '≤ 10,000 ms', met: median(opened) <= 10_000 },
      },
      {
        ...{ name: 'the same, one line longer, opened again after a restart', unit: 'ms', runs: grown },
        ...{ target: '≤ 10,000 ms', met: median(grown) <= 10_000 },
      },
    ]
  } finally {
    await rm(base, { recursive: true, force: true })
  }
}

/** Until the first places are there, in conversations that were never opened, warm. */
async function searches(home: string): Promise<readonly Figure[]> {
  const ripgrep = await findRipgrep()
  if (!ripgrep.ok) throw new Error(ripgrep.failure.message)
  const dataFolder = join(home, 'data-0')
  const searching = composeSearch({
    ...{ dataFolder, home, variables: {}, environment: {}, rgPath: async () => ripgrep },
    settings: { current: { histories: { claude: true }, recentFolders: [], trustedFolders: [] } },
    ...{ ready: async () => ok(undefined), script: join(root, 'out', 'search.cjs') },
  })
  let count = 0
  const first = async (text: string) => {
    const searchId = `s-${++count}`
    let places = 0
    const ms = await timed(async () => {
      let part = await searching.start({ searchId, query: plainQuery(text) })
      while (part.ok && part.value.hits.length === 0 && part.value.end === null)
        part = await searching.next({ searchId })
      if (!part.ok) throw new Error(part.failure.message)
      places = part.value.hits.length
    })
    if (places === 0) throw new Error(`${text} was not found`)
    await searching.end({ searchId })
    return ms
  }
  const what = 'search in 1 GB of conversations of Claude Code that were never opened, warm:'
  const figures: Figure[] = []
  try {
    for (const [name, text] of [
      ['a phrase of one line in each file, first places', `Line ${LINES - 3} of a text`],
      ['a phrase that only the last file has', `Lonely line ${LINES - 1} of a text`],
    ] as const) {
      await first(text)
      const runs: number[] = []
      const alone: number[] = []
      for (let run = 0; run < SEARCHES; run++) {
        alone.push(
          await timed(
            async () => void execFileSync(ripgrep.value, ['-i', '-a', '-c', text, join(home, '.claude')]),
          ),
        )
        runs.push(await first(text))
      }
      figures.push({
        reference: { name: 'ripgrep alone, all of it', runs: alone },
        ...{ name: `${what} ${name}`, unit: 'ms', runs, target: `≤ ${FIRST} ms`, met: median(runs) <= FIRST },
      })
    }
    return figures
  } finally {
    await searching.close()
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

async function writeSession(path: string, lines: number): Promise<void> {
  const file = await open(path, 'w')
  for (let at = 0; at < lines; at += 1000) {
    const piece = Array.from({ length: 1000 }, (_, more) => lineOf(at + more)).join('')
    await file.writeFile(piece)
  }
  await file.close()
}

/** One line of 1 KB: a prompt, then calls and their results in turn. */
function lineOf(at: number): string {
  const text = `Line ${at} `.padEnd(620, 'of a text that stands for what people write. ')
  const isCall = at % 2 === 1
  const call = `toolu_${isCall ? at : at - 1}`
  const content =
    at === 0
      ? text
      : isCall
        ? [{ type: 'tool_use', id: call, name: 'Bash', input: { command: text } }]
        : [{ type: 'tool_result', tool_use_id: call, content: text }]
  const usage = { input_tokens: 4, output_tokens: 20, cache_read_input_tokens: 1000 }
  const message = isCall
    ? { id: `msg_${at}`, model: 'claude-opus-4-5', role: 'assistant', content, usage }
    : { role: 'user', content }
  return `${JSON.stringify({
    ...{ parentUuid: at === 0 ? null : `u-${at - 1}`, isSidechain: false, cwd: '/work/shop', sessionId: 's' },
    ...{ type: isCall ? 'assistant' : 'user', message, uuid: `u-${at}` },
    timestamp: new Date(Date.UTC(2026, 2, 1) + at * 1000).toISOString(),
  })}\n`
}
