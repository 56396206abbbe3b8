/**
 * What the window and the main process say to each other. Each command is one entry: the main process
 * checks input and sender against it, the preload makes its functions from it. Events flow the other
 * way over one MessagePort, in acknowledged batches of deltas. One long file, so that it can be read as a list.
 */
import { z } from 'zod'
import {
  type AgentEvent,
  type LiveEvent,
  permissionMode,
  type SpendLimits,
  spendLimits,
} from './agent-event.ts'
import type { AgentLibrary, DefinitionText } from './agent-library.ts'
import type { AgentState } from './agent-state.ts'
import { imageBlock } from './content.ts'
import type { ConversationRecord } from './conversation.ts'
import {
  mergeMethod,
  type ReviewChanges,
  type ReviewConflict,
  type ReviewFileText,
  type ReviewSnapshot,
  reviewComment,
} from './review.ts'
import { type Settings, settingsPatch } from './settings.ts'

const none = z.object({}).strict()
const id = z.string().min(1).max(100)
const path = z.string().min(1).max(4096)
const branch = z.string().min(1).max(300)
const definitionText = z.string().max(1024 * 1024)

/** A failed command: words for a person. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: { readonly type: string; readonly message: string } }

export interface FolderInfo {
  readonly path: string
  readonly name: string
  readonly trusted: boolean
  readonly gitBranch: string | null
  /** Files with changes git has not committed; null outside a repository. */
  readonly dirtyFiles: number | null
  readonly bypassAllowed: boolean
}

export interface AccessInfo {
  readonly kind: 'rehearsal' | 'api' | 'none'
  /** Where the key comes from; never the key. */
  readonly keySource: 'environment' | 'key-store' | null
  /** Whether the system's key store really encrypts; false: only plain obfuscation is there. */
  readonly keyStoreSafe: boolean
  readonly baseUrl: string
}

export interface StartInfo {
  readonly version: string
  readonly platform: string
  readonly dataFolder: string
  readonly settings: Settings
  readonly access: AccessInfo
  /** The folder to open at once: from the command line, or the last one. */
  readonly folder: FolderInfo | null
  /** Whether this is the fallback Electron of a development machine. */
  readonly electron: string
}

/** A conversation in the list. */
export interface ConversationSummary {
  readonly id: string
  readonly folder: string
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly rehearsal: boolean
  /** True where it only tries a definition out: it is in no list. */
  readonly scratch: boolean
  /** Agents that are live now. */
  readonly running: number
  readonly prompts: number
  /** True where another program holds it: it can be read here, not continued. */
  readonly readOnly: boolean
  /** What its agents may spend together now. */
  readonly limits: SpendLimits
}

/** A message that waits for the main agent (or the agent it is for) to take it. */
export interface QueuedMessage {
  readonly messageId: string
  readonly agentId: string
  readonly text: string
  readonly from: 'user' | 'agent' | 'runtime'
  /** The agent that wrote it, or of whose end it tells. */
  readonly sender: string | null
}

/** How an agent's definition differs from what it was started with. */
export interface DefinitionChange {
  /** `same`; `changed`: the file says something else now; `gone`: there is none of that name that can be started. */
  readonly kind: 'same' | 'changed' | 'gone'
  /** What is other, in words for a person: "its prompt", "its tools". */
  readonly what: readonly string[]
}

/** Agents of a conversation that are paused because what they do can't be saved. */
export interface LogTrouble {
  readonly conversationId: string
  readonly agentIds: readonly string[]
  /** Why, and what to do. */
  readonly message: string
}

export interface ConversationSnapshot {
  readonly record: ConversationRecord
  readonly readOnly: boolean
  readonly agents: readonly AgentState[]
  readonly queued: readonly QueuedMessage[]
  /** Deltas that follow have a higher `order`. */
  readonly order: number
}

export interface TranscriptPage {
  readonly events: readonly AgentEvent[]
  /** Whether older events remain. */
  readonly older: boolean
  /** What streams at this moment, as live events from the start of the message. */
  readonly live: readonly LiveEvent[]
}

export interface DefinitionInfo {
  readonly name: string
  readonly description: string
  readonly source: string
  readonly color: string
  readonly model: string
  readonly tools: readonly string[] | null
  readonly hidden: boolean
}

/** How the status line's command ran when it was tried. */
export interface StatusLineTrial {
  /** What it printed, at most 4 KB. */
  readonly output: string
  /** Why the status line would stay empty, and what to do; null: it works. */
  readonly problem: string | null
  /** Null where a signal ended it. */
  readonly exitCode: number | null
  readonly ms: number
}

