/** Reads the transcripts of a data folder without the program's own reader. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentEvent, EventOf } from '../../../shared/events/agent-event.ts'
import { type AgentState, foldAgent } from '../../../shared/state/agent-state.ts'
import { isIntact } from '../../platform/transcripts/log-line.ts'

export interface Transcript {
  readonly agentId: string
  readonly events: readonly AgentEvent[]
  readonly state: AgentState | null
  /** Findings in its complete lines. A last line that a kill tore is none. */
  readonly problems: readonly string[]
}

export type Disk = ReadonlyMap<string, Transcript>

export async function readDisk(home: string): Promise<Disk> {
  const tasks = join(home, 'tasks')
  const ids = await readdir(tasks).catch(() => [])
  const all = await Promise.all(
    ids.map(async (agentId) => {
      const bytes = await readFile(join(tasks, agentId, 'transcript.jsonl')).catch(() => Buffer.alloc(0))
      return transcriptOf(agentId, bytes)
    }),
  )
  return new Map(all.map((transcript) => [transcript.agentId, transcript]))
}

/** The messages in all mailboxes, as in their files. */
export async function readMailboxMessages(home: string): Promise<readonly string[]> {
  const mailboxes = join(home, 'mailboxes')
  const files = await readdir(mailboxes, { recursive: true, withFileTypes: true }).catch(() => [])
  const messages = files.filter((file) => file.isFile() && /(new|cur)$/.test(file.parentPath))
  return Promise.all(messages.map((file) => readFile(join(file.parentPath, file.name), 'utf8')))
}

function transcriptOf(agentId: string, bytes: Buffer): Transcript {
  const events: AgentEvent[] = []
  const problems: string[] = []
  for (let start = 0, end = bytes.indexOf(10); end !== -1; start = end + 1, end = bytes.indexOf(10, start)) {
    const line = bytes.subarray(start, end)
    const number = events.length + problems.length + 1
    if (!isIntact(line)) {
      problems.push(`${agentId}: line ${number} is damaged`)
      continue
    }
    const { sum: _, ...event } = JSON.parse(line.toString()) as AgentEvent & { sum: string }
    if (event.seq !== events.length)
      problems.push(`${agentId}: line ${number} has number ${event.seq}, not ${events.length}`)
    events.push(event)
  }
  return { agentId, events, problems, state: events.reduce<AgentState | null>(foldAgent, null) }
}

/** The calls in an agent's messages, with their intents and results. */
export interface Call {
  readonly agentId: string
  readonly id: string
  readonly name: string
  readonly started: readonly EventOf<'tool-started'>[]
  readonly ended: readonly EventOf<'tool-ended'>[]
}

export function callsOf({ agentId, events }: Transcript): readonly Call[] {
  const calls = new Map<string, { name: string; started: Call['started'][0][]; ended: Call['ended'][0][] }>()
  for (const event of events) {
    if (event.type === 'assistant-message')
      for (const block of event.content)
        if (block.type === 'tool_use') calls.set(block.id, { name: block.name, started: [], ended: [] })
    if (event.type === 'tool-started') calls.get(event.toolUseId)?.started.push(event)
    if (event.type === 'tool-ended') calls.get(event.toolUseId)?.ended.push(event)
  }
  return [...calls].map(([id, call]) => ({ agentId, id, ...call }))
}
