/**
 * Another process on the same data folder: `node child-program.ts <data folder>`. Reads commands from standard input
 * and answers on standard output, one JSON line each.
 */
import { createInterface } from 'node:readline'
import { sampleRecord } from '../../../../shared/testing/sample-log.ts'
import type { ConversationLog } from '../../../runtime/ports/transcripts.ts'
import { createSystemClock } from '../../system/machine-time.ts'
import { createTranscriptStore } from '../create-transcript-store.ts'
import type { ChildAnswer, ChildOrder } from './child-process.ts'
import { notice, spawned } from './sample-events.ts'

const [dataFolder = ''] = process.argv.slice(2)
const store = createTranscriptStore({ dataFolder, clock: createSystemClock() })
const agentIds = ['a-1', 'a-2', 'a-3']
const lastSeq = new Map<string, number>()
const opened: { log?: ConversationLog } = {}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as ChildOrder
  if (order.do === 'open') await open(order.conversationId)
  else if (order.do === 'say') await say(order.agentId, order.size)
  else if (order.do === 'flush') await flush(order.agentId)
  else if (order.do === 'close') {
    await opened.log?.close()
    answer({ did: 'close' })
  } else for (const agentId of agentIds) void sayForEver(agentId)
}

async function open(conversationId: string): Promise<void> {
  const log = await store.open(sampleRecord(conversationId, agentIds))
  if (!log.ok) return answer({ did: 'fail', ...log.failure })
  opened.log = log.value
  const states = await store.states(agentIds)
  if (!states.ok) return answer({ did: 'fail', ...states.failure })
  for (const state of states.value) lastSeq.set(state.id, state.lastSeq)
  answer({ did: 'open' })
}

/** Until it is killed: appends a few events, some of them large, flushes, and reports that they are on disk. */
async function sayForEver(agentId: string): Promise<void> {
  for (;;) {
    for (let count = Math.ceil(Math.random() * 5); count > 0; count--)
      append(agentId, Math.random() < 0.05 ? 400_000 : Math.ceil(Math.random() * 5000))
    await flush(agentId)
  }
}

async function say(agentId: string, size: number): Promise<void> {
  append(agentId, size)
  await flush(agentId)
}

function append(agentId: string, size: number): void {
  const seq = (lastSeq.get(agentId) ?? -1) + 1
  lastSeq.set(agentId, seq)
  opened.log?.append(seq === 0 ? spawned(agentId) : notice(agentId, seq, 'x'.repeat(size)))
}

async function flush(agentId: string): Promise<void> {
  const seq = lastSeq.get(agentId) ?? -1
  const flushed = await opened.log?.flush(agentId)
  if (flushed?.ok) answer({ did: 'flush', agentId, seq })
  else if (flushed) answer({ did: 'fail', ...flushed.failure })
}

function answer(message: ChildAnswer): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}