/** An input, and (by a phantom) the type of what the answer holds. */
export interface CommandShape<I extends z.ZodType, O> {
  readonly input: I
  readonly output?: O
}

const command =
  <O>() =>
  <I extends z.ZodType>(input: I): CommandShape<I, O> => ({ input })

export const commands = {
  start: command<StartInfo>()(none),

  'folder.pick': command<FolderInfo | null>()(none),
  'folder.open': command<FolderInfo>()(z.object({ path })),
  /** Copies the bundled sample project to a new folder and opens it. */
  'folder.sample': command<FolderInfo>()(none),
  'folder.trust': command<FolderInfo>()(z.object({ path, trusted: z.boolean() })),
  'folder.bypass': command<FolderInfo>()(z.object({ path, allowed: z.boolean() })),
  'folder.definitions': command<{
    definitions: readonly DefinitionInfo[]
    problems: readonly { file: string; message: string }[]
  }>()(z.object({ path })),
  /** Files of the folder whose path fits the words, best first; git's ignores respected. */
  'folder.files': command<readonly string[]>()(z.object({ path, query: z.string().max(200) })),

  'conversation.list': command<readonly ConversationSummary[]>()(none),
  'conversation.create': command<ConversationSummary>()(z.object({ folder: path })),
  'conversation.rename': command<void>()(
    z.object({ conversationId: id, title: z.string().trim().min(1).max(200) }),
  ),
  'conversation.trash': command<void>()(z.object({ conversationId: id })),
  'conversation.restore': command<ConversationSummary>()(z.object({ conversationId: id })),
  /** From now on this conversation's deltas come over the port, after the snapshot that is returned. */
  'conversation.subscribe': command<ConversationSnapshot>()(z.object({ conversationId: id })),
  'conversation.unsubscribe': command<void>()(z.object({ conversationId: id })),
  /** Speaks to the main agent, or to the agent named. A busy one gets it in its next turn. */
  'conversation.send': command<{ messageId: string; queued: boolean }>()(
    z.object({
      conversationId: id,
      agentId: id.nullable(),
      text: z.string().max(1_000_000),
      images: z.array(imageBlock).max(20),
    }),
  ),
  'conversation.unqueue': command<{ text: string }>()(z.object({ conversationId: id, messageId: id })),
  'conversation.stop': command<void>()(z.object({ conversationId: id })),
  'conversation.setMode': command<void>()(z.object({ conversationId: id, permissionMode })),
  'conversation.setModel': command<void>()(
    z.object({ conversationId: id, model: z.string().min(1).max(200) }),
  ),

  /** Writes again what could not be saved; the agents that were paused for it go on. Fails with what the disk says. */
  'conversation.retryLog': command<void>()(z.object({ conversationId: id })),
  /** Until its limits are `null`, they are those of the settings. */
  'conversation.setLimits': command<ConversationSummary>()(
    z.object({ conversationId: id, limits: spendLimits.nullable() }),
  ),

  'agent.stop': command<void>()(z.object({ agentId: id, conversationId: id })),
  /** It rests before its next request or tool call; what runs already is finished. */
  'agent.pause': command<void>()(z.object({ agentId: id, conversationId: id })),
  /** One that rests goes on; one that has ended is resumed where it was. */
  'agent.continue': command<void>()(z.object({ agentId: id, conversationId: id })),
  /** Its parent goes on without it, and is told when it has ended. */
  'agent.toBackground': command<void>()(z.object({ agentId: id, conversationId: id })),
  /** What a subagent may spend with all that it starts. */
  'agent.setLimits': command<void>()(z.object({ agentId: id, conversationId: id, limits: spendLimits })),
  /** Whether its definition is another one than it was started with. */
  'agent.definitionChange': command<DefinitionChange>()(z.object({ agentId: id, conversationId: id })),
  /** An agent that has ended takes its definition as it is now, for when it goes on. */
  'agent.renew': command<void>()(z.object({ agentId: id, conversationId: id })),
  'agent.answer': command<void>()(
    z.object({
      conversationId: id,
      agentId: id,
      promptId: id,
      decision: z.enum(['allow-once', 'allow-always', 'deny']),
      words: z.string().max(10_000).nullable(),
    }),
  ),
  /** A page of a transcript; an open panel also gets the agent's live events until it is closed. */
  'agent.transcript': command<TranscriptPage>()(
    z.object({
      conversationId: id,
      agentId: id,
      before: z.number().int().nonnegative().nullable(),
      limit: z.number().int().min(1).max(2000),
    }),
  ),
  /** Which agents' live events the window draws: open panels, and the main agent's conversation. */
  'agent.watch': command<void>()(z.object({ conversationId: id, agentIds: z.array(id).max(500) })),
  'agent.toolOutput': command<string>()(z.object({ agentId: id, toolUseId: id })),

  /** All definitions there are for a folder, with what is overridden, broken or locked. */
  'definition.library': command<AgentLibrary>()(z.object({ folder: path })),
  'definition.open': command<DefinitionText>()(z.object({ folder: path, id: path })),
  /** Fails with `changed` where the file is no longer the one that `version` was read from. */
  'definition.save': command<DefinitionText>()(
    z.object({ folder: path, id: path, text: definitionText, version: z.string().max(500).nullable() }),
  ),
  /** A new file, `path` below the agents folder: `review/name.md`. */
  'definition.create': command<DefinitionText>()(
    z.object({ folder: path, source: z.enum(['project', 'user']), path, text: definitionText }),
  ),
  'definition.move': command<DefinitionText>()(z.object({ folder: path, id: path, path })),
  'definition.trash': command<{ trashId: string }>()(z.object({ folder: path, id: path })),
  'definition.restore': command<DefinitionText>()(z.object({ trashId: path })),
  /** A scratch conversation whose main agent is what this text says, with the tools of a subagent. */
  'definition.tryOut': command<ConversationSummary>()(
    z.object({ folder: path, id: path.nullable(), text: definitionText }),
  ),
  /** An agent writes a definition for what is described. Takes as long as a model takes. */
  'definition.draft': command<{ text: string }>()(
    z.object({ folder: path, description: z.string().trim().min(1).max(20_000) }),
  ),
  /** Ends a draft that is being written. */
  'definition.stopDraft': command<void>()(none),

  /** The worktrees of the folder's repository. While it is watched each change comes as a `review` delta, merge checks included. */
  'review.watch': command<ReviewSnapshot>()(z.object({ folder: path, watched: z.boolean() })),
  'review.changes': command<ReviewChanges>()(z.object({ folder: path, id })),
  'review.file': command<ReviewFileText>()(z.object({ folder: path, id, path })),
  /** `with`: another waiting worktree; null: the branch `into`, or its target. */
  'review.conflicts': command<readonly ReviewConflict[]>()(
    z.object({ folder: path, id, with: id.nullable(), into: branch.nullable() }),
  ),
  /** Fails with `conflicts` or `would-overwrite`, and then nothing was changed. */
  'review.merge': command<{ into: string; commit: string; commits: number; files: number }>()(
    z.object({
      folder: path,
      id,
      method: mergeMethod,
      into: branch.nullable(),
      commits: z.array(z.string().regex(/^[0-9a-f]{4,64}$/)).max(1000),
      message: z.string().max(20_000).nullable(),
    }),
  ),
  /** The agent gets the conflicts into its worktree, and goes on with resolving them. */
  'review.resolve': command<{ files: readonly string[] }>()(z.object({ folder: path, id })),
  'review.abortResolve': command<void>()(z.object({ folder: path, id })),
  /** All comments as one message: the agent goes on in its worktree. */
  'review.comment': command<void>()(
    z.object({
      folder: path,
      id,
      comments: z.array(reviewComment).max(200),
      words: z.string().max(20_000),
    }),
  ),
  'review.carryOver': command<{ files: readonly string[] }>()(z.object({ folder: path, id })),
  /** `confirm`: the branch's name as it was typed. Fails with `confirm` where it is needed and is not that. */
  'review.discard': command<void>()(z.object({ folder: path, id, confirm: z.string().max(300).nullable() })),
  'review.undoDiscard': command<void>()(z.object({ folder: path, id })),
  'review.removeMerged': command<{
    removed: readonly string[]
    kept: readonly { id: string; because: string }[]
  }>()(z.object({ folder: path })),

  /** Runs a command once as the status line would, in the open folder. Fails where that is not trusted. */
  'statusLine.test': command<StatusLineTrial>()(z.object({ command: z.string().trim().min(1).max(4096) })),

  'settings.change': command<Settings>()(z.object({ patch: settingsPatch })),
  'access.set': command<AccessInfo>()(
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('rehearsal') }),
      /** A null key keeps the one that is stored. */
      z.object({
        kind: z.literal('api'),
        key: z.string().min(1).max(500).nullable(),
        baseUrl: z.string().max(500),
      }),
      z.object({ kind: z.literal('none') }),
    ]),
  ),
  /** One tiny request with the key that is given (null: the stored one): does the API take it? Costs a few tokens. */
  'access.test': command<{ model: string; ms: number }>()(
    z.object({ key: z.string().min(1).max(500).nullable(), baseUrl: z.string().max(500) }),
  ),
  /** The API's own list of models; in rehearsal the aliases. */
  'access.models': command<readonly { id: string; name: string }[]>()(none),

  /** Opens a file below the folder in the user's editor (or the system's program for it). */
  'system.openFile': command<void>()(
    z.object({ folder: path, path, line: z.number().int().positive().nullable() }),
  ),
  'system.openTerminal': command<void>()(z.object({ folder: path })),
  'system.reveal': command<void>()(z.object({ path })),
  /** https and mailto only; the main process shows the address and asks first. */
  'system.openLink': command<void>()(z.object({ url: z.string().max(4096) })),
  'system.notify': command<void>()(
    z.object({
      title: z.string().max(200),
      body: z.string().max(500),
      needsYou: z.number().int().nonnegative(),
    }),
  ),
} as const

