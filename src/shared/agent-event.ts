/**
 * The one vocabulary. Everything that happens to an agent is one of these events, appended to its
 * transcript; panels, the command line, tests and the next request to the model are all folds over them.
 */
import { z } from 'zod'
import { assistantBlock, toolContent, userBlock } from './content.ts'
import { type PermissionMode, permissionModes } from './permission-modes.ts'
import { agentWorktree, savedWork } from './worktree.ts'

/** The version written into each event. Older ones are lifted by `upcastEvent`. */
export const EVENT_VERSION = 1

export type { PermissionMode }
export const permissionMode = z.enum(permissionModes)

/** Tokens as the API counts them; `input` is what was neither read from nor written to the cache. */
export const usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
})
export type Usage = z.infer<typeof usage>

export { noUsage } from './no-usage.ts'

/** What an agent keeps of its definition: later edits of the file never change an agent that runs. */
export const definitionSnapshot = z.object({
  name: z.string(),
  /** `built-in`, `user`, `project`, … */
  source: z.string(),
  /** The file it was read from, or null for one that is built in. */
  file: z.string().nullable(),
  /** A colour name of the eight, or `#hex`. */
  color: z.string(),
  readOnly: z.boolean(),
  oneShot: z.boolean(),
  /** Repeated at the end of every user turn. */
  reminder: z.string().nullable(),
  /** The types of agents it may start, where its definition names them; null: all. */
  agentTypes: z.array(z.string()).nullable().default(null),
  /** The types it may not start. */
  deniedAgentTypes: z.array(z.string()).default([]),
  /** Folders elsewhere that it reads unasked, links resolved: its skills', the program's docs. */
  readFolders: z.array(z.string()).default([]),
  /** Folders that it also writes unasked, links resolved: its own memory. */
  writeFolders: z.array(z.string()).default([]),
  /** What it remembers by: how far it is told of memory, and where its own folder lies. */
  memory: z.enum(['user', 'project', 'local']).nullable().default(null),
  /** It is given no instructions of user and project. */
  omitProjectInstructions: z.boolean().default(false),
  /** What narrows its tools, as `Tool(pattern)`: what is denied, and what alone is allowed. */
  rules: z
    .object({ denied: z.array(z.string()), only: z.array(z.string()) })
    .default({ denied: [], only: [] }),
  /** Tools that it is told of and may not use, with the reason: a fork has its parent's. */
  refused: z.array(z.object({ tool: z.string(), because: z.string() })).default([]),
  /** Of the whole definition, to tell whether it is another one by now; empty: it was not kept. */
  digest: z.string().default(''),
})
export type DefinitionSnapshot = z.infer<typeof definitionSnapshot>

/** What an agent may spend with all that it starts. Null: as much as whoever started it has left. */
export const spendLimits = z.object({
  tokens: z.number().int().positive().nullable(),
  usd: z.number().positive().nullable(),
  /** Since the run began, ms. */
  ms: z.number().positive().nullable(),
  /** Agents that it starts, theirs not counted. */
  spawns: z.number().int().nonnegative().nullable(),
})
export type SpendLimits = z.infer<typeof spendLimits>
export const noLimits: SpendLimits = { tokens: null, usd: null, ms: null, spawns: null }

/** How an agent is spawned where nothing else is said: in the foreground, knowing only its prompt, without limits. */
export const plainSpawn = {
  name: null,
  background: false,
  bubbles: false,
  inherits: null,
  limits: noLimits,
  instructions: [],
  worktree: null,
}

/** A file whose text an agent was given at its start, or when it first touched the folder it is for. */
export const loadedInstructions = z.object({
  path: z.string(),
  /** Whose it is: the user's for all projects, the project's, this user's for the project, of this machine, the agent's own memory. */
  scope: z.enum(['user', 'project', 'project-user', 'local', 'agent']),
  /** The file that imports it (`@path`); null: none does. */
  importedBy: z.string().nullable(),
  /** Of the text that was given; 0: the file is no longer there, and holds no more. */
  bytes: z.number(),
  /** Of the text, to tell whether it is another one by now. */
  digest: z.string().optional(),
})
export type LoadedInstructions = z.infer<typeof loadedInstructions>

/** A tool as the model is told of it. */
export const toolSchema = z.object({
  name: z.string(),
  description: z.string(),
  input_schema: z.record(z.string(), z.unknown()),
})
export type ToolSchema = z.infer<typeof toolSchema>

export const failureInfo = z.object({ type: z.string(), message: z.string() })
export type FailureInfo = z.infer<typeof failureInfo>

export const todo = z.object({
  content: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
  activeForm: z.string().optional(),
})
export type Todo = z.infer<typeof todo>

