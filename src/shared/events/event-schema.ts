/** What the events of an agent share: their head, and the shapes that several nouns use. */
import { z } from 'zod'

/** The version of new events. `upcastEvent` lifts older ones. */
export const EVENT_VERSION = 2

/** Where an event from outside this process came from. `seq` is the event's number at the sender. */
export const eventOrigin = z.object({
  backing: z.string(),
  /** Counts the processes that carried out the agent one after the other. */
  epoch: z.number().int().nonnegative(),
  seq: z.number().int().nonnegative(),
})
export type EventOrigin = z.infer<typeof eventOrigin>

const head = {
  v: z.literal(EVENT_VERSION),
  agentId: z.string(),
  /** 0, 1, 2 … without gaps, for each agent. */
  seq: z.number().int().nonnegative(),
  /** Increases across all agents of the conversation. */
  order: z.number().int().nonnegative(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** Set on events from outside this process. */
  origin: eventOrigin.optional(),
}

/** A durable event of an agent: its type, and its fields beside the head. */
export const declareEvent = <const T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ ...head, type: z.literal(type), ...shape })

export const failureInfo = z.object({ type: z.string(), message: z.string() })
export type FailureInfo = z.infer<typeof failureInfo>

/** A tool as the model receives it. */
export const toolSchema = z.object({
  name: z.string(),
  description: z.string(),
  input_schema: z.record(z.string(), z.unknown()),
  /** The entries of the list in `description`, by name: agents to start, skills to load. Not sent to the model. */
  entries: z.record(z.string(), z.string()).optional(),
  /** The source of a tool that is not built in. Not sent to the model. */
  source: z.string().optional(),
  /** A search found the tool: the model sees the schema with the search's result instead of before the conversation. */
  found: z.boolean().optional(),
})
export type ToolSchema = z.infer<typeof toolSchema>

/** An instruction file that an agent received: at its start, or when the agent first touched the file's folder. */
export const loadedInstructions = z.object({
  path: z.string(),
  /** `user`: for all projects; `project-user`: this user's, for the project; `local`: this machine's; `agent`: its own memory. */
  scope: z.enum(['user', 'project', 'project-user', 'local', 'agent']),
  /** The file that imports this one (`@path`), or null. */
  importedBy: z.string().nullable(),
  /** The length of the text; 0 for a removed file, which no longer applies. */
  bytes: z.number(),
  /** A digest of the text, to detect changes. */
  digest: z.string().optional(),
})
export type LoadedInstructions = z.infer<typeof loadedInstructions>