export type Commands = typeof commands
export type CommandName = keyof Commands
export type CommandInput<N extends CommandName> = z.input<Commands[N]['input']>
export type CommandOutput<N extends CommandName> =
  NonNullable<Commands[N]['output']> extends infer O
    ? Commands[N] extends CommandShape<z.ZodType, infer P>
      ? P
      : O
    : never

/** What main pushes to the window. */
export type WindowDelta =
  | { readonly type: 'event'; readonly conversationId: string; readonly event: AgentEvent }
  | { readonly type: 'live'; readonly conversationId: string; readonly event: LiveEvent }
  | { readonly type: 'queue'; readonly conversationId: string; readonly queued: readonly QueuedMessage[] }
  | { readonly type: 'conversation'; readonly summary: ConversationSummary }
  | { readonly type: 'conversation-gone'; readonly conversationId: string }
  | { readonly type: 'settings'; readonly settings: Settings }
  | { readonly type: 'access'; readonly access: AccessInfo }
  /** What is new about a folder. `opened`: the window goes there (a second start, a folder from the menu). */
  | { readonly type: 'folder'; readonly folder: FolderInfo; readonly opened?: boolean }
  /** A definition or a skill changed, so the library of this folder is another one. */
  | { readonly type: 'definitions'; readonly folder: string }
  /** The worktrees of the open folder, as they are now. */
  | { readonly type: 'review'; readonly snapshot: ReviewSnapshot }
  /** `text`: what the status line's command printed. `problem`: why there is nothing, and what to do. */
  | { readonly type: 'status-line'; readonly text: string | null; readonly problem: string | null }
  | { readonly type: 'menu'; readonly command: MenuCommand }
  | { readonly type: 'trouble'; readonly message: string }
  /** All that there is of it now. */
  | { readonly type: 'log-trouble'; readonly troubles: readonly LogTrouble[] }

