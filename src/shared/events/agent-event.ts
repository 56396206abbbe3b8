/**
 * The event vocabulary. Everything that happens to an agent is one of these events, appended to its transcript.
 * Panels, the command line, tests and the next request to the model are folds over the events.
 */
import { z } from 'zod'
import { filesChanged } from '../changes/changes.ts'
import {
  loginMethod,
  programAbilities,
  programCommand,
  programName,
  programOption,
  sessionBeginning,
} from '../external-agents/agent-program.ts'
import { programChoice } from '../external-agents/program-choice.ts'
import { formAnswer, formContent } from '../forms/form-schema.ts'
import { assistantBlock, toolContent, userBlock } from '../messages/content.ts'
import { effort, thinking } from '../models/model-choice-schema.ts'
import { confinement } from '../permissions/confinement.ts'
import { type PermissionMode, permissionModes } from '../permissions/permission-modes.ts'
import { backingKind, workerPlatform } from '../teams/team-schema.ts'
import { toolCallRow } from '../tools/tool-call-row.ts'
import { agentWorktree, savedWork } from '../worktrees/worktree.ts'

/** The version of new events. `upcastEvent` lifts older ones. */
export const EVENT_VERSION = 2

export type { PermissionMode }
export const permissionMode = z.enum(permissionModes)
/** Whether calls that would ask are denied although the mode asks: `plan` combined with `dontAsk`. */
const neverAsks = z.boolean().default(false)

/** Tokens as the API counts them. `input` excludes tokens read from or written to the cache. */
export const usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  /** Of `cacheWrite`, the tokens that are kept for an hour, at a price of their own. Missing: none. */
  cacheWriteHour: z.number().optional(),
})
export type Usage = z.infer<typeof usage>

export { noUsage } from '../models/no-usage.ts'

/** An agent's copy of its definition. Later edits of the file do not change the agent. */
export const definitionSnapshot = z.object({
  name: z.string(),
  /** `built-in`, `user`, `project`, … */
  source: z.string(),
  /** Null for a built-in definition. */
  file: z.string().nullable(),
  /** One of the eight color names, or `#hex`. */
  color: z.string(),
  readOnly: z.boolean(),
  oneShot: z.boolean(),
  /** Repeated at the end of every user message. */
  reminder: z.string().nullable(),
  /** The types of agents that the agent may start; null for all. */
  agentTypes: z.array(z.string()).nullable().default(null),
  /** The types that the agent may not start. */
  deniedAgentTypes: z.array(z.string()).default([]),
  /** Other folders readable without permission, links resolved: those of its skills, Troupe's docs. */
  readFolders: z.array(z.string()).default([]),
  /** Folders writable without permission, links resolved: the agent's own memory. */
  writeFolders: z.array(z.string()).default([]),
  /** The widest scope of memory that the agent receives, and the scope of its own folder. */
  memory: z.enum(['user', 'project', 'local']).nullable().default(null),
  /** Whether the agent receives no instructions of user and project. */
  omitProjectInstructions: z.boolean().default(false),
  /** Rules that narrow the tools, as `Tool(pattern)`: denied calls, and the only allowed ones. */
  rules: z
    .object({
      denied: z.array(z.string()),
      only: z.array(z.string()),
      /** Calls that need no question, for this agent only: `allowed-tools` of the user's skill that it carries out. */
      allowed: z.array(z.string()).optional(),
    })
    .default({ denied: [], only: [] }),
  /** Tools in the requests that the agent may not use, with the reason: a fork sends its parent's tools. */
  refused: z.array(z.object({ tool: z.string(), because: z.string() })).default([]),
  /** The definition's tool lists, for tools that are added later. Absent in events of version 1. */
  toolLists: z
    .object({
      tools: z.array(z.string()).nullable(),
      disallowedTools: z.array(z.string()),
      mcpServers: z.array(z.string()).nullable(),
    })
    .optional(),
  /** The definition's hooks, as written. */
  hooks: z.record(z.string(), z.unknown()).optional(),
  /** The external agent that carries out the agent; missing: none. */
  program: z
    .object({
      command: z.string(),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
      /** What its sessions should use, if the program offers it; missing: its own choice. */
      model: z.string().optional(),
      effort: z.string().optional(),
      /** The names of the MCP servers that its sessions get; missing: the definition names none. */
      mcpServers: z.array(z.string()).optional(),
    })
    .optional(),
  /** A digest of the whole definition, to detect changes; empty if missing. */
  digest: z.string().default(''),
})
export type DefinitionSnapshot = z.infer<typeof definitionSnapshot>

