/** Hooks: the user's commands and addresses that run at events of agents. */
import type { EventOf } from './agent-event.ts'
import type { Result } from './result.ts'

export const hookEvents = [
  'PreToolUse',
  'PostToolUse',
  'UserPromptSubmit',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'SessionStart',
  'SessionEnd',
  'PreCompact',
  'Notification',
  'PermissionRequest',
  'WorktreeCreate',
  'WorktreeRemove',
] as const
export type HookEvent = (typeof hookEvents)[number]

/** One hook as configured. It is also what the user approves. */
export interface HookDefinition {
  readonly event: HookEvent
  /** As written; empty: always. */
  readonly matcher: string
  readonly kind: 'command' | 'http'
  /** The command, or the address. */
  readonly run: string
  /** Seconds. */
  readonly timeout: number
  /** Whether a failure blocks a call or a message. */
  readonly failClosed: boolean
  /** Set if the user wrote that a failure must not block: also a guard that can't run lets calls pass. */
  readonly failsOpen?: true
  /** Whether the agent goes on without waiting. */
  readonly async: boolean
  /** Of HTTP requests. */
  readonly headers: Readonly<Record<string, string>>
  /** Variables of the environment whose values headers may contain. */
  readonly headerVariables?: readonly string[]
  /** The agent whose definition has the hook. */
  readonly agent?: string
  /** The files of the folder that the command of a project's hook names, by path, each with the digest of its content. */
  readonly scripts?: Readonly<Record<string, string>>
}

export type HookSource =
  | 'managed'
  | 'command-line'
  | 'local'
  | 'project'
  | 'own'
  | 'user'
  | 'plugin'
  | 'agent'
  | 'project-agent'

export type HookState =
  | 'on'
  /** The user turned it off. */
  | 'off'
  /** It comes with the project and waits for the user's approval. */
  | 'new'
  /** It was approved and has changed since. */
  | 'changed'
  /** `disableAllHooks` is set. */
  | 'disabled'

export interface HookEntry {
  /** Unique in the folder. */
  readonly id: string
  readonly source: HookSource
  /** `user settings`, `plugin fmt`, `agent reviewer`. */
  readonly sourceText: string
  /** The file that has the hook; null: the command line, or an agent's definition. */
  readonly file: string | null
  readonly definition: HookDefinition
  readonly state: HookState
  /** What was approved before it changed. */
  readonly former?: unknown
}

export interface FolderHooks {
  /** In the order in which their answers count. */
  readonly entries: readonly HookEntry[]
  /** Sentences for the user. */
  readonly problems: readonly string[]
}

/** One run of a hook, since the program started. */
export interface HookRun
  extends Pick<
    EventOf<'hook-ran'>,
    | 'event'
    | 'matcher'
    | 'source'
    | 'command'
    | 'toolUseId'
    | 'exitCode'
    | 'durationMs'
    | 'effect'
    | 'output'
    | 'at'
    | 'agentId'
  > {
  readonly conversationId: string
}

/** Whether a run was one of this hook. Hooks that are written alike in one source count as one. */
export function isRunOf({ definition, sourceText }: HookEntry, run: HookRun): boolean {
  return (
    run.event === definition.event &&
    run.matcher === definition.matcher &&
    run.source === sourceText &&
    run.command === hookTitle(definition)
  )
}

/** The first line of a hook's command, at most 120 characters. */
export function hookTitle({ run }: Pick<HookDefinition, 'run'>): string {
  const [line = ''] = run.trim().split('\n')
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}

/** One hook's answer to a sample input. */
export interface HookTest {
  readonly entry: HookEntry
  /** Null: an HTTP hook, or it gave no answer. */
  readonly exitCode: number | null
  readonly output: string
  /** What it asks for: `deny: no rm`. Empty: nothing. */
  readonly answer: string
  /** Why it failed; null: it did not. */
  readonly failure: string | null
  readonly durationMs: number
}

/** Shows, decides and tries the hooks of a folder. */
export interface Hooks {
  state(folder: string): Promise<FolderHooks>
  /** Lets a hook run as it is defined now, or keeps it off. Fails with `not-found` or `io`. */
  decide(folder: string, id: string, decision: 'approved' | 'refused'): Promise<Result<void>>
  /** Runs the hooks of an event that are on, with a sample input. */
  test(
    folder: string,
    event: HookEvent,
    sample: { readonly tool: string; readonly input: unknown },
  ): Promise<readonly HookTest[]>
}
