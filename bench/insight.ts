/** What work cost, over 1,000 conversations: read for the first time, and again. In this process, as in the window's. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { composeInsight } from '../src/main/features/insight/feature.ts'
import { createSystemClock, machineElapsed } from '../src/main/platform/system/machine-time.ts'
import { createTranscriptStore } from '../src/main/platform/transcripts/create-transcript-store.ts'
import { conversationLogKind } from '../src/main/platform/transcripts/log-kind.ts'
import { encodeLine } from '../src/main/platform/transcripts/log-line.ts'
import { writeSnapshot } from '../src/main/platform/transcripts/state-snapshot.ts'
import type { AgentEvent } from '../src/shared/events/agent-event.ts'
import { eventsOfRecord } from '../src/shared/events/conversation-event.ts'
import { type InsightQuery, insightOf } from '../src/shared/insight/insight.ts'
import { SampleLog, sampleRecord } from '../src/shared/testing/sample-log.ts'
import { type Figure, median } from './figure.ts'
import { inFreshFolders } from './troupe.ts'

const CONVERSATIONS = 1000
const AGENTS = 4
const TURNS = 20
/** Bytes of a tool's result. */
const RESULT = 11_000
const COLD_RUNS = 3
const WARM_RUNS = 7
/** ms, as the window asks. */
const PART = 200

export function measure(): Promise<readonly Figure[]> {
  return inFreshFolders({}, async ({ home: dataFolder }) => {
    const bytes = await writeConversations(dataFolder)
    const cold: number[] = []
    const warm: number[] = []
    const delays: number[] = []
    const idle: number[] = []
    const begun = () => {
      const onProblem = () => {}
      const store = createTranscriptStore({ dataFolder, clock: createSystemClock() })
      return composeInsight({ dataFolder, store, elapsed: machineElapsed, onProblem })
    }
    const timed = async (reader = begun()) => {
      const start = machineElapsed()
      let known = await reader.read(PART)
      while (known.reading !== null) known = await reader.read(PART)
      const { total } = insightOf(known.conversations, QUERY)
      if (total.agents !== CONVERSATIONS * AGENTS) throw new Error(`${total.agents} agents were counted`)
      return machineElapsed() - start
    }
    for (let run = 0; run < COLD_RUNS; run++) {
      await rm(join(dataFolder, 'insight.jsonl'), { force: true })
      idle.push(await delayDuring(() => sleep(2000)))
      delays.push(await delayDuring(async () => void cold.push(await timed())))
    }
    for (let run = 0; run < WARM_RUNS; run++) warm.push(await timed())
    const kept = begun()
    await timed(kept)
    const again: number[] = []
    for (let run = 0; run < WARM_RUNS; run++) again.push(await timed(kept))
    const size = `${CONVERSATIONS.toLocaleString('en')} conversations, ${(bytes / 1e9).toFixed(1)} GB`
    return [
      {
        name: `insight: ${size}, read for the first time`,
        ...{ unit: 'ms', runs: cold, target: '≤ 20,000 ms', met: median(cold) <= 20_000 },
      },
      {
        name: `insight: ${size}, the first time: delay of the event loop, p99`,
        ...{ unit: 'ms', runs: delays, target: '≤ 16 ms', met: median(delays) <= 16 },
        reference: { name: 'nothing to do', runs: idle },
      },
      {
        name: `insight: ${size}, again after a start`,
        ...{ unit: 'ms', runs: warm, target: '≤ 1,000 ms', met: median(warm) <= 1000 },
      },
      {
        name: `insight: ${size}, again`,
        ...{ unit: 'ms', runs: again, target: '≤ 1,000 ms', met: median(again) <= 1000 },
      },
    ]
  })
}

/** The delay of the event loop while something is done: the 99th percentile, in ms. */
async function delayDuring(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await work()
  delay.disable()
  return delay.percentile(99) / 1e6
}

/** The keys in the order in which the runtime writes them. */
function inOrder(event: AgentEvent): AgentEvent {
  if (event.type !== 'tool-ended') return event
  const { v, agentId, seq, order, at, type, toolUseId, name, isError, ...rest } = event
  return { ...{ v, agentId, seq, order, at, type, toolUseId, name, isError }, ...rest }
}

const QUERY: InsightQuery = {
  ...{ by: 'definition', since: null, until: null, folder: null, rehearsal: false, within: [] },
}

/** @returns the bytes of all transcripts */
async function writeConversations(dataFolder: string): Promise<number> {
  const folder = join(dataFolder, 'conversations')
  await mkdir(folder, { recursive: true })
  const output = 'src/payments/charge.ts:41: export function charge(order)\n'.repeat(RESULT / 57)
  let bytes = 0
  for (let at = 0; at < CONVERSATIONS; at++) {
    const id = `c-${at}`
    const log = new SampleLog({ conversationId: id, now: 1_790_000_000_000 - at * 3_600_000 })
    const agentIds = Array.from({ length: AGENTS }, (_, agent) => `a-${at}-${agent}`)
    for (const [agent, agentId] of agentIds.entries()) {
      const parent = agent === 0 ? {} : { parentId: agentIds[0] ?? null }
      log.starts({ id: agentId, name: `agent-${agent % 3}`, color: 'blue', task: `Task ${agent}`, ...parent })
      for (let turn = 0; turn < TURNS; turn++)
        log.answers(agentId, {
          text: 'I look at the next file.',
          tools: [{ tool: turn % 3 === 0 ? 'Bash' : 'Read', summary: 'a.ts', note: '193 lines', output }],
        })
      log.ends(agentId, 'Done.')
      const lines = log.events.splice(0).map(inOrder).map(encodeLine).join('')
      await mkdir(join(dataFolder, 'tasks', agentId), { recursive: true })
      await writeFile(join(dataFolder, 'tasks', agentId, 'transcript.jsonl'), lines)
      bytes += lines.length
    }
    const record = sampleRecord(id, agentIds, { updatedAt: log.now, folder: `/work/shop-${at % 12}` })
    const own = eventsOfRecord(record, 1).map(encodeLine).join('')
    await writeFile(join(folder, `${id}.jsonl`), own)
    const position = { bytes: own.length, lineEnd: own.slice(-22) }
    const state = { record, lastSeq: 0, lastOrder: 0 }
    await writeSnapshot(join(folder, `${id}.json`), { ...position, state }, conversationLogKind)
  }
  return bytes
}
