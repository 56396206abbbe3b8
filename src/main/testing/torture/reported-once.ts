/** Messages between agents, and notices of ends: each is delivered once, however often the process dies. */
import type { EventOf } from '../../../shared/events/agent-event.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import { type AgentState, foldAgent } from '../../../shared/state/agent-state.ts'
import { callsOf, type Disk, type Transcript } from './disk.ts'

/**
 * At the end: messages that were lost, and messages that were read twice. `kept` is the text of messages still in
 * mailboxes, because no agent of that name was started.
 */
export function misdelivered(disk: Disk, kept: readonly string[]): readonly string[] {
  const read = new Map<string, number>()
  for (const event of allMessages(disk))
    for (const word of textOf(event.content).match(/word-\w+-\w+/g) ?? [])
      read.set(word, (read.get(word) ?? 0) + 1)
  return [...disk.values()].flatMap(callsOf).flatMap(({ agentId, name, started, ended }) => {
    const word =
      name === 'SendMessage' ? /word-\w+-\w+/.exec(JSON.stringify(started[0]?.input))?.[0] : undefined
    if (word === undefined) return []
    const times = (read.get(word) ?? 0) + kept.filter((message) => message.includes(`${word}"`)).length
    if (times > 1) return [`${word} of ${agentId} was read ${times} times`]
    return times === 0 && ended[0]?.isError === false
      ? [`${word} of ${agentId} was sent (${ended[0].note}) and is nowhere`]
      : []
  })
}

/** At the end: ends in the background without a notice, or with two. */
export function wronglyReported(disk: Disk): readonly string[] {
  const notices = new Map<string, number>()
  for (const { messageId, from, sender } of allMessages(disk))
    if (from === 'runtime' && sender !== null) notices.set(messageId, (notices.get(messageId) ?? 0) + 1)
  return [...disk.values()].flatMap((transcript) =>
    endsInBackground(transcript).flatMap((end) => {
      const { agentId, at, status } = end
      const times = (notices.get(`end-${agentId}-${at}`) ?? 0) + reportsOf(end, transcript, disk)
      return times === 1
        ? []
        : [`the end of ${agentId} (${status}, event ${end.seq}) was told ${times} times`]
    }),
  )
}

type End = EventOf<'agent-ended'>

function endsInBackground({ events }: Transcript): readonly End[] {
  const ends: End[] = []
  let state: AgentState | null = null
  for (const event of events) {
    state = foldAgent(state, event)
    if (event.type === 'agent-ended' && state?.parentId !== null && state?.background !== 'no')
      ends.push(event)
  }
  return ends
}

/** Results of Agent calls that contain the report of this end. */
function reportsOf(end: End, { events }: Transcript, disk: Disk): number {
  const next = events[end.seq + 1]?.order ?? Number.POSITIVE_INFINITY
  return [...disk.values()]
    .flatMap((transcript) => transcript.events)
    .filter(
      (event) =>
        event.type === 'tool-ended' &&
        event.name === 'Agent' &&
        event.display?.kind === 'agent' &&
        event.display.agentId === end.agentId &&
        event.order > end.order &&
        event.order < next,
    ).length
}

const allMessages = (disk: Disk): readonly EventOf<'user-message'>[] =>
  [...disk.values()].flatMap(({ events }) => events.filter((event) => event.type === 'user-message'))
