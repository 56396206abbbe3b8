/** A gigabyte of conversations of another agent program: listed for the first time, listed again, and one of them opened. */
import { appendFile, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { createHistories } from '../src/main/features/histories/histories.ts'
import { createSystemClock, machineElapsed } from '../src/main/platform/system/machine-time.ts'
import { createTranscriptStore } from '../src/main/platform/transcripts/create-transcript-store.ts'
import { type Figure, median } from './figure.ts'

const FILES = 100
const LINES = 10_000
/** Of the one that is opened. */
const LONG = 100_000
const RUNS = 3

export async function measure(): Promise<readonly Figure[]> {
  const base = await mkdtemp(join(tmpdir(), 'troupe-bench-'))
  try {
    const project = join(base, '.claude', 'projects', '-work-shop')
    await mkdir(project, { recursive: true })
    for (let at = 0; at < FILES; at++) await writeSession(join(project, `session-${at}.jsonl`), LINES)
    const [first, again, opened, delays]: [number[], number[], number[], number[]] = [[], [], [], []]
    const clock = createSystemClock()
    for (let run = 0; run < RUNS; run++) {
      const dataFolder = join(base, `data-${run}`)
      const start = () =>
        createHistories({
          ...{ dataFolder, home: base, variables: {}, elapsed: machineElapsed },
          settings: { current: { histories: { claude: true }, recentFolders: [], trustedFolders: [] } },
          cache: (folder) => createTranscriptStore({ dataFolder: folder, clock }),
        })
      const delay = monitorEventLoopDelay({ resolution: 1 })
      delay.enable()
      first.push(await timed(async () => void (await start().list({ program: 'claude' }))))
      delay.disable()
      delays.push(delay.percentile(99) / 1e6)
      await appendFile(join(project, 'session-0.jsonl'), lineOf(LINES + run))
      again.push(await timed(async () => void (await start().list({ program: 'claude' }))))
    }
    await writeSession(join(project, 'long.jsonl'), LONG)
    for (let run = 0; run < RUNS; run++) {
      const histories = createHistories({
        ...{ dataFolder: join(base, `open-${run}`), home: base, variables: {}, elapsed: machineElapsed },
        settings: { current: { histories: { claude: true }, recentFolders: [], trustedFolders: [] } },
        cache: (folder) => createTranscriptStore({ dataFolder: folder, clock }),
      })
      const found = await histories.find('long')
      if (!found.ok) throw new Error(found.failure.message)
      const { id } = found.value
      opened.push(await timed(async () => void (await histories.ready(id))))
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
      {
        ...{
          name: 'a conversation of Claude Code of 100 MB, opened for the first time',
          unit: 'ms',
          runs: opened,
        },
        ...{ target: '≤ 10,000 ms', met: median(opened) <= 10_000 },
      },
    ]
  } finally {
    await rm(base, { recursive: true, force: true })
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
