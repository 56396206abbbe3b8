/** A store in a new folder, with helpers for tests. */
import { join } from 'node:path'
import type { AgentEvent } from '../../../../shared/events/agent-event.ts'
import type { Result } from '../../../../shared/kernel/result.ts'
import { sampleRecord } from '../../../../shared/testing/sample-log.ts'
import type { ConversationLog, TranscriptStore } from '../../../runtime/ports/transcripts.ts'
import { createSystemClock } from '../../system/machine-time.ts'
import type { StoreProblem } from '../conversation-records.ts'
import { createTranscriptStore, type TranscriptStoreOptions } from '../create-transcript-store.ts'
import { tempFolder } from './temp-folder.ts'

interface TestStore {
  readonly dataFolder: string
  readonly store: TranscriptStore
  readonly problems: StoreProblem[]
  /** Another store on the same folder, like that of another process except for the lock. */
  another(options?: Partial<TranscriptStoreOptions>): TranscriptStore
  transcript(agentId: string): string
  /** A conversation with these transcripts, written and closed. */
  write(conversationId: string, events: readonly AgentEvent[]): Promise<void>
}

export async function openStore(options: Partial<TranscriptStoreOptions> = {}): Promise<TestStore> {
  const dataFolder = await tempFolder()
  const problems: StoreProblem[] = []
  const another: TestStore['another'] = (more = {}) =>
    createTranscriptStore({
      dataFolder,
      clock: createSystemClock(),
      onProblem: (problem) => problems.push(problem),
      ...options,
      ...more,
    })
  const store = another()
  return {
    dataFolder,
    store,
    problems,
    another,
    transcript: (agentId) => join(dataFolder, 'tasks', agentId, 'transcript.jsonl'),
    write: async (conversationId, events) => {
      const agentIds = [...new Set(events.map((event) => event.agentId))]
      const log = unwrap(await store.open(sampleRecord(conversationId, agentIds)))
      await writeAll(log, events)
      await log.close()
    },
  }
}

export async function writeAll(log: ConversationLog, events: readonly AgentEvent[]): Promise<void> {
  for (const event of events) log.append(event)
  for (const agentId of new Set(events.map((event) => event.agentId))) unwrap(await log.flush(agentId))
}

export async function readAll(store: TranscriptStore, agentId: string): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const batch of store.events(agentId)) events.push(...unwrap(batch))
  return events
}

export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.type}: ${result.failure.message}`)
  return result.value
}
