/** Reads a hook's answer: its exit code, and the JSON or text that it printed. */
import { z } from 'zod'
import type { HookEvent } from '../../../shared/hooks/hooks.ts'

/** What a process or a server answered. */
export interface HookOutput {
  /** 0 for an HTTP answer. */
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** The union of what interceptors may answer; each point reads its own fields. */
export interface HookAnswer {
  readonly deny?: string
  readonly ask?: string
  /** Only of the user's own hooks, where the settings let them allow calls. */
  readonly allow?: string
  readonly input?: unknown
  readonly context?: string
  readonly continue?: string
  readonly stop?: string
}

export interface ReadAnswer {
  readonly answer: HookAnswer | null
  /** For the user. */
  readonly message: string | null
  /** Files whose changes the hook wants to know of from now on. */
  readonly watch?: readonly string[]
}

const text = z.string().nullish()
const answerSchema = z.looseObject({
  continue: z.boolean().nullish(),
  stopReason: text,
  suppressOutput: z.boolean().nullish(),
  systemMessage: text,
  decision: z.enum(['block', 'deny', 'approve', 'allow', 'ask']).nullish(),
  reason: text,
  hookSpecificOutput: z
    .looseObject({
      hookEventName: text,
      permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).nullish(),
      permissionDecisionReason: text,
      updatedInput: z.record(z.string(), z.unknown()).nullish(),
      additionalContext: text,
      /** Of PermissionDenied. */
      retry: z.boolean().nullish().catch(null),
      /** Of Elicitation and ElicitationResult. */
      action: z.string().nullish().catch(null),
      watchPaths: z.array(z.string()).nullish().catch(null),
      decision: z
        .looseObject({
          behavior: z.enum(['allow', 'deny']),
          message: text,
          updatedInput: z.record(z.string(), z.unknown()).nullish(),
          /** Ends the run. */
          interrupt: z.boolean().nullish(),
        })
        .nullish(),
    })
    .nullish(),
})
type Answer = z.infer<typeof answerSchema>

/** At these events a hook's denial refuses something. */
const REFUSING: readonly HookEvent[] = [
  'PreToolUse',
  'UserPromptSubmit',
  'PermissionRequest',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
]
const STOPPING: readonly HookEvent[] = ['Stop', 'SubagentStop', 'TeammateIdle']
/** The model reads why such a hook objects to what has happened. */
const AFTER: readonly HookEvent[] = ['PostToolUse', 'PostToolUseFailure']
/** At these events `continue: false` ends the agent's run. */
const ENDING: readonly HookEvent[] = [
  'PreToolUse',
  ...AFTER,
  'PermissionRequest',
  'SubagentStart',
  ...STOPPING,
]
/** The agent reads what these print. */
const TELLING: readonly HookEvent[] = ['UserPromptSubmit', 'SessionStart', 'SubagentStart', 'PreCompact']
const NOTING: readonly HookEvent[] = [
  ...TELLING,
  'PreToolUse',
  ...AFTER,
  'PermissionDenied',
  'WorktreeCreate',
]
/** Where an answer can name files to watch. */
const WATCHING: readonly HookEvent[] = ['SessionStart', 'CwdChanged', 'FileChanged']

/** Throws where the hook failed: another exit code, or an answer that can't be read. */
export function readAnswer(event: HookEvent, { exitCode, stdout, stderr }: HookOutput): ReadAnswer {
  if (exitCode === 2) return { answer: blockedBy(event, stderr), message: null }
  if (exitCode !== 0) throw new Error(`exit code ${exitCode}${headOf(stderr || stdout)}`)
  const printed = stdout.trim()
  if (!printed.startsWith('{'))
    return { answer: TELLING.includes(event) && printed !== '' ? { context: printed } : null, message: null }
  const answer = parse(printed)
  const found = answerOf(event, answer)
  const watch = WATCHING.includes(event) ? (answer.hookSpecificOutput?.watchPaths ?? []) : []
  return {
    answer: Object.keys(found).length === 0 ? null : found,
    message: messageOf(event, answer),
    ...(watch.length > 0 && { watch }),
  }
}

/** A `stopReason` that ends nothing is for the user, too. */
function messageOf(event: HookEvent, { systemMessage, continue: goesOn, stopReason }: Answer): string | null {
  const ends = ENDING.includes(event) || REFUSING.includes(event)
  return systemMessage || (goesOn === false && !ends && stopReason) || null
}

function blockedBy(event: HookEvent, stderr: string): HookAnswer | null {
  const reason = stderr.trim() || 'It gave no reason.'
  if (REFUSING.includes(event)) return { deny: reason }
  if (STOPPING.includes(event)) return { continue: reason }
  if (AFTER.includes(event)) return { context: reason }
  throw new Error(`exit code 2, which blocks nothing here: ${reason}`)
}

function answerOf(event: HookEvent, answer: Answer): HookAnswer {
  const specific = answer.hookSpecificOutput ?? {}
  const reason = specific.permissionDecisionReason ?? answer.reason ?? 'It gave no reason.'
  const blocks = answer.decision === 'block' || answer.decision === 'deny'
  const approves = answer.decision === 'approve' || answer.decision === 'allow'
  const found: { -readonly [K in keyof HookAnswer]: HookAnswer[K] } = {}
  const context = [
    ...(specific.additionalContext ? [specific.additionalContext] : []),
    ...(AFTER.includes(event) && blocks ? [reason] : []),
    ...(event === 'PermissionDenied' && specific.retry ? ['You may make this call once more.'] : []),
  ]
  if (NOTING.includes(event) && context.length > 0) found.context = context.join('\n\n')
  if (answer.continue === false) {
    const stop = answer.stopReason ?? answer.reason ?? 'It gave no reason.'
    if (ENDING.includes(event)) return { ...found, stop }
    return REFUSING.includes(event) ? { ...found, deny: stop } : found
  }
  if (STOPPING.includes(event)) return blocks ? { continue: reason } : found
  if (event === 'PermissionRequest') {
    const { behavior, message, interrupt } = specific.decision ?? {}
    if (behavior === 'deny') return interrupt ? { stop: message ?? reason } : { deny: message ?? reason }
    if (blocks) return { deny: reason }
    // Another input would be another call than the one that the user is asked about.
    const allows = (behavior === 'allow' && !specific.decision?.updatedInput) || approves
    return allows ? { ...found, allow: reason } : found
  }
  if (event !== 'PreToolUse') {
    const declines = specific.action === 'decline' || specific.action === 'cancel'
    return REFUSING.includes(event) && (blocks || declines) ? { ...found, deny: reason } : found
  }
  if (approves || specific.permissionDecision === 'allow') found.allow = reason
  if (blocks || specific.permissionDecision === 'deny') found.deny = reason
  if (answer.decision === 'ask' || specific.permissionDecision === 'ask') found.ask = reason
  if (specific.updatedInput) found.input = specific.updatedInput
  return found
}

function parse(printed: string): Answer {
  let value: unknown
  try {
    value = JSON.parse(printed)
  } catch {
    throw new Error(`its output begins like JSON and can't be read${headOf(printed)}`)
  }
  const read = answerSchema.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new Error(`its answer is not valid: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`)
}

function headOf(output: string): string {
  const head = output.trim().slice(0, 500)
  return head === '' ? '' : `: ${head}`
}
