/** A data folder with many made conversations, for searches and lists over all of them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { conversationLogKind } from '../src/main/platform/transcripts/log-kind.ts'
import { encodeLine } from '../src/main/platform/transcripts/log-line.ts'
import { writeSnapshot } from '../src/main/platform/transcripts/state-snapshot.ts'
import { eventsOfRecord } from '../src/shared/events/conversation-event.ts'
import { SampleLog, sampleRecord } from '../src/shared/testing/sample-log.ts'

interface MadeTranscripts {
  readonly conversations: number
  /** Of each conversation, the main agent among them. */
  readonly agents: number
  /** Of each agent's transcript, about. */
  readonly bytes: number
}

const NOW = 1_790_000_000_000
const MINUTE = 60_000
/** Stands in one text of the oldest conversation. */
export const RARE = 'the heliotrope ledger'
/** Stands in every agent's transcript. */
export const COMMON = 'charge key'

/** Writes the conversations; the first one is the newest. @returns the bytes of all transcripts */
export async function writeTranscripts(dataFolder: string, made: MadeTranscripts): Promise<number> {
  const next = numbers(7)
  const word = () => WORDS[next() % WORDS.length] ?? ''
  const text = (words: number) => Array.from({ length: words }, word).join(' ')
  const folder = join(dataFolder, 'conversations')
  mkdirSync(folder, { recursive: true })
  let bytes = 0
  for (let at = 0; at < made.conversations; at++) {
    const id = `c-${String(at).padStart(20, '0')}`
    const agentIds = Array.from({ length: made.agents }, (_, agent) => `a-${at}-${agent}`)
    const endedAt = NOW - at * 45 * MINUTE
    for (const [agent, agentId] of agentIds.entries()) {
      const log = new SampleLog({ conversationId: id, now: endedAt - 30 * MINUTE, step: 1000 })
      log.spawn(agentId, agent === 0 ? {} : { parentId: agentIds[0] ?? null, task: text(5) })
      log.receives(agentId, text(40), agent === 0 ? 'user' : 'parent')
      let lines = log.events.splice(0).map(encodeLine).join('')
      for (let turn = 0; lines.length < made.bytes; turn++) {
        const isRare = at === made.conversations - 1 && agent === 0 && turn === 3
        const toolUseId = `t-${at}-${agent}-${turn}`
        log.says(agentId, `${text(60)} ${turn === 5 ? COMMON : ''} ${isRare ? RARE : ''} ${text(20)}`)
        log.uses(agentId, toolUseId, 'Bash')
        log.add(agentId, 'tool-ended', {
          ...{ toolUseId, name: 'Bash', note: '40 lines' },
          content: Array.from({ length: 40 }, () => text(9)).join('\n'),
        })
        lines += log.events.splice(0).map(encodeLine).join('')
      }
      mkdirSync(join(dataFolder, 'tasks', agentId), { recursive: true })
      writeFileSync(join(dataFolder, 'tasks', agentId, 'transcript.jsonl'), lines)
      bytes += lines.length
    }
    const record = sampleRecord(id, agentIds, {
      ...{ title: text(5), folder: `/work/${word()}`, createdAt: endedAt - 30 * MINUTE, updatedAt: endedAt },
    })
    const content = eventsOfRecord(record, 1).map(encodeLine).join('')
    writeFileSync(join(folder, `${id}.jsonl`), content)
    await writeSnapshot(
      join(folder, `${id}.json`),
      { bytes: content.length, lineEnd: content.slice(-22), state: { record, lastSeq: 0, lastOrder: 0 } },
      conversationLogKind,
    )
  }
  return bytes
}

/** The same numbers each time. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state >> 8
  }
}

const WORDS =
  'order payment retry gateway attempt request amount refund capture void ledger column index migration test codemod report review branch merge worktree agent panel stream token budget limit rule prompt answer error timeout socket buffer parse render layout column header footer commit message owner signal abort queue worker route lock path file line read write edit search match key charge customer account number price total tax invoice webhook secret header cache store state event fold row view'.split(
    ' ',
  )
