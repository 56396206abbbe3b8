/** What must be so after a kill and after every restart. Each check returns what is wrong, in words. */
import { isDeepStrictEqual } from 'node:util'
import type { AgentEvent } from '../../../shared/agent-event.ts'
import { isLive } from '../../../shared/agent-state.ts'
import type { ToolContent } from '../../../shared/content.ts'
import type { ResultLine } from '../../command-line/result-line.ts'
import type { Crew } from './crew.ts'
import { type Call, callsOf, type Disk, type Transcript } from './disk.ts'

/** Acknowledged events, and what the API was sent, that the transcripts do not hold or hold otherwise. */
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

/** Transcripts that do not begin with what they held before: they only ever grow. */
export function shortened(former: Disk, now: Disk): readonly string[] {
  return [...former.values()].flatMap(({ agentId, events }) => {
    const same = isDeepStrictEqual(now.get(agentId)?.events.slice(0, events.length), [...events])
    return same ? [] : [`${agentId}: its transcript does not begin with the ${events.length} events it had`]
  })
}

export const damaged = (disk: Disk): readonly string[] =>
  [...disk.values()].flatMap(({ problems }) => problems)

/** Side effects that happened twice: lines of the effects file, and intents and results of one call. */
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

/** Effects without the intent that announces them, and results that tell of an effect that is not there. */
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

/** How a cut-off conversation goes on: who was cut off is named so, and every open call has its answer. */
export function notClosed(before: Disk, after: Disk): readonly string[] {
  const problems: string[] = []
  for (const { agentId, events, state } of before.values()) {
    if (!state || !isLive(state) || !hasBegun({ events })) continue
    const now = after.get(agentId)
    const next = now?.events.slice(events.length).find(({ type }) => type !== 'tool-ended')
    if (next?.type !== 'agent-ended' || next.status !== 'interrupted')
      problems.push(`${agentId} was cut off and is not named interrupted`)
  }
  for (const call of allCalls(after))
    if (call.ended.length === 0) problems.push(`${call.agentId}: ${call.name} ${call.id} has no result`)
  for (const { agentId, id, name } of unknownOutcomes(before)) {
    const [end] = allCalls(after).find((call) => call.id === id)?.ended ?? []
    if (end?.isError !== true || !textOf(end.content).startsWith('Interrupted'))
      problems.push(`${agentId}: ${name} ${id} was cut off, and its result does not say so`)
  }
  return problems
}

/** Calls whose intent is on the disk and whose result is not. */
export const unknownOutcomes = (disk: Disk): readonly Call[] =>
  allCalls(disk).filter(({ started, ended }) => started[0]?.sideEffects === true && ended.length === 0)

/** Of these cut-off calls, those that no model was told of: `told` is what the API was sent since. */
export function untold(cutOff: readonly Call[], told: Crew['told']): readonly string[] {
  return cutOff
    .filter(({ name }) => name !== 'Agent')
    .filter(({ id }) => ![...(told.results.get(id) ?? [])].some((text) => UNKNOWN.test(text)))
    .map(({ agentId, id, name }) => `${agentId} was not told that the outcome of ${name} ${id} is unknown`)
}

/** Agents of the disk that the process that ended well does not know, or has not brought to their end. */
export function unresumed(disk: Disk, result: ResultLine | null): readonly string[] {
  const statuses = new Map(result?.agents.map(({ id, status }) => [id, status]))
  return [...disk.values()].filter(hasBegun).flatMap(({ agentId }) => {
    const status = statuses.get(agentId)
    return status === 'completed' ? [] : [`${agentId} is ${status ?? 'not in the conversation'}`]
  })
}

/**
 * A subagent makes its first request once its conversation names it. One that was cut off before has done
 * nothing and said nothing, and the call that started it is told so.
 */
const hasBegun = ({ events }: Pick<Transcript, 'events'>): boolean =>
  events.some(({ type }) => type === 'request-started')

const UNKNOWN = /whether it had its effect is unknown/

const allCalls = (disk: Disk): readonly Call[] => [...disk.values()].flatMap(callsOf)

function textOf(content: ToolContent): string {
  return typeof content === 'string'
    ? content
    : content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
}
