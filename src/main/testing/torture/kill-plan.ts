/** Plans when processes are killed. The same seed gives the same plans. */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { RunningTroupe } from '../real-troupe.ts'
import type { Crew } from './crew.ts'

export type KillPlan =
  /** At an event of this type, after `skip` others of it. */
  | { readonly kind: 'boundary'; readonly type: AgentEvent['type']; readonly skip: number }
  /** When a request, after `skip` others, has reached the API: everything in it must be on disk by then. */
  | { readonly kind: 'request'; readonly skip: number }
  /** This many ms after so many events; after none of them: after its start. */
  | { readonly kind: 'delay'; readonly events: number; readonly ms: number }

export const asText = (plan: KillPlan): string =>
  plan.kind !== 'delay'
    ? `at ${plan.kind === 'request' ? 'request' : plan.type} ${plan.skip + 1}`
    : `${Math.round(plan.ms)} ms after its ${plan.events === 0 ? 'start' : `event ${plan.events}`}`

/** Facts about an undisturbed run: how often each event type occurs, its requests, and the ms to its first event. */
export interface Measure {
  readonly counts: ReadonlyMap<AgentEvent['type'], number>
  readonly requests: number
  readonly bootMs: number
}

/** ms after an event, so that a kill falls between events too. */
const LONGEST_DELAY = 20

/**
 * The first process of every second round dies at an event, all types in turn, or at a request; the others die at
 * random. The seed chooses the first type, so that few rounds meet all types in time. Random moments are counted in
 * events: in ms, a machine that is busy in one round and idle in the next would end runs before they are killed. One
 * in three is killed again after its restart.
 */
export function plansOf(round: number, seed: number, measure: Measure): readonly KillPlan[] {
  const random = randomFrom(seed * 1_000_003 + round)
  const types = [...measure.counts.keys()].sort()
  const boundary = (type: AgentEvent['type'] | undefined): KillPlan =>
    type === undefined
      ? { kind: 'request', skip: Math.floor(random() * measure.requests) }
      : { kind: 'boundary', type, skip: Math.floor(random() * (measure.counts.get(type) ?? 1)) }
  const total = [...measure.counts.values()].reduce((sum, count) => sum + count, 0)
  const delay = (): KillPlan =>
    random() < 0.1
      ? { kind: 'delay', events: 0, ms: random() * measure.bootMs }
      : { kind: 'delay', events: 1 + Math.floor(random() * total), ms: random() * LONGEST_DELAY }
  // One turn more than there are types is that of the requests.
  const typeAt = (turn: number) => types[(seed + turn) % (types.length + 1)]
  const plans = [round % 2 === 0 ? boundary(typeAt(round >> 1)) : delay()]
  while (random() < 1 / 3 && plans.length < 4) {
    const other = typeAt(Math.floor(random() * (types.length + 1)))
    plans.push(random() < 0.5 ? boundary(other) : delay())
  }
  return plans
}

/** Kills the process as planned, if it lives that long. */
export function killAsPlanned(running: RunningTroupe, plan: KillPlan, crew: Crew): void {
  const kill = () => running.child.kill('SIGKILL')
  if (plan.kind === 'request') {
    let left = plan.skip
    crew.onRequest = () => {
      if (left-- === 0) kill()
    }
    void running.ended.then(() => {
      crew.onRequest = null
    })
    return
  }
  if (plan.kind === 'delay' && plan.events === 0) {
    const timer = setTimeout(kill, plan.ms)
    void running.ended.then(() => clearTimeout(timer))
    return
  }
  let left = plan.kind === 'boundary' ? plan.skip : plan.events - 1
  let timer: NodeJS.Timeout | null = null
  running.onEvent((event) => {
    if (plan.kind === 'boundary' && event.type !== plan.type) return
    if (left-- !== 0) return
    if (plan.kind === 'boundary') kill()
    else timer = setTimeout(kill, plan.ms)
  })
  void running.ended.then(() => clearTimeout(timer ?? undefined))
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
