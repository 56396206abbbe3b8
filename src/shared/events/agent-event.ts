/**
 * The event vocabulary. Everything that happens to an agent is one of these events, appended to its transcript.
 * Panels, the command line, tests and the next request to the model are folds over the events. Each noun has a pair of
 * files: `<noun>-schema.ts` declares its events and its part of an agent's state, `<noun>.ts` folds and shows them.
 */
import { z } from 'zod'
import { backingEvents, backingState } from './backings-schema.ts'
import { contextEvents, contextState } from './context-schema.ts'
import { eventOrigin } from './event-schema.ts'
import { interceptionEvents } from './hooks-schema.ts'
import { lifecycleEvents, lifecycleState } from './lifecycle-schema.ts'
import { messageEvents, messageState } from './messages-schema.ts'
import { modelRequestEvents, modelRequestState } from './model-requests-schema.ts'
import { permissionEvents, permissionState } from './permissions-schema.ts'
import { toolCallEvents, toolCallState } from './tool-calls-schema.ts'
import { userCommandEvents, userCommandState } from './user-commands-schema.ts'

export * from './backings-schema.ts'
export * from './context-schema.ts'
export * from './event-schema.ts'
export * from './hooks-schema.ts'
export * from './lifecycle-schema.ts'
export * from './messages-schema.ts'
export * from './model-requests-schema.ts'
export * from './permissions-schema.ts'
export * from './tool-calls-schema.ts'
export * from './user-commands-schema.ts'

/** All durable events. */
export const agentEvent = z.discriminatedUnion('type', [
  ...lifecycleEvents,
  ...messageEvents,
  ...modelRequestEvents,
  ...toolCallEvents,
  ...userCommandEvents,
  ...permissionEvents,
  ...contextEvents,
  ...backingEvents,
  ...interceptionEvents,
])

export type AgentEvent = z.infer<typeof agentEvent>
export type AgentEventType = AgentEvent['type']
export type EventOf<T extends AgentEventType> = Extract<AgentEvent, { type: T }>

type Unstamped<E> = E extends unknown ? Omit<E, 'v' | 'agentId' | 'seq' | 'order' | 'at' | 'origin'> : never
/** An event before the transcript stamps it. */
export type AgentEventDraft = Unstamped<AgentEvent>

/** What is kept of an agent: the fold of its events, as checkpoints store it. */
export const agentState = z.object({
  id: z.string(),
  ...lifecycleState,
  ...messageState,
  ...modelRequestState,
  ...toolCallState,
  ...userCommandState,
  ...permissionState,
  ...contextState,
  ...backingState,
  /** The origin of the last event from outside this process; null: no such event. */
  origin: eventOrigin.nullable(),
  lastSeq: z.number(),
  lastOrder: z.number(),
  lastAt: z.number(),
})

type StoredState = z.infer<typeof agentState>
type Unchanging<S> = { readonly [K in keyof S]: S[K] extends (infer E)[] ? readonly Readonly<E>[] : S[K] }
export interface AgentState extends Unchanging<StoredState> {}

/**
 * Live events stream the output of a model or command to the window, and are never written. Two appends to the same
 * block may be merged.
 */
export type LiveEvent =
  /** A piece of the streaming message. `index` is its content block. */
  | {
      readonly type: 'live-block'
      readonly agentId: string
      readonly index: number
      readonly kind: 'text' | 'thinking' | 'tool'
      /** The tool's name if `kind` is `tool`. */
      readonly name: string
      readonly append: string
    }
  /** Discards everything streamed since the request started: the message is finished, or the request is retried. */
  | {
      readonly type: 'live-clear'
      readonly agentId: string
      readonly reason: 'finished' | 'retry' | 'stopped'
    }
  /** Output of a running tool. */
  | {
      readonly type: 'live-output'
      readonly agentId: string
      readonly toolUseId: string
      readonly append: string
    }

/** Whether this version knows the type. A transcript with unknown types can be read, but not resumed. */
export function isKnownEventType(type: string): boolean {
  return knownTypes.has(type)
}

const knownTypes: ReadonlySet<string> = new Set(
  agentEvent.options.map((option) => option.shape.type.value as string),
)
