/** The checks after each kill and each restart. Each check returns its findings as text. */
import { isDeepStrictEqual } from 'node:util'
import type { AgentEvent, EventOf } from '../../../shared/events/agent-event.ts'
import type { ToolContent } from '../../../shared/messages/content.ts'
import { isLive } from '../../../shared/state/agent-state.ts'
import type { ResultLine } from '../../features/run/run-outcome.ts'
import type { Crew } from './crew.ts'
import { type Call, callsOf, type Disk, type Transcript } from './disk.ts'

/** Acknowledged events and sent requests that the transcripts lack or contain differently. */
export function lost(disk: Disk, acknowledged: readonly AgentEvent[], told: Crew['told']): readonly string[] {
  const events = acknowledged.flatMap((event) => {
    const kept = disk.get(event.agentId)?.events[event.seq]
    if (isDeepStrictEqual(kept, event)) return []
    const how = kept === undefined ? 'is not there' : 'is another'
    return [`${event.agentId}: event ${event.seq} (${event.type}) ${how}`]
  })
  const calls = new Set<string>()
  const results = new Set<string>()
  for (const { events } of disk.values())
    for (const event of events) {
      if (event.type === 'tool-ended') results.add(event.toolUseId)
      if (event.type === 'assistant-message')
        for (const block of event.content) if (block.type === 'tool_use') calls.add(block.id)
    }
  return [
    ...events,
    ...[...told.calls].filter((id) => !calls.has(id)).map((id) => `the API was sent the call ${id}`),
    ...[...told.results.keys()]
      .filter((id) => !results.has(id))
      .map((id) => `the API was sent the result ${id}`),
  ]
}

/** Transcripts that do not start with their former content: transcripts are append-only. */
export function shortened(former: Disk, now: Disk): readonly string[] {
  return [...former.values()].flatMap(({ agentId, events }) => {
    const same = isDeepStrictEqual(now.get(agentId)?.events.slice(0, events.length), [...events])
    return same ? [] : [`${agentId}: its transcript does not begin with the ${events.length} events it had`]
  })
}

export const damaged = (disk: Disk): readonly string[] =>
  [...disk.values()].flatMap(({ problems }) => problems)

/** Side effects that happened twice: lines of the effects file, and intents or results of one call. */
export function doubled(disk: Disk, effects: readonly string[]): readonly string[] {
  const twice = effects.filter((effect, index) => effects.indexOf(effect) < index)
  return [
    ...twice.map((effect) => `${effect} happened twice`),
    ...allCalls(disk).flatMap(({ agentId, id, name, started, ended }) => [
      ...(started.length > 1 ? [`${agentId}: ${name} ${id} was started ${started.length} times`] : []),
      ...(ended.length > 1 ? [`${agentId}: ${name} ${id} has ${ended.length} results`] : []),
    ]),
  ]
}

/** Effects without an intent, and results of effects that did not happen. */
export function unannounced(disk: Disk, effects: readonly string[]): readonly string[] {
  const happened = new Set(effects)
  const announced = new Map<string, Call>()
  for (const call of allCalls(disk)) {
    const effect = /echo (\S+) >> effects/.exec(call.started[0]?.summary ?? '')?.[1]
    if (effect !== undefined) announced.set(effect, call)
  }
  return [
    ...effects.filter((effect) => !announced.has(effect)).map((effect) => `${effect} has no intent`),
    ...[...announced].flatMap(([effect, { ended }]) =>
      ended[0]?.isError === false && !happened.has(effect)
        ? [`${effect} has a result and never happened`]
        : [],
    ),
  ]
}

/** A resumed conversation: interrupted agents are marked as such, and every open call has a result. */
export function notClosed(before: Disk, after: Disk): readonly string[] {
  const problems: string[] = []
  for (const { agentId, events, state } of before.values()) {
    if (!state || !isLive(state) || !hasBegun({ events })) continue
    const now = after.get(agentId)
    // The results of its open calls, and what those had changed in files, come first.
    const next = now?.events
      .slice(events.length)
      .find(({ type }) => type !== 'tool-ended' && type !== 'files-changed')
    if (next?.type !== 'agent-ended' || next.status !== 'interrupted')
      problems.push(`${agentId} was cut off and is not named interrupted`)
  }
  for (const call of allCalls(after))
    if (call.ended.length === 0) problems.push(`${call.agentId}: ${call.name} ${call.id} has no result`)
  for (const { agentId, id, name } of unknownOutcomes(before)) {
    const [end] = allCalls(after).find((call) => call.id === id)?.ended ?? []
    const says = end !== undefined && saysHowItEnded(name, end)
    if (!says) problems.push(`${agentId}: ${name} ${id} was cut off, and its result does not say so`)
  }
  return problems
}

/** The result of an Agent call tells of the child: its report, or that the program ended and how to resume it. */
function saysHowItEnded(name: string, { isError, content }: EventOf<'tool-ended'>): boolean {
  const text = textOf(content)
  return name === 'Agent'
    ? /^The program ended (?:before|after)|the program ended while it worked|It can be resumed|An agent wrote this/.test(
        text,
      )
    : isError && text.startsWith('Interrupted')
}

/** Calls with an intent and no result on disk. */
export const unknownOutcomes = (disk: Disk): readonly Call[] =>
  allCalls(disk).filter(({ started, ended }) => started[0]?.sideEffects === true && ended.length === 0)

/** The interrupted calls that no model learned of. `told`: the texts that the API received since. */
export function unreported(cutOff: readonly Call[], told: Crew['told']): readonly string[] {
  return cutOff
    .filter(({ name }) => name !== 'Agent')
    .filter(({ id }) => ![...(told.results.get(id) ?? [])].some((text) => UNKNOWN.test(text)))
    .map(({ agentId, id, name }) => `${agentId} was not told that the outcome of ${name} ${id} is unknown`)
}

/** Agents on disk that the last process does not know or did not finish. */
export function unresumed(disk: Disk, result: ResultLine | null): readonly string[] {
  const statuses = new Map(result?.agents.map(({ id, status }) => [id, status]))
  return [...disk.values()].filter(hasBegun).flatMap(({ agentId }) => {
    const status = statuses.get(agentId)
    return status === 'completed' ? [] : [`${agentId} is ${status ?? 'not in the conversation'}`]
  })
}

/**
 * A subagent makes its first request once the record names it. A subagent that was interrupted before did nothing,
 * and the result of its call says so.
 */
const hasBegun = ({ events }: Pick<Transcript, 'events'>): boolean =>
  events.some(({ type }) => type === 'request-started')

const UNKNOWN = /it may or may not have taken effect/

const allCalls = (disk: Disk): readonly Call[] => [...disk.values()].flatMap(callsOf)

function textOf(content: ToolContent): string {
  return typeof content === 'string'
    ? content
    : content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
}