/** The spending limits of an agent with all agents below it. Null: only its parent's limits apply. */
export const spendLimits = z.object({
  tokens: z.number().int().positive().nullable(),
  usd: z.number().positive().nullable(),
  /** Set if nobody chose `usd`: such a limit does not refuse models without a known price. */
  usdByDefault: z.literal(true).optional(),
  /** Milliseconds since the start of the run. */
  ms: z.number().positive().nullable(),
  /** Agents started directly by the agent. */
  spawns: z.number().int().nonnegative().nullable(),
})
export type SpendLimits = z.infer<typeof spendLimits>
export const noLimits: SpendLimits = { tokens: null, usd: null, ms: null, spawns: null }

/** The defaults of a spawn: in the foreground, with only its prompt, without limits. */
export const plainSpawn = {
  name: null,
  effort: null,
  thinking: null,
  background: false,
  bubbles: false,
  inherits: null,
  limits: noLimits,
  instructions: [],
  worktree: null,
  backing: 'in-process' as const,
  teamId: null,
}

export const stopper = z.enum(['user', 'agent', 'program', 'hook'])
export type Stopper = z.infer<typeof stopper>

/** The state of a file when an agent last read or wrote the file. */
const seenFile = z.object({
  path: z.string(),
  mtimeMs: z.number(),
  size: z.number(),
  /** A digest of the content, so that a touched file counts as unchanged. Missing for large files. */
  digest: z.string().optional(),
})
export type SeenFile = z.infer<typeof seenFile>