/** How a tool's result is best shown, beside the text that the model gets. */
export const toolDisplay = z.discriminatedUnion('kind', [
  /** A unified diff of one file; `patch` holds the hunks only. */
  z.object({
    kind: z.literal('diff'),
    path: z.string(),
    patch: z.string(),
    added: z.number(),
    removed: z.number(),
    created: z.boolean(),
  }),
  z.object({ kind: z.literal('terminal'), exitCode: z.number().nullable(), timedOut: z.boolean() }),
  z.object({ kind: z.literal('todos'), todos: z.array(todo) }),
  z.object({ kind: z.literal('agent'), agentId: z.string() }),
  /** A message to another agent. `how`: it waits for the agent's next turn, it resumed it, or it lies in a mailbox. */
  z.object({
    kind: z.literal('message'),
    messageId: z.string(),
    to: z.string(),
    how: z.enum(['queued', 'resumed', 'mailbox']),
  }),
])
export type ToolDisplay = z.infer<typeof toolDisplay>

/** What a permission prompt shows. `text` is the exact command, path, diff or address. */
export const permissionSubject = z.object({
  kind: z.enum(['command', 'file', 'diff', 'url', 'other']),
  /** "run a command", "write a file": reads on from the agent's name. */
  action: z.string(),
  text: z.string(),
  folder: z.string(),
})
export type PermissionSubject = z.infer<typeof permissionSubject>

const base = {
  v: z.literal(EVENT_VERSION),
  agentId: z.string(),
  /** 0, 1, 2 … without gaps, in this agent. */
  seq: z.number().int().nonnegative(),
  /** Increases over all agents of the conversation. */
  order: z.number().int().nonnegative(),
  /** Milliseconds since the epoch. */
  at: z.number(),
}

const event = <const T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ ...base, type: z.literal(type), ...shape })

/** All durable events. */
export const agentEvent = z.discriminatedUnion('type', [
  /** Always the first: who it is, and the frozen start of each of its requests. */
  event('agent-spawned', {
    conversationId: z.string(),
    parentId: z.string().nullable(),
    /** The Agent call that started it. */
    parentToolUseId: z.string().nullable(),
    definition: definitionSnapshot,
    /** Three to five words. */
    task: z.string(),
    model: z.string(),
    system: z.string(),
    tools: z.array(toolSchema),
    permissionMode,
    cwd: z.string(),
    maxTurns: z.number().int().positive(),
    depth: z.number().int().nonnegative(),
    /** By which other agents write to it; null: by its id only. */
    name: z.string().nullable().default(null),
    /** Whether its parent goes on at once and is told of its end. */
    background: z.boolean().default(false),
    /** Whether it may put questions to the user though it works in the background. */
    bubbles: z.boolean().default(false),
    /** A fork begins with this agent's messages up to and with that event. */
    inherits: z.object({ agentId: z.string(), seq: z.number().int() }).nullable().default(null),
    limits: spendLimits.default(noLimits),
    /** Whose text is in `system`. */
    instructions: z.array(loadedInstructions).default([]),
    /** Null: it works in the conversation's folder. */
    worktree: agentWorktree.nullable().default(null),
  }),
  /** Words for the agent: its prompt, a later message, or what the runtime tells it. */
  event('user-message', {
    messageId: z.string(),
    from: z.enum(['user', 'parent', 'agent', 'runtime']),
    content: z.array(userBlock),
    /** Of `agent`: the agent that wrote it. Of `runtime`: the agent of whose end it tells. */
    sender: z.string().nullable().default(null),
  }),
  event('status-changed', {
    status: z.enum(['queued', 'running', 'waiting', 'paused']),
    /** Set where the status is `waiting`. */
    waitingFor: z.enum(['permission', 'message', 'children']).nullable(),
  }),
  /** Logged and flushed before a request leaves. `attempt` counts from 1. */
  event('request-started', {
    turn: z.number().int(),
    attempt: z.number().int(),
    model: z.string(),
  }),
  /** A request that got no message. `retryAt`: when the next attempt starts, ms since the epoch; null: none. */
  event('request-failed', {
    turn: z.number().int(),
    attempt: z.number().int(),
    failure: failureInfo,
    retryAt: z.number().nullable(),
  }),
  event('assistant-message', {
    turn: z.number().int(),
    messageId: z.string(),
    model: z.string(),
    content: z.array(assistantBlock),
    stopReason: z.string(),
    usage,
    /** US dollars; null where the model has no price in our table. */
    costUsd: z.number().nullable(),
    durationMs: z.number(),
    /** How it came: [ms since the request, characters so far]. */
    pace: z.array(z.tuple([z.number(), z.number()])),
  }),
  event('permission-asked', {
    promptId: z.string(),
    toolUseId: z.string(),
    toolName: z.string(),
    subject: permissionSubject,
    /** Which rule or mode makes it ask. */
    because: z.string(),
    /** What "always" would allow from now on, as a rule; null where it can't be offered. */
    alwaysRule: z.string().nullable(),
  }),
  event('permission-answered', {
    promptId: z.string(),
    toolUseId: z.string(),
    decision: z.enum(['allow-once', 'allow-always', 'deny', 'withdrawn']),
    /** What the person said with a denial: it goes to the agent. */
    words: z.string().nullable(),
  }),
  /** The intent: logged, and flushed if `sideEffects`, before the tool runs. */
  event('tool-started', {
    toolUseId: z.string(),
    name: z.string(),
    input: z.unknown(),
    /** What the row says beside the tool's name: a path, a pattern, a command. */
    summary: z.string(),
    sideEffects: z.boolean(),
  }),
  event('tool-ended', {
    toolUseId: z.string(),
    name: z.string(),
    isError: z.boolean(),
    content: toolContent,
    /** A few words for the row's end: "412 lines", "23 matches". */
    note: z.string(),
    durationMs: z.number(),
    display: toolDisplay.nullable(),
    /** Where the whole output lies if `content` holds only its head and tail; path below the data folder. */
    outputFile: z.object({ path: z.string(), bytes: z.number() }).nullable(),
  }),
  /** Shown at its place in the transcript; the model does not see it. */
  event('notice', { level: z.enum(['info', 'warning', 'error']), text: z.string() }),
  /** Older tool results were blanked in what the model sees; the transcript keeps them. */
  event('context-cleared', { toolUseIds: z.array(z.string()) }),
  /** The model goes on from this summary; everything before it stays on disk. */
  event('context-summarised', { summary: z.string() }),
  event('permission-mode-changed', { permissionMode }),
  event('model-changed', { model: z.string() }),
  /**
   * What can be started or loaded changed while the agent runs. Its tools stay as they were described, since
   * they begin each request; it is told in words, and the descriptions take their place after a summary.
   */
  event('tools-changed', {
    /** What the model is told. */
    text: z.string(),
    /** The same in few words, for a person. */
    note: z.string(),
    /** By the tool's name: as it would be described now. */
    descriptions: z.record(z.string(), z.string()),
  }),
  /** Files that hold for a folder which the agent touched for the first time, or that changed: it is told in its next user message. */
  event('instructions-loaded', {
    files: z.array(loadedInstructions),
    /** What the model is told. */
    text: z.string(),
  }),
  /** A person wants it to rest before its next request or tool call, or to go on. */
  event('pause-changed', { paused: z.boolean() }),
  /** Whoever started it goes on without it, and is told of its end. */
  event('moved-to-background', {
    /** `call`: it was resumed by a call or a message that does not wait for it. */
    by: z.enum(['user', 'call']),
    /** Whether it may still ask a person. */
    bubbles: z.boolean(),
  }),
  /** A call waits for its report again, after it worked in the background. */
  event('awaited-again', {}),
  /** A person changed what it may spend. */
  event('limits-changed', { limits: spendLimits }),
  /** A person had it take its definition as it is now: its next request begins anew. */
  event('definition-renewed', {
    definition: definitionSnapshot,
    system: z.string(),
    tools: z.array(toolSchema),
    permissionMode,
    maxTurns: z.number().int().positive(),
    instructions: z.array(loadedInstructions).default([]),
  }),
  /** At the end of a run in a worktree of its own: its work is committed, and this is what there is. */
  event('work-saved', { work: savedWork }),
  event('agent-ended', {
    status: z.enum(['completed', 'failed', 'stopped', 'interrupted']),
    /** What goes back to the parent. */
    report: z.string(),
    failure: failureInfo.nullable(),
    reachedLimit: z.enum(['turns', 'tokens', 'money', 'time']).nullable(),
    /** Whose limit it was: its own, that of an agent above it, or that of the conversation. */
    limitOf: z.enum(['agent', 'parent', 'conversation']).nullable().default(null),
  }),
])

