/** Continuing a conversation of 100,000 events, after an end that left no checkpoint. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createSystemClock } from '../src/main/platform/system/machine-time.ts'
import { createTranscriptStore } from '../src/main/platform/transcripts/create-transcript-store.ts'
import { SampleLog, sampleRecord } from '../src/shared/testing/sample-log.ts'
import { startApi } from './api.ts'
import { type Figure, median } from './figure.ts'
import { inFreshFolders, runIn } from './troupe.ts'

const EVENTS = 100_000
const RUNS = 3
const CONVERSATION = 'c-00000000000000000001'
const AGENT = 'a-00000000000000000001'

export async function measure(): Promise<readonly Figure[]> {
  const api = await startApi({ agents: 0, turns: 1, command: 'true', pace: 0 })
  const resumed: number[] = []
  try {
    for (let run = 0; run < RUNS; run++)
      await inFreshFolders({}, async (folders) => {
        await write(folders.home, folders.folder)
        const arrived = api.firstRequest()
        const words = ['--resume', CONVERSATION, 'Go on', '--permission-mode', 'plan']
        const { startedAt } = await runIn(folders, api, words)
        resumed.push((await arrived) - startedAt)
      })
  } finally {
    api.close()
  }
  return [
    {
      name: `\`troupe run --resume\` with ${EVENTS.toLocaleString('en-US')} events and no checkpoint: start to first request`,
      unit: 'ms',
      runs: resumed,
      target: '≤ 1,500 ms',
      met: median(resumed) <= 1500,
    },
  ]
}

/** A conversation whose agent read files, and forgot most of that by compaction. */
async function write(home: string, folder: string): Promise<void> {
  const store = createTranscriptStore({ dataFolder: home, clock: createSystemClock() })
  const opened = await store.open(sampleRecord(CONVERSATION, [AGENT], { folder }))
  if (!opened.ok) throw new Error(opened.failure.message)
  const log = new SampleLog({ conversationId: CONVERSATION, step: 1 })
  let written = 0
  const keep = () => {
    for (; written < log.events.length; written++) {
      const event = log.events[written]
      if (event !== undefined) opened.value.append(event)
    }
  }
  log.spawn(AGENT, { cwd: folder, maxTurns: EVENTS, model: 'claude-sonnet-5-5' })
  while (log.events.length < EVENTS) {
    log.answers(AGENT, {
      text: 'The next file.',
      tools: [
        { tool: 'Read', summary: 'src/order.ts', note: '40 lines', output: 'A line of a file.\n'.repeat(20) },
      ],
      tokens: 10,
      cost: 0,
    })
    keep()
  }
  log.add(AGENT, 'context-compacted')
  keep()
  const flushed = await opened.value.flush(AGENT)
  if (!flushed.ok) throw new Error(flushed.failure.message)
  await opened.value.close()
  for (const name of await readdir(join(home, 'tasks')))
    await rm(join(home, 'tasks', name, 'state.json'), { force: true })
}
