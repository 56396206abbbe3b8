/** Tool calls, and the commands that continue in the background: their events, and what an agent does now. */
import { z } from 'zod'
import { filesChanged } from '../changes/changes.ts'
import { toolContent } from '../messages/content.ts'
import { confinement } from '../permissions/confinement.ts'
import { toolCallRow } from '../tools/tool-call-row.ts'
import { savedWork } from '../worktrees/worktree.ts'
import { declareEvent } from './event-schema.ts'

const todo = z.object({
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
  /** A call that would have started an agent. `limit`: the reached limit of started agents; null: the user refused. */
  z.object({
    kind: z.literal('not-started'),
    limit: z.object({ of: z.enum(['conversation', 'agent']), most: z.number() }).nullable(),
  }),
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

/** The state of a file when an agent last read or wrote the file. */
const seenFile = z.object({
  path: z.string(),
  mtimeMs: z.number(),
  size: z.number(),
  /** A digest of the content, so that a touched file counts as unchanged. Missing for large files. */
  digest: z.string().optional(),
})
export type SeenFile = z.infer<typeof seenFile>

/** A command that runs in the background. `toolUseId`: the call that started it. */
const startedCommand = {
  commandId: z.string(),
  toolUseId: z.string(),
  command: z.string(),
  description: z.string(),
}

export const toolCallEvents = [
  /** Logged before the tool runs, and flushed first if `sideEffects`. */
  declareEvent('tool-started', {
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
  declareEvent('tool-ended', {
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
  declareEvent('files-changed', filesChanged),
  declareEvent('command-started', startedCommand),
  declareEvent('command-ended', {
    commandId: z.string(),
    /** Null: a signal ended the command, or its end is unknown. */
    exitCode: z.number().nullable(),
    /** `agent`: the agent stopped it; `run`: the agent or the program ended; `lost`: the program died. */
    by: z.enum(['exit', 'timeout', 'user', 'agent', 'run', 'lost']),
  }),
  /** The committed work at the end of a run in the agent's own worktree. */
  declareEvent('work-saved', { work: savedWork }),
] as const

/** A command that runs in the background. `startedAt`: ms since the epoch. */
const runningCommand = z.object({ ...startedCommand, startedAt: z.number() })
export type RunningCommand = Readonly<z.infer<typeof runningCommand>>

export const toolCallState = {
  /** The running tool, or the last one. */
  action: z.object({ tool: z.string(), summary: z.string(), running: z.boolean() }).nullable(),
  /** The commands that run in the background, oldest first. */
  commands: z.array(runningCommand),
  todos: z.array(todo),
  /** The lines that its calls added to files and removed. */
  changed: z.object({ added: z.number(), removed: z.number() }),
  /** The work in the agent's own worktree when its last run ended. */
  work: savedWork.nullable(),
}
