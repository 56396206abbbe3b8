/** The life of an agent, from its start to its end: the events, and what is known of it throughout. */
import { z } from 'zod'
import { effort, thinking } from '../models/model-choice-schema.ts'
import { backingKind, workerPlatform } from '../teams/team-schema.ts'
import { agentWorktree } from '../worktrees/worktree.ts'
import { declareEvent, failureInfo, loadedInstructions, toolSchema } from './event-schema.ts'
import { effectiveMode } from './permissions-schema.ts'

/** An agent's copy of its definition. Later edits of the file do not change the agent. */
const definitionSnapshot = z.object({
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
      /** What a test case denies, as in `disallowedTools`: it counts for the agents that this one starts, too. */
      deniedToAll: z.array(z.string()).optional(),
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

const stopper = z.enum(['user', 'agent', 'program', 'hook'])
export type Stopper = z.infer<typeof stopper>

/** `answer`: to a form. `limit`: a usage limit of the API, its own or that of its subagents. */
const waitingFor = z.enum(['permission', 'answer', 'message', 'children', 'limit']).nullable()
const reachedLimit = z.enum(['turns', 'tokens', 'money', 'time']).nullable()
/** The owner of the limit: the agent, an agent above it, or the conversation. */
const limitOf = z.enum(['agent', 'parent', 'conversation']).nullable()

/** What a definition makes of an agent: the frozen prefix of its requests, and its rights. */
const prepared = {
  definition: definitionSnapshot,
  system: z.string(),
  tools: z.array(toolSchema),
  ...effectiveMode,
  maxTurns: z.number().int().positive(),
  /** The files whose text `system` contains. */
  instructions: z.array(loadedInstructions).default([]),
}

/** Which agent it is. */
const identity = {
  conversationId: z.string(),
  parentId: z.string().nullable(),
  /** The Agent call that started the agent. */
  parentToolUseId: z.string().nullable(),
  /** Three to five words. */
  task: z.string(),
  cwd: z.string(),
  /** Of a main agent: the branch of its folder when it was started; missing: none, or unknown. */
  gitBranch: z.string().optional(),
}

export const lifecycleEvents = [
  /** Always the first event. */
  declareEvent('agent-spawned', {
    ...identity,
    ...prepared,
    model: z.string(),
    effort: effort.default(null),
    thinking: thinking.default(null),
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
  declareEvent('status-changed', {
    status: z.enum(['queued', 'running', 'waiting', 'paused']),
    /** Set if the status is `waiting`. */
    waitingFor,
    /** Set if its clock stands: every subagent that it waits for waits for the user, or for a usage limit. */
    held: z.literal(true).optional(),
    /** The main agent's report came at its turn limit; its next message starts counting again. */
    reachedLimit: z.literal('turns').optional(),
  }),
  /** The user pauses the agent before its next request or tool call, or resumes it. */
  declareEvent('pause-changed', { paused: z.boolean() }),
  /** The parent continues without the agent, and receives a message at its end. */
  declareEvent('moved-to-background', {
    /** `call`: a call or message that does not wait resumed the agent. */
    by: z.enum(['user', 'call']),
    /** Whether the agent may still ask the user. */
    bubbles: z.boolean(),
  }),
  /** A call waits for the agent's report again, after work in the background. */
  declareEvent('awaited-again', {}),
  /** The user changed the spending limits. */
  declareEvent('limits-changed', { limits: spendLimits }),
  /** The user had the agent take its current definition: the next request has a new prefix. */
  declareEvent('definition-renewed', {
    ...prepared,
    /** Set if nobody asked: the main agent of a copy of another program's conversation takes its definition. */
    by: z.literal('program').optional(),
  }),
  declareEvent('agent-ended', {
    status: z.enum(['completed', 'failed', 'stopped', 'interrupted']),
    /** The report for the parent. */
    report: z.string(),
    failure: failureInfo.nullable(),
    reachedLimit,
    limitOf: limitOf.default(null),
    /** Set if the user, the closing program or its death ended the run: agents stopped at once share the id. */
    stopId: z.string().optional(),
    /** Set if the agent was stopped: by the user, an agent above it, the program when it closed, or a hook. */
    stoppedBy: stopper.optional(),
  }),
] as const

/**
 * The clock of an agent's work. It stands while the agent is paused or queued, while it and all that it waits for wait for
 * the user or for a usage limit, and between its runs. Times in ms since the epoch.
 */
const workTime = z.object({
  /** Start of the current period of work; the time limit counts from here. Moves on by the time the clock stood. */
  runStartedAt: z.number().nullable(),
  /** Since when the clock has stood within the period of work; null: it runs, or no period. */
  heldAt: z.number().nullable(),
  /** Work before the current period, in ms. */
  workedMs: z.number(),
})
export type WorkTime = Readonly<z.infer<typeof workTime>>

export const lifecycleState = {
  ...identity,
  ...workTime.shape,
  definition: definitionSnapshot,
  depth: z.number(),
  maxTurns: z.number(),
  /** The name for messages from other agents. */
  name: z.string().nullable(),
  /** `started` in the background, or `moved` there by the user. A moved agent may still ask the user. */
  background: z.enum(['no', 'started', 'moved']),
  /** Whether the agent may ask the user from the background. */
  bubbles: z.boolean(),
  /** The agent whose messages this fork started with; null: not a fork. */
  forkOf: z.string().nullable(),
  limits: spendLimits,
  /** Null: the agent works in the conversation's folder. */
  worktree: agentWorktree.nullable(),
  /** The team that the agent is a member of; null: none. */
  teamId: z.string().nullable(),
  status: z.enum(['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'stopped', 'interrupted']),
  waitingFor,
  /** Whether the user paused the agent. The pause takes effect when its status is `paused`. */
  pauseWanted: z.boolean(),
  /** Times in ms since the epoch. */
  spawnedAt: z.number(),
  endedAt: z.number().nullable(),
  /** The first 4,000 characters of the report; the transcript has all of it. */
  report: z.string(),
  failure: failureInfo.nullable(),
  reachedLimit,
  limitOf,
  /**
   * The stop by the user, the closing program or its death that ended the last run, until the agent is resumed. Agents
   * stopped at once share the id.
   */
  stopId: z.string().nullable(),
  /** Who stopped the last run, until the agent is resumed. */
  stoppedBy: stopper.nullable(),
}
