/**
 * Continuing a long conversation after an end that left no checkpoint: one of 100,000 events, and one whose main agent has
 * a transcript of 206 MB that no window holds.
 */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createSystemClock } from '../src/main/platform/system/machine-time.ts'
import { createTranscriptStore } from '../src/main/platform/transcripts/create-transcript-store.ts'
import type { AgentEvent } from '../src/shared/events/agent-event.ts'
import { SampleLog, sampleRecord } from '../src/shared/testing/sample-log.ts'
import { startApi } from './api.ts'
import { type Figure, median } from './figure.ts'
import { inFreshFolders, root, runIn } from './troupe.ts'

const EVENTS = 100_000
const LONG = 206_000_000
const RUNS = 3
const CONVERSATION = 'c-00000000000000000001'
const AGENT = 'a-00000000000000000001'
/** Events of the newest page of a panel. */
const PAGE = 200

interface Resumed {
  /** ms, from the start to the first request. */
  readonly first: number
  /** MB */
  readonly peak: number
  /** ms, until state and newest page are read, as a window needs them. */
  readonly rows: number
}

export async function measure(): Promise<readonly Figure[]> {
  const many = await resume(writeMany)
  const long = await resume(writeLong)
  const name = '`troupe run --resume` with a transcript of 206 MB that was never compacted'
  return [
    {
      name: `\`troupe run --resume\` with ${EVENTS.toLocaleString('en-US')} events and no checkpoint: start to first request`,
      ...under(1500, 'ms', many, ({ first }) => first),
    },
    { name: `${name}: start to first request`, ...under(2000, 'ms', long, ({ first }) => first) },
    { name: `${name}: largest memory (RSS)`, ...under(400, 'MB', long, ({ peak }) => peak) },
    {
      name: 'a transcript of 206 MB: until its newest rows are read',
      ...under(300, 'ms', long, ({ rows }) => rows),
    },
  ]
}

function under(most: number, unit: 'ms' | 'MB', resumed: readonly Resumed[], of: (one: Resumed) => number) {
  const runs = resumed.map(of)
  return { unit, runs, target: `≤ ${most.toLocaleString('en-US')} ${unit}`, met: median(runs) <= most }
}

type Write = (log: SampleLog, keep: () => Promise<number>) => Promise<void>

async function resume(write: Write): Promise<readonly Resumed[]> {
  const api = await startApi({ agents: 0, turns: 1, command: 'true', pace: 0 })
  const resumed: Resumed[] = []
  try {
    for (let run = 0; run < RUNS; run++)
      await inFreshFolders({}, async (folders) => {
        await writeLog(folders.home, folders.folder, write)
        const arrived = api.firstRequest()
        const words = ['--resume', CONVERSATION, 'Go on', '--permission-mode', 'plan']
        const { startedAt, peak } = await runIn(folders, api, words)
        resumed.push({ first: (await arrived) - startedAt, peak, rows: await readRows(folders.home) })
      })
  } finally {
    api.close()
  }
  return resumed
}

async function readRows(home: string): Promise<number> {
  const store = createTranscriptStore({ dataFolder: home, clock: createSystemClock() })
  const begun = performance.now()
  const [record, states] = [await store.read(CONVERSATION), await store.states([AGENT])]
  const page = await store.page(AGENT, { before: null, limit: PAGE })
  if (!record.ok || !states.ok || !page.ok) throw new Error('the conversation can’t be read')
  return performance.now() - begun
}

/** `keep` writes the events so far, and returns the bytes of all. */
async function writeLog(home: string, folder: string, write: Write): Promise<void> {
  const store = createTranscriptStore({ dataFolder: home, clock: createSystemClock() })
  const opened = await store.open(sampleRecord(CONVERSATION, [AGENT], { folder }))
  if (!opened.ok) throw new Error(opened.failure.message)
  const log = new SampleLog({ conversationId: CONVERSATION, step: 1 })
  let [written, bytes] = [0, 0]
  const sizeOf = (event: AgentEvent) =>
    event.type === 'tool-ended' ? Buffer.byteLength(JSON.stringify(event)) : 400
  log.spawn(AGENT, { cwd: folder, maxTurns: EVENTS, model: 'claude-sonnet-5-5', tools: TOOLS })
  await write(log, async () => {
    for (const event of log.events.slice(written)) {
      opened.value.append(event)
      bytes += sizeOf(event)
    }
    written = log.events.length
    const flushed = await opened.value.flush(AGENT)
    if (!flushed.ok) throw new Error(flushed.failure.message)
    return bytes
  })
  await opened.value.close()
  await rm(join(home, 'tasks', AGENT, 'state.json'), { force: true })
}

const TOOLS = ['Read', 'Bash'].map((name) => ({ name, description: name, input_schema: { type: 'object' } }))

/** The agent read files, and forgot most of that by compaction. */
async function writeMany(log: SampleLog, keep: () => Promise<number>): Promise<void> {
  const read = {
    tool: 'Read',
    summary: 'src/order.ts',
    note: '40 lines',
    output: 'A line of a file.\n'.repeat(20),
  }
  while (log.events.length < EVENTS) {
    log.answers(AGENT, { text: 'The next file.', tools: [read], tokens: 10, cost: 0 })
    if (log.events.length % 1000 < 4) await keep()
  }
  log.add(AGENT, 'context-compacted')
  await keep()
}

/** Three results of real source, as long as they are kept, in each answer. Nothing was ever compacted. */
async function writeLong(log: SampleLog, keep: () => Promise<number>): Promise<void> {
  const outputs = await sources()
  for (let turn = 0; (await keep()) < LONG; turn++)
    log.answers(AGENT, {
      text: `Part ${turn}: I read these three files next, because the last ones import them.`,
      tools: ['Read', 'Read', 'Bash'].map((tool, at) => ({
        ...{ tool, summary: `src/part-${turn}-${at}.ts`, note: '400 lines' },
        output: outputs[(turn * 3 + at) % outputs.length] ?? '',
      })),
      tokens: 10,
      cost: 0,
    })
  log.answers(AGENT, { text: 'That is the whole house.', tokens: 10, cost: 0 })
  await keep()
}

/** Sources of the runtime in parts of 16 KB, with line numbers. */
async function sources(): Promise<readonly string[]> {
  const folder = join(root, 'src/main/runtime/loop')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ts'))
  const text = (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n')
  const parts = text.match(/.{15000}/gs) ?? []
  return parts.map((part) => part.replace(/^/gm, '1\t'))
}