/** An instruction file that an agent received: at its start, or when the agent first touched the file's folder. */
const loadedInstructions = z.object({
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

/** The state of a file of which the agent was told that others changed it. Null: it is gone. */
const toldFile = z.object({
  path: z.string(),
  state: z.object({ mtimeMs: z.number(), size: z.number() }).nullable(),
})

/** What an agent was told about a server of outside tools. */
const toldServer = z.object({
  state: z.enum(['starting', 'connected', 'failed']),
  /** A digest of the server's instructions that the agent received; empty: none. */
  instructions: z.string(),
})
export type ToldServer = z.infer<typeof toldServer>

/** A tool as the model receives it. */
const toolSchema = z.object({
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

/** The points at which interceptors run; see src/main/runtime/ports/interceptors.ts. */
const interceptionPoint = z.enum([
  'tool-call',
  'tool-result',
  'user-message',
  'subagent-start',
  'subagent-stop',
  'turn-end',
  'compaction',
  'notification',
  'session-start',
  'session-end',
  'permission-request',
  'permission-denied',
  'worktree-create',
  'worktree-remove',
  'turn-failed',
  'compacted',
  'task-created',
  'task-completed',
  'member-idle',
  'instructions-loaded',
  'elicitation',
  'elicitation-answered',
  'folder-changed',
  'file-changed',
  'settings-changed',
])
export type InterceptionPoint = z.infer<typeof interceptionPoint>

export const failureInfo = z.object({ type: z.string(), message: z.string() })
export type FailureInfo = z.infer<typeof failureInfo>

export const todo = z.object({
  content: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
  activeForm: z.string().optional(),
})
export type Todo = z.infer<typeof todo>

/** A tool's result for display, in addition to the text for the model. */
const toolDisplay = z.discriminatedUnion('kind', [
  /** A unified diff of one file. `patch` contains only the hunks. */
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
  /** A branch was merged into another one. */
  z.object({ kind: z.literal('merge'), branch: z.string(), into: z.string() }),
  /** A message to another agent: queued for its next turn, resuming it, or kept in a mailbox. */
  z.object({
    kind: z.literal('message'),
    messageId: z.string(),
    to: z.string(),
    how: z.enum(['queued', 'resumed', 'mailbox']),
    /** The message, if it was kept in a mailbox: no transcript has it yet. */
    text: z.string().optional(),
  }),
])
export type ToolDisplay = z.infer<typeof toolDisplay>

/** The display of a permission request. `text` is the exact command, path, diff or URL. */
export const permissionSubject = z.object({
  kind: z.enum(['command', 'file', 'diff', 'url', 'other']),
  /** "run a command", "write a file": completes "AGENT wants to …". */
  action: z.string(),
  text: z.string(),
  folder: z.string(),
  /** How a command would run; missing where there is no sandbox. */
  confinement: confinement.optional(),
})
export type PermissionSubject = z.infer<typeof permissionSubject>

/** A rule that "Always allow" can add. */
export const ruleOffer = z.object({
  rule: z.string(),
  /** What the rule allows beside this call, as a noun phrase; missing: nothing. */
  alsoCovers: z.string().optional(),
})
export type RuleOffer = z.infer<typeof ruleOffer>

/** Where an event from outside this process came from. `seq` is the event's number at the sender. */
export const eventOrigin = z.object({
  backing: z.string(),
  /** Counts the processes that carried out the agent one after the other. */
  epoch: z.number().int().nonnegative(),
  seq: z.number().int().nonnegative(),
})
export type EventOrigin = z.infer<typeof eventOrigin>

/** The process that carries out an agent. */
export const agentWorker = z.object({
  /** `w-…` */
  workerId: z.string(),
  host: z.string(),
  pid: z.number().int(),
  cores: z.number().int(),
  /** The tmux pane that shows the worker: `pay:2.1`; null: none. */
  tmux: z.string().nullable(),
  epoch: z.number().int().nonnegative(),
})
export type AgentWorker = z.infer<typeof agentWorker>

const base = {
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

const event = <const T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ ...base, type: z.literal(type), ...shape })

/** All durable events. */
export const agentEvent = z.discriminatedUnion('type', [
  /** Always the first event: the agent's identity, and the frozen prefix of its requests. */
  event('agent-spawned', {
    conversationId: z.string(),
    parentId: z.string().nullable(),
    /** The Agent call that started the agent. */
    parentToolUseId: z.string().nullable(),
    definition: definitionSnapshot,
    /** Three to five words. */
    task: z.string(),
    model: z.string(),
    effort: effort.default(null),
    thinking: thinking.default(null),
    system: z.string(),
    tools: z.array(toolSchema),
    permissionMode,
    neverAsks,
    cwd: z.string(),
    maxTurns: z.number().int().positive(),
    depth: z.number().int().nonnegative(),
    /** The name for messages from other agents; null: only the id works. */
    name: z.string().nullable().default(null),
    /** Whether the parent continues at once, and receives a message at the agent's end. */
    background: z.boolean().default(false),
    /** Whether the agent may ask the user from the background. */
    bubbles: z.boolean().default(false),
    /** A fork starts with this agent's messages up to and including this event. */
    inherits: z.object({ agentId: z.string(), seq: z.number().int() }).nullable().default(null),
    limits: spendLimits.default(noLimits),
    /** The files whose text `system` contains. */
    instructions: z.array(loadedInstructions).default([]),
    /** Null: the agent works in the conversation's folder. */
    worktree: agentWorktree.nullable().default(null),
    /** Where the agent runs. */
    backing: backingKind.default('in-process'),
    /** The id of the team that the agent is a member of; null: none. */
    teamId: z.string().nullable().default(null),
    /** The system that the agent's remote worker must run; missing: any. */
    platform: workerPlatform.optional(),
    /** With the backing `acp-child`: the id that its program gives it. */
    childSession: z.string().optional(),
  }),
  /** A message to the agent: its prompt, a later message, or a note from the runtime. */
  event('user-message', {
    messageId: z.string(),
    from: z.enum(['user', 'parent', 'agent', 'runtime']),
    content: z.array(userBlock),
    /** From `agent`: the author. From `runtime`: the agent whose end the note reports, or null. */
    sender: z.string().nullable().default(null),
    /** From `runtime`: the transcript shows this text to the user, and `content` only on request. */
    note: z.string().optional(),
    /** The same for the copies of one message to several agents; missing: it has one receiver. */
    broadcast: z.string().optional(),
    /** The command that the user typed: the transcript shows it, and `content`, its text, only on request. */
    typed: z.string().optional(),
  }),
  event('status-changed', {
    status: z.enum(['queued', 'running', 'waiting', 'paused']),
    /** Set if the status is `waiting`. `answer`: to a form. `limit`: a usage limit of the API, its own or that of its subagents. */
    waitingFor: z.enum(['permission', 'answer', 'message', 'children', 'limit']).nullable(),
    /** The main agent's report came at its turn limit; its next message starts counting again. */
    reachedLimit: z.literal('turns').optional(),
  }),
  /** Logged and flushed before a request leaves. `attempt` counts from 1. */
  event('request-started', {
    turn: z.number().int(),
    attempt: z.number().int(),
    model: z.string(),
  }),
  /** A failed attempt. `retryAt` is the time of the next one, ms since the epoch; null if there is none. */
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
    /** The size of the model's context window, in tokens. Absent in older events. */
    contextWindow: z.number().optional(),
    /** The tokens in the context window, where they are not the sum of `usage`. */
    contextUsed: z.number().optional(),
    /** US dollars; null if the model's price is unknown. */
    costUsd: z.number().nullable(),
    durationMs: z.number(),
    /** The pace of the stream: [ms since the request, characters so far]. */
    pace: z.array(z.tuple([z.number(), z.number()])),
  }),
  /** A request to a model that a tool made. It is no part of the conversation; its cost is the agent's. */
  event('model-asked', {
    toolUseId: z.string(),
    model: z.string(),
    usage,
    /** US dollars; null if the model's price is unknown. */
    costUsd: z.number().nullable(),
    durationMs: z.number(),
  }),
  event('permission-asked', {
    requestId: z.string(),
    toolUseId: z.string(),
    toolName: z.string(),
    subject: permissionSubject,
    /** Why the call needs permission. */
    because: z.string(),
    /** The rule that "Always allow" adds; null if it is not offered. */
    alwaysRule: z.string().nullable(),
    /** The rules that "Always allow" can add, the narrowest first: that is `alwaysRule`. See `offersOf`. */
    ruleOffers: z.array(ruleOffer).readonly().optional(),
    /** Answers that an external agent offers. Where one is `once`, it stands for a plain permission. */
    choices: z.array(programChoice).readonly().optional(),
    /** How the user could allow such a call beforehand, for the denial of a request that nobody can answer. */
    remedy: z.string().default(''),
  }),
  event('permission-answered', {
    requestId: z.string(),
    toolUseId: z.string(),
    decision: z.enum(['allow-once', 'allow-always', 'deny', 'withdrawn']),
    /** The user's feedback with a denial, for the agent. */
    feedback: z.string().nullable(),
    /** The rule that the answer saved, or that answered. */
    rule: z.string().optional(),
    /** The name of the program's answer that the user chose. */
    choice: z.string().optional(),
    /** Set if the rules changed and now decide about the call; otherwise the user answered. */
    answeredBy: z.literal('rules').optional(),
  }),
  /** A call asks the user with a form. */
  event('form-opened', {
    formId: z.string(),
    toolUseId: z.string(),
    toolName: z.string(),
    form: formContent,
  }),
  event('form-closed', { formId: z.string(), toolUseId: z.string(), answer: formAnswer }),
  /** A command runs in the background. `toolUseId`: the call that started it. */
  event('command-started', {
    commandId: z.string(),
    toolUseId: z.string(),
    command: z.string(),
    description: z.string(),
  }),
  event('command-ended', {
    commandId: z.string(),
    /** Null: a signal ended the command, or its end is unknown. */
    exitCode: z.number().nullable(),
    /** `agent`: the agent stopped it; `run`: the agent or the program ended; `lost`: the program died. */
    by: z.enum(['exit', 'timeout', 'user', 'agent', 'run', 'lost']),
  }),
  /** Logged before the tool runs, and flushed first if `sideEffects`. */
  event('tool-started', {
    toolUseId: z.string(),
    name: z.string(),
    input: z.unknown(),
    /** The row's text beside the tool's name: a path, a pattern, a command. */
    summary: z.string(),
    row: toolCallRow,
    sideEffects: z.boolean(),
    /** How a command runs; missing where there is no sandbox. */
    confinement: confinement.optional(),
  }),
  event('tool-ended', {
    toolUseId: z.string(),
    name: z.string(),
    isError: z.boolean(),
    content: toolContent,
    /** A short note for the end of the row: "412 lines", "23 matches". */
    note: z.string(),
    durationMs: z.number(),
    display: toolDisplay.nullable(),
    /** The file with the whole output if `content` has only its head and tail. The path is relative to the data folder. */
    outputFile: z.object({ path: z.string(), bytes: z.number() }).nullable(),
    /** The file that the agent has read or written, by its real path, so that it may change the file after a restart. */
    seen: seenFile.optional(),
    /** Tools that the call found: their schemas belong to the result. */
    found: z.array(z.string()).optional(),
  }),
  /** Files changed around a call. At most one event for each cause of a call. The model does not receive it. */
  event('files-changed', filesChanged),
  /** The process that carries out an agent of another backing changed. Only the runtime writes this event. */
  event('worker-changed', {
    worker: agentWorker.nullable(),
    /** `gone`: the process died or was given up. `silent`: no heartbeat arrives. */
    state: z.enum(['waiting', 'running', 'silent', 'gone']),
    /** The job that carries out the agent's run; null: unchanged. */
    jobId: z.string().nullable().default(null),
    /** What happened, and what follows, as a sentence for the user; may be empty. */
    note: z.string(),
  }),
  /** The external agent has a session for the agent; a login that it wanted is done. */
  event('program-connected', {
    program: programName,
    sessionId: z.string(),
    began: sessionBeginning,
    can: programAbilities,
  }),
  /** The choices of the session with their current values: always the whole list. */
  event('program-options', { options: z.array(programOption).readonly() }),
  /** The commands that the program takes as prompts: always the whole list. */
  event('program-commands', { commands: z.array(programCommand).readonly() }),
  /** The program wants a login before it begins a session. Without methods it offers none. */
  event('program-login', {
    program: programName,
    methods: z.array(loginMethod).readonly(),
    /** What the user can do, as a sentence. */
    message: z.string(),
  }),
  /**
   * What a program says of a subagent of its own, each time as a whole: what it calls the agent, what the agent does, and
   * in which folder (missing: unchanged). `canStop`: the user can stop this agent by itself; otherwise only together with the agent that started it.
   */
  event('child-changed', {
    name: z.string(),
    task: z.string(),
    cwd: z.string().optional(),
    canStop: z.boolean(),
  }),
  /** A note in the transcript. The model does not receive it. */
  /** `path`: the file in question, by its real path, whose changes the window can show. */
  event('notice', {
    level: z.enum(['info', 'warning', 'error']),
    text: z.string(),
    path: z.string().optional(),
  }),
  /** The next requests no longer contain these older tool results. The transcript keeps them. */
  event('context-cleared', { toolUseIds: z.array(z.string()) }),
  /** The next requests start with this summary. The transcript keeps everything before it. */
  event('context-compacted', { summary: z.string() }),
  event('permission-mode-changed', { permissionMode, neverAsks }),
  /** `forTurn`: until the agent waits for its next message or ends. Then the model before counts again. */
  event('model-changed', { model: z.string(), forTurn: z.literal(true).optional() }),
  event('effort-changed', { effort }),
  event('thinking-changed', { thinking }),
  /**
   * The tools, or the agents and skills they list, changed while the agent runs. The schemas in the requests stay
   * unchanged, since they start the cached prefix: a message describes the change, and the next compaction takes in
   * the new descriptions.
   */
  event('tools-changed', {
    /** The text for the model. */
    text: z.string(),
    /** A short text for the user. */
    note: z.string(),
    /** By tool name: the new descriptions. */
    descriptions: z.record(z.string(), z.string()),
    /** By tool name: the entries of the list in its description. */
    entries: z.record(z.string(), z.record(z.string(), z.string())).default({}),
    /** New tools. Their schemas follow the old ones, so that the cached prefix stays valid. */
    added: z.array(toolSchema).default([]),
    /** Names of removed tools. Their schemas stay in the requests; calls fail. */
    removed: z.array(z.string()).default([]),
  }),
  /** Instruction files that changed, or of folders that the agent first touched. Its next user message contains them. */
  event('instructions-loaded', {
    files: z.array(loadedInstructions),
    /** The text for the model. */
    text: z.string(),
  }),
  /** News of servers of outside tools. Its next user message contains the text. `note`: the text for the user. */
  event('servers-told', {
    servers: z.record(z.string(), toldServer),
    text: z.string(),
    note: z.string(),
  }),
  /** Files that the agent knows were changed by others. Its next user message contains the text. */
  event('files-told', { files: z.array(toldFile), text: z.string(), note: z.string() }),
  /** The permissions differ from those that the agent last received. Its next user message contains the text. */
  event('permissions-told', { text: z.string() }),
  /**
   * The API refused a part of a request that all later requests would have too. They go on without it; a text stands in
   * its place. `reason` is the API's message.
   */
  event('part-refused', {
    part: z.discriminatedUnion('kind', [
      /** An image: its place in the messages of the request. `inner`: within the content of a tool's result. */
      z.object({
        kind: z.literal('block'),
        message: z.number().int(),
        block: z.number().int(),
        inner: z.number().int().nullable(),
      }),
      z.object({ kind: z.literal('tool'), name: z.string() }),
    ]),
    reason: z.string(),
  }),
  /** The user pauses the agent before its next request or tool call, or resumes it. */
  event('pause-changed', { paused: z.boolean() }),
  /** The parent continues without the agent, and receives a message at its end. */
  event('moved-to-background', {
    /** `call`: a call or message that does not wait resumed the agent. */
    by: z.enum(['user', 'call']),
    /** Whether the agent may still ask the user. */
    bubbles: z.boolean(),
  }),
  /** A call waits for the agent's report again, after work in the background. */
  event('awaited-again', {}),
  /** The user changed the spending limits. */
  event('limits-changed', { limits: spendLimits }),
  /** The user had the agent take its current definition: the next request has a new prefix. */
  event('definition-renewed', {
    definition: definitionSnapshot,
    system: z.string(),
    tools: z.array(toolSchema),
    permissionMode,
    neverAsks,
    maxTurns: z.number().int().positive(),
    instructions: z.array(loadedInstructions).default([]),
  }),
  /** An interceptor restricted the agent, added something, or failed. An interceptor without an effect leaves no event. */
  event('interceptor-verdict', {
    point: interceptionPoint,
    /** The interceptor: `hook lint.sh`. */
    source: z.string(),
    /** Set at `tool-call` and `tool-result`. */
    toolUseId: z.string().nullable(),
    verdict: z.enum([
      'denied',
      'asked',
      'allowed',
      'input-changed',
      'context-added',
      'continued',
      'stopped',
      'failed',
    ]),
    /** The reason given, the added context, or the failure. Empty for `input-changed`. */
    reason: z.string(),
    durationMs: z.number(),
  }),
  /** A hook ran. Its effects are verdicts; a hook that only observed leaves this event alone. */
  event('hook-ran', {
    /** The event as hooks name it: `PreToolUse`. */
    event: z.string(),
    matcher: z.string(),
    /** Where the hook is configured: `user settings`, `plugin fmt`, `agent reviewer`. */
    source: z.string(),
    /** The first line of the command, or the address. */
    command: z.string(),
    toolUseId: z.string().nullable(),
    /** Null: it was ended, could not be started, or is an HTTP hook. */
    exitCode: z.number().int().nullable(),
    durationMs: z.number(),
    /** What it asked for. `none`: it only observed. */
    effect: z.enum([
      'none',
      'denied',
      'asked',
      'allowed',
      'input-changed',
      'context-added',
      'continued',
      'stopped',
      'failed',
      'timed-out',
    ]),
    /** The beginning of its output. */
    output: z.string(),
  }),
  /** The committed work at the end of a run in the agent's own worktree. */
  event('work-saved', { work: savedWork }),
  event('agent-ended', {
    status: z.enum(['completed', 'failed', 'stopped', 'interrupted']),
    /** The report for the parent. */
    report: z.string(),
    failure: failureInfo.nullable(),
    reachedLimit: z.enum(['turns', 'tokens', 'money', 'time']).nullable(),
    /** The owner of the limit: the agent, an agent above it, or the conversation. */
    limitOf: z.enum(['agent', 'parent', 'conversation']).nullable().default(null),
    /** Set if the user, the closing program or its death ended the run: agents stopped at once share the id. */
    stopId: z.string().optional(),
    /** Set if the agent was stopped: by the user, an agent above it, the program when it closed, or a hook. */
    stoppedBy: stopper.optional(),
  }),
])

export type AgentEvent = z.infer<typeof agentEvent>
export type AgentEventType = AgentEvent['type']
export type EventOf<T extends AgentEventType> = Extract<AgentEvent, { type: T }>

type Unstamped<E> = E extends unknown ? Omit<E, 'v' | 'agentId' | 'seq' | 'order' | 'at' | 'origin'> : never
/** An event before the transcript stamps it. */
export type AgentEventDraft = Unstamped<AgentEvent>

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