export type MenuCommand =
  | 'new-conversation'
  | 'open-folder'
  | 'settings'
  | 'stage'
  | 'agents'
  | 'review'
  | 'palette'
  | 'toggle-theme'
  | 'stop'
  | 'stop-all'

/** One batch over the port; the next one is sent when the window has answered `{ ack: batch }`. */
export interface DeltaBatch {
  readonly batch: number
  readonly deltas: readonly WindowDelta[]
}
export interface DeltaAck {
  readonly ack: number
}

/**
 * An answer as it crosses to the preload. `hold` is set where deltas continue what the answer holds: none
 * is sent until the preload, which has the answer then, says `{ release: hold }` over the port.
 */
export interface CommandReply {
  readonly answer: Answer<unknown>
  readonly hold?: number
}
export interface DeltaRelease {
  readonly release: number
}

/** The object the preload puts on `window.troupe`. */
export interface TroupeBridge {
  command<N extends CommandName>(name: N, input: CommandInput<N>): Promise<Answer<CommandOutput<N>>>
  /** Calls back with each batch, which counts as acknowledged once the callback has returned. */
  onDeltas(listener: (deltas: readonly WindowDelta[]) => void): () => void
  /** The absolute path of a file that was dropped on the window. */
  pathOf(file: File): string
}
