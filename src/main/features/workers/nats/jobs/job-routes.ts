/**
 * Jobs with the same needs wait at one subject, a route, and a worker takes jobs only from the routes whose needs it
 * has. A bucket says what each route needs: senders add to it, workers follow it.
 */
import { createHash } from 'node:crypto'
import { AckPolicy, type Consumer, type JsMsg } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { z } from 'zod'
import { jsonOrUndefined } from '../../../../../shared/kernel/json.ts'
import type { WorkerJob } from '../../../../../shared/workers/worker-protocol.ts'
import { natsFailure } from '../nats-failure.ts'
import { ANSWER_TIME, inTime, openWatch, pauseAfter } from '../waits.ts'
import { jobNames, jobSubject } from './job-names.ts'
import { type JobNeeds, needsOf, type WorkerOffer, whyUnfit } from './job-needs.ts'
import type { JobStore } from './job-store.ts'

const routeNeeds = z.object({
  protocol: z.number(),
  tools: z.array(z.string()),
  model: z.string().nullable(),
  platform: z.string().nullable(),
  repository: z.object({ id: z.string(), url: z.string().nullable() }).nullable(),
})

interface Route {
  readonly name: string
  readonly needs: JobNeeds
}

/** Null: the job does not begin with the start of an agent. */
export function routeOf(job: WorkerJob): Route | null {
  const found = needsOf(job)
  if (found === null) return null
  const { repository, tools, ...more } = found
  const needs = {
    ...more,
    tools: [...tools].sort(),
    repository: repository && { id: repository.id, url: repository.url },
  }
  return { name: nameOf(needs), needs }
}

function nameOf({ protocol, platform, model, repository, tools }: JobNeeds): string {
  const text = JSON.stringify([protocol, platform, model, repository?.id, repository?.url, tools])
  return createHash('sha256').update(text).digest('hex').slice(0, 20)
}

/** Lets workers know the route. Throws errors of NATS. */
export async function announceRoute({ routes }: JobStore, { name, needs }: Route): Promise<void> {
  await routes.put(name, JSON.stringify(needs))
}

interface TakeOptions {
  readonly store: JobStore
  /** What this worker has now. Missing: it takes the jobs of all routes. */
  readonly offer?: () => WorkerOffer
  readonly onProblem: (message: string) => void
  readonly signal: AbortSignal
}

export interface RoutedJobs {
  /** Waits for a job. Null: there was none for a while, or the signal aborted. Throws errors of NATS. */
  next(): Promise<JsMsg | null>
}

/** ms for which only the route of the last job is asked: its next job needs no requests to the others. */
const HEAD_START = 50

/** Jobs that are taken from one route before the others have their turn. */
const IN_A_ROW = 8

/** ms between two looks at the routes that have jobs. */
const LOOK = 10 * 60_000

/** Looks at which a route had no job and was not announced, before it is no longer asked. */
const LONG_IDLE = 6

