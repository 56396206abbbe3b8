/**
 * Delays requests after a rate limit. One gate serves all agents of a key, so that one 429 delays every agent. After a
 * usage limit, which lasts longer than retries do, the agents wait in the order in which they came; at its end the
 * first one makes a request, and the others follow once the API has answered it.
 */
import { splitModel } from '../../../shared/models/model-provider.ts'
import type { ModelCatalog } from '../ports/model.ts'
import type { Clock } from '../ports/ports.ts'

/** A longer wait, in ms, is a usage limit. */
export const LONGEST_PAUSE_MS = 61_000
/** The timer is checked against the clock this often: a computer that sleeps stops its timers. */
const CHECK_MS = 60_000
/** Between two agents that are released together. */
const STEP_MS = 200

/** An agent's place in the order. It keeps the place until it has passed. */
export interface GatePlace {
  readonly number: number
}

export class RateGate {
  private until = 0
  private opened = new AbortController()
  /** Whether `until` ends a usage limit. */
  private isUsageLimit = false
  private readonly places = new Set<GatePlace>()
  private nextNumber = 0
  /** The place whose request tells whether the limit is over. */
  private probe: GatePlace | null = null
  private changed = new AbortController()
  private isTimed = false
  private readonly onRefused: (until: number) => void

  /** @param onRefused called with the end of each limit that this process was told, ms since the epoch */
  constructor(onRefused: (until: number) => void = () => {}) {
    this.onRefused = onRefused
  }

  /** Milliseconds to wait from `now`; 0 while the gate is open. */
  delay(now: number): number {
    return Math.max(0, this.until - now)
  }

  /** The end of the usage limit, ms since the epoch; null: there is none. */
  get usageLimit(): number | null {
    return this.isUsageLimit ? this.until : null
  }

  /** The API refused a request until then. */
  refusedUntil(until: number, now: number): void {
    this.close(until, now)
    this.onRefused(until)
  }

  /** @param now with it, a long delay counts as a usage limit */
  close(until: number, now: number): void {
    this.until = Math.max(this.until, until)
    if (until - now > LONGEST_PAUSE_MS) this.isUsageLimit = true
    this.change()
  }

  /** Closes the gate for the rest of a usage limit that is known from before. */
  limitUntil(until: number): void {
    this.isUsageLimit = true
    this.close(until, until)
  }

  /** The key changed: limits of the old key no longer apply. */
  open(): void {
    const { opened } = this
    this.until = 0
    this.isUsageLimit = false
    this.probe = null
    this.opened = new AbortController()
    opened.abort()
    this.change()
  }

  /** Resolves after `ms`, or earlier if the gate opens or the signal aborts. */
  async wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    await clock.sleep(ms, AbortSignal.any([signal, this.opened.signal]))
  }

  /** A place behind all agents that wait. */
  join(): GatePlace {
    const place = { number: this.nextNumber++ }
    this.places.add(place)
    return place
  }

  /** Takes a place again that was given up. */
  rejoin(place: GatePlace): void {
    this.places.add(place)
  }

  /** Gives the place up: its request was answered, or the agent was stopped. */
  leave(place: GatePlace): void {
    this.places.delete(place)
    if (this.probe === place) this.probe = null
    this.change()
  }

  /** The API answered a request of this place with something else than a usage limit. */
  answered(place: GatePlace): void {
    if (this.probe !== place) return
    this.probe = null
    this.until = 0
    this.isUsageLimit = false
    this.change()
  }

  /** The API refused the request of this place: another place may ask next time. */
  refused(place: GatePlace): void {
    if (this.probe !== place) return
    this.probe = null
    this.change()
  }

  /** Resolves when this place may make a request, or the end of the limit moved (false). Ends early with the signal. */
  async turn(place: GatePlace, { clock, signal }: { clock: Clock; signal: AbortSignal }): Promise<boolean> {
    const { until } = this
    while (!signal.aborted && this.isUsageLimit) {
      if (this.until !== until) return false
      if (this.probe === null && clock.now() >= this.until && this.first === place) {
        this.probe = place
        return true
      }
      this.time(clock)
      await aborted(AbortSignal.any([signal, this.changed.signal]))
    }
    // In order, so that the agents do not all ask in one moment.
    const ahead = [...this.places].filter(({ number }) => number < place.number).length
    if (!signal.aborted && ahead > 0) await clock.sleep(ahead * STEP_MS, signal)
    return true
  }

  private get first(): GatePlace | undefined {
    return [...this.places].sort((a, b) => a.number - b.number)[0]
  }

  /** One timer for all places. */
  private time(clock: Clock): void {
    const ms = this.until - clock.now()
    if (this.isTimed || ms <= 0) return
    this.isTimed = true
    void clock.sleep(Math.min(ms, CHECK_MS), this.opened.signal).then(() => {
      this.isTimed = false
      this.change()
    })
  }

  private change(): void {
    const { changed } = this
    this.changed = new AbortController()
    changed.abort()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** One gate for each key: the main access's, and one for each provider. */
export class RateGates {
  /** The gate of the main access. */
  readonly main: RateGate
  private readonly models: Pick<ModelCatalog, 'facts'>
  private readonly byProvider = new Map<string, RateGate>()

  /** @param onRefused called with the end of each limit of the main access */
  constructor(models: Pick<ModelCatalog, 'facts'>, onRefused: (until: number) => void) {
    this.models = models
    this.main = new RateGate(onRefused)
  }

  of(model: string): RateGate {
    const provider = splitModel(model).provider === null ? undefined : this.models.facts(model).provider
    if (provider === undefined) return this.main
    const gate = this.byProvider.get(provider) ?? new RateGate()
    this.byProvider.set(provider, gate)
    return gate
  }

  /** A key changed: the limits of earlier ones no longer apply. */
  open(): void {
    this.main.open()
    for (const gate of this.byProvider.values()) gate.open()
  }
}