export type AgentEvent = z.infer<typeof agentEvent>
export type AgentEventType = AgentEvent['type']
export type EventOf<T extends AgentEventType> = Extract<AgentEvent, { type: T }>

type Unstamped<E> = E extends unknown ? Omit<E, 'v' | 'agentId' | 'seq' | 'order' | 'at'> : never
/** An event before the transcript gave it its place. */
export type AgentEventDraft = Unstamped<AgentEvent>

/**
 * Live events reach the window at once and are never written: what a model or a command is saying
 * before it has finished. They may be merged: two appends to the same place are one longer append.
 */
export type LiveEvent =
  /** A growing part of the message that streams; `index` is its content block. */
  | {
      readonly type: 'live-block'
      readonly agentId: string
      readonly index: number
      readonly kind: 'text' | 'thinking' | 'tool'
      /** The tool's name where `kind` is `tool`. */
      readonly name: string
      readonly append: string
    }
  /** What streamed since the request began is void: it was finished, or it is made again. */
  | {
      readonly type: 'live-clear'
      readonly agentId: string
      readonly reason: 'finished' | 'retry' | 'stopped'
    }
  /** Output of a tool that still runs. */
  | {
      readonly type: 'live-output'
      readonly agentId: string
      readonly toolUseId: string
      readonly append: string
    }

/** Whether a type is in this version's vocabulary; a transcript with others is read, never resumed. */
export function isKnownEventType(type: string): boolean {
  return knownTypes.has(type)
}

const knownTypes: ReadonlySet<string> = new Set(
  agentEvent.options.map((option) => option.shape.type.value as string),
)