export function takeFromRoutes(options: TakeOptions): RoutedJobs {
  const { store, signal } = options
  const { requestTime } = store.settings
  const routes = new Map<string, { readonly needs: JobNeeds; idle: number }>()
  const consumers = new Map<string, Promise<Consumer>>()
  /** The routes from which a request at the server asks for a job. */
  let asked = new Set<string>()
  /** Takes the first answer of a request; null: nobody waits for a job now. */
  let receive: ((answer: () => JsMsg | null, route: string) => void) | null = null
  let last = { route: '', count: 0 }
  const nothing = () => receive?.(() => null, '')
  void follow(options, (name, needs) => {
    routes.set(name, { needs, idle: 0 })
    nothing()
  })
  void lookAtRoutes()
  const stopWaiting = store.onReconnect(() => {
    // A server that was started again knows of no requests.
    asked = new Set()
    consumers.clear()
    nothing()
  })
  signal.addEventListener('abort', stopWaiting, { once: true })
  signal.addEventListener('abort', nothing, { once: true })

  async function ask(route: string): Promise<JsMsg | null> {
    const consumer = consumers.get(route) ?? openConsumer(store, route)
    consumers.set(route, consumer)
    try {
      const opened = await consumer
      return await inTime('a job', () => opened.next({ expires: requestTime }), requestTime + ANSWER_TIME)
    } catch (thrown) {
      // The server removes a consumer that nobody has used for long.
      consumers.delete(route)
      throw thrown
    }
  }

  /** Leaves a request for a job at the server. */
  async function leaveRequest(route: string): Promise<void> {
    const among = asked
    if (among.has(route)) return
    among.add(route)
    let answer = (): JsMsg | null => null
    try {
      const message = await ask(route)
      answer = () => message
      // Another request has brought a job: this one is for another worker.
      if (message !== null && receive === null) message.nak()
      if (message === null) await store.sleep(SHORTEST, signal)
    } catch (thrown) {
      answer = () => {
        throw thrown
      }
    }
    among.delete(route)
    receive?.(answer, route)
  }

  /** Of all routes that ever were, only those in use are worth a request. */
  async function lookAtRoutes(): Promise<void> {
    for (;;) {
      await store.sleep(LOOK, signal)
      if (signal.aborted) return
      const found = await store.jsm.streams
        .info(jobNames.jobs, { subjects_filter: jobSubject('*') })
        .catch(() => null)
      if (found === null) continue
      for (const [name, route] of routes)
        route.idle = found.state.subjects?.[jobSubject(name)] === undefined ? route.idle + 1 : 0
      nothing()
    }
  }

  const isAsked = (name: string): boolean => {
    const route = routes.get(name)
    if (route === undefined || route.idle >= LONG_IDLE) return false
    return options.offer === undefined || whyUnfit(options.offer(), route.needs) === null
  }

  return {
    next() {
      const answered = new AbortController()
      return new Promise((resolve, reject) => {
        receive = (answer, route) => {
          receive = null
          answered.abort()
          try {
            const message = answer()
            if (message !== null) last = { route, count: route === last.route ? last.count + 1 : 1 }
            resolve(message)
          } catch (thrown) {
            reject(thrown)
          }
        }
        const ask = async () => {
          if (last.count % IN_A_ROW !== 0 && isAsked(last.route)) {
            void leaveRequest(last.route)
            await store.sleep(HEAD_START, answered.signal)
          }
          if (!answered.signal.aborted)
            for (const name of routes.keys()) if (isAsked(name)) void leaveRequest(name)
        }
        if (signal.aborted) nothing()
        else void ask()
      })
    },
  }
}

/** ms between two requests to one route that bring nothing. */
const SHORTEST = 250

/** Calls back with each route, until the signal aborts. */
async function follow(
  { store, signal, onProblem }: TakeOptions,
  found: (name: string, needs: JobNeeds) => void,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    const stop = new AbortController()
    const stopWaiting = store.onReconnect(() => stop.abort())
    const ended = AbortSignal.any([signal, stop.signal])
    try {
      const entries = await openWatch(store.connection, store.routes)
      ended.addEventListener('abort', () => entries.stop(), { once: true })
      if (ended.aborted) entries.stop()
      for await (const entry of entries) {
        failures = 0
        const needs = routeNeeds.safeParse(
          entry.operation === 'PUT' ? jsonOrUndefined(entry.string()) : undefined,
        )
        if (needs.success && nameOf(needs.data) === entry.key) found(entry.key, needs.data)
      }
    } catch (thrown) {
      onProblem(`${natsFailure(thrown, 'The kinds of jobs can’t be read').message} It is tried again.`)
    }
    stopWaiting()
    if (!stop.signal.aborted) await store.sleep(pauseAfter(failures), signal)
  }
}

async function openConsumer({ js, jsm, settings }: JobStore, route: string): Promise<Consumer> {
  const name = `route-${route}`
  await jsm.consumers.add(jobNames.jobs, {
    durable_name: name,
    filter_subject: jobSubject(route),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(settings.ackWait),
    // The job's record counts the attempts: putting a job aside is not one.
    max_deliver: -1,
    max_ack_pending: -1,
    // Ends with the last worker of the route.
    inactive_threshold: nanos(settings.idleRoute),
  })
  return js.consumers.get(jobNames.jobs, name)
}
