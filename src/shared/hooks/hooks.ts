/** Hooks: the user's commands and addresses that run at events of agents. */
import type { EventOf } from '../events/agent-event.ts'

/** The description of an event. The documentation, the window and the command line list events from this table. */
interface HookEventFacts {
  /** What the matcher is compared with, for people; empty: the event ignores it. */
  readonly matcher: string
  /** What exit code 2, or an answer that blocks, does; empty: nothing, and the reason is shown to the user. */
  readonly blocks: string
  readonly group: 'before' | 'after' | 'agents' | 'conversation'
}

/** The public events that Troupe has, in the order of the documentation. */
export const hookEventFacts = {
  PreToolUse: { matcher: 'tool', blocks: 'refuses the call; the model reads why', group: 'before' },
  PermissionRequest: { matcher: 'tool', blocks: 'refuses the call before you are asked', group: 'before' },
  PermissionDenied: { matcher: 'tool', blocks: '', group: 'before' },
  PostToolUse: { matcher: 'tool', blocks: 'the model reads the reason', group: 'after' },
  PostToolUseFailure: { matcher: 'tool', blocks: 'the model reads the reason', group: 'after' },
  UserPromptSubmit: { matcher: '', blocks: 'refuses your message', group: 'conversation' },
  Stop: { matcher: '', blocks: 'the agent continues, for this reason', group: 'conversation' },
  StopFailure: { matcher: 'kind of failure', blocks: '', group: 'conversation' },
  SubagentStart: { matcher: 'agent’s type', blocks: '', group: 'agents' },
  SubagentStop: {
    matcher: 'agent’s type',
    blocks: 'the agent continues, for this reason',
    group: 'agents',
  },
  TeammateIdle: { matcher: '', blocks: 'the member continues, for this reason', group: 'agents' },
  TaskCreated: { matcher: '', blocks: 'the task is not created; the model reads why', group: 'agents' },
  TaskCompleted: { matcher: '', blocks: 'the task stays open; the model reads why', group: 'agents' },
  SessionStart: { matcher: '`startup`, `resume`', blocks: '', group: 'conversation' },
  SessionEnd: { matcher: '`clear`, `other`', blocks: '', group: 'conversation' },
  PreCompact: { matcher: '`auto`, `manual`', blocks: '', group: 'conversation' },
  PostCompact: { matcher: '`auto`, `manual`', blocks: '', group: 'conversation' },
  InstructionsLoaded: { matcher: 'reason', blocks: '', group: 'conversation' },
  Notification: { matcher: 'kind', blocks: '', group: 'conversation' },
  Elicitation: { matcher: 'MCP server', blocks: 'declines what the server asks for', group: 'conversation' },
  ElicitationResult: { matcher: 'MCP server', blocks: 'declines instead', group: 'conversation' },
  ConfigChange: { matcher: 'settings', blocks: '', group: 'conversation' },
  CwdChanged: { matcher: '', blocks: '', group: 'conversation' },
  FileChanged: { matcher: 'file names', blocks: '', group: 'conversation' },
  WorktreeCreate: { matcher: '', blocks: '', group: 'agents' },
  WorktreeRemove: { matcher: '', blocks: '', group: 'agents' },
} as const satisfies Readonly<Record<string, HookEventFacts>>
export type HookEvent = keyof typeof hookEventFacts

/** The names of all events. */
export const hookEvents = Object.keys(hookEventFacts) as [HookEvent, ...HookEvent[]]

/** One hook as configured. It is also what the user approves. */
export interface HookDefinition {
  readonly event: HookEvent
  /** As written; empty: always. */
  readonly matcher: string
  /** `prompt`: a small model judges; `agent`: a subagent that reads files does. */
  readonly kind: 'command' | 'http' | 'prompt' | 'agent'
  /** The command, the address, or the question to the judge. */
  readonly run: string
  /** Seconds. */
  readonly timeout: number
  /** Whether a failure blocks a call or a message. */
  readonly failClosed: boolean
  /** Set if the user wrote that a failure must not block: also a guard that can't run lets calls pass. */
  readonly failsOpen?: true
  /** Whether the agent continues without waiting. It gets the hook's answer at its next step. */
  readonly async: boolean
  /** A permission rule: the hook runs only for calls that it covers. */
  readonly if?: string
  /** Runs once in a conversation; a hook of an agent's definition once for each agent. */
  readonly once?: true
  /** Shown while the hook runs. */
  readonly statusMessage?: string
  /** The model that judges; missing: a small one. */
  readonly model?: string
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
  /** Its line in the file, counted from 1; missing: unknown. */
  readonly line?: number
  readonly definition: HookDefinition
  readonly state: HookState
  /** What was approved before it changed. */
  readonly former?: unknown
}

/** Where a user can add a hook: for all folders, for this folder, or for everybody who works in it. */
export const newHookSources = ['own', 'user', 'local', 'project'] as const

/** A hook that runs a command, to add to a settings file. */
export interface NewHook {
  readonly source: (typeof newHookSources)[number]
  readonly event: HookEvent
  /** Empty: always. Events without a subject ignore it. */
  readonly matcher: string
  readonly command: string
  /** Seconds; null: the default. */
  readonly timeout: number | null
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

/** Whether a run was one of this hook. Identical hooks of one source count as one. */
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
