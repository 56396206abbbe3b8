/** What an agent is told while it runs, and how full its context window is. */
import { z } from 'zod'
import { declareEvent, loadedInstructions, toolSchema } from './event-schema.ts'

/** The state of a file of which the agent was told that others changed it. Null: it is gone. */
const toldFile = z.object({
  path: z.string(),
  state: z.object({ mtimeMs: z.number(), size: z.number() }).nullable(),
})

/** What an agent was told about an MCP server. */
const toldServer = z.object({
  state: z.enum(['starting', 'connected', 'failed']),
  /** A digest of the server's instructions that the agent received; empty: none. */
  instructions: z.string(),
})
export type ToldServer = z.infer<typeof toldServer>

/** The text for the model, which the agent's next user message contains. */
const text = z.string()
/** A short text for the user. */
const note = z.string()

export const contextEvents = [
  /** The next requests no longer contain these older tool results. The transcript keeps them. */
  declareEvent('context-cleared', { toolUseIds: z.array(z.string()) }),
  /** The next requests start with this summary. The transcript keeps everything before it. */
  declareEvent('context-compacted', { summary: z.string() }),
  /**
   * The tools, or the agents and skills they list, changed while the agent runs. The schemas in the requests stay
   * unchanged, since they start the cached prefix: a message describes the change, and the next compaction takes in
   * the new descriptions.
   */
  declareEvent('tools-changed', {
    text,
    note,
    /** By tool name: the new descriptions. */
    descriptions: z.record(z.string(), z.string()),
    /** By tool name: the entries of the list in its description. */
    entries: z.record(z.string(), z.record(z.string(), z.string())).default({}),
    /** New tools. Their schemas follow the old ones, so that the cached prefix stays valid. */
    added: z.array(toolSchema).default([]),
    /** Names of removed tools. Their schemas stay in the requests; calls fail. */
    removed: z.array(z.string()).default([]),
  }),
  /** Instruction files that changed, or of folders that the agent first touched. */
  declareEvent('instructions-loaded', { files: z.array(loadedInstructions), text }),
  /** News of MCP servers. */
  declareEvent('servers-told', { servers: z.record(z.string(), toldServer), text, note }),
  /** Files that the agent knows were changed by others. */
  declareEvent('files-told', { files: z.array(toldFile), text, note }),
  /** The permissions differ from those that the agent last received. */
  declareEvent('permissions-told', { text }),
] as const

/** In tokens. */
const contextFill = z.object({
  /** System prompt and tools: an estimate from their length. */
  prefix: z.number(),
  /** The last request with its answer; after a compaction an estimate. Null: no answer yet. */
  used: z.number().nullable(),
  /** The size of the model's context window; null: unknown. */
  window: z.number().nullable(),
})
export type ContextFill = Readonly<z.infer<typeof contextFill>>

export const contextState = { context: contextFill }
