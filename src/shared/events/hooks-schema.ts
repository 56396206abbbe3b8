/** Interceptors and hooks: the events of what they did to an agent. */
import { z } from 'zod'
import { declareEvent } from './event-schema.ts'

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

const verdict = z.enum([
  'denied',
  'asked',
  'allowed',
  'input-changed',
  'context-added',
  'continued',
  'stopped',
  'failed',
])

export const interceptionEvents = [
  /** An interceptor restricted the agent, added something, or failed. An interceptor without an effect leaves no event. */
  declareEvent('interceptor-verdict', {
    point: interceptionPoint,
    /** The interceptor: `hook lint.sh`. */
    source: z.string(),
    /** Set at `tool-call` and `tool-result`. */
    toolUseId: z.string().nullable(),
    verdict,
    /** The reason given, the added context, or the failure. Empty for `input-changed`. */
    reason: z.string(),
    durationMs: z.number(),
  }),
  /** A hook ran. Its effects are verdicts; a hook that only observed leaves this event alone. */
  declareEvent('hook-ran', {
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
    effect: z.enum(['none', ...verdict.options, 'timed-out']),
    /** The beginning of its output. */
    output: z.string(),
  }),
] as const
