/**
 * The commands from the window to the main process. Each command is one entry: the main process checks
 * input and sender against the entry, and the preload derives its functions from the entries. Events flow
 * the other way; see window-delta.ts. The entries of some nouns have files of their own in `ipc`.
 */
import { z } from 'zod'
import type {
  AgentCatalog,
  DefinitionInfo,
  DefinitionText,
  PendingDefinition,
  RestoredDefinition,
} from '../agent-definition/agent-catalog.ts'
import type { DefinitionChange } from '../agent-definition/definition-change.ts'
import type { DefinitionTrash } from '../agent-definition/trashed-definition.ts'
import { permissionMode, spendLimits } from '../events/agent-event.ts'
import { formAnswer } from '../forms/form-schema.ts'
import type { Result } from '../kernel/result.ts'
import { imageBlock } from '../messages/content.ts'
import { draftToStore, type StoredDraft } from '../messages/draft.ts'
import type { AccessInfo, AccessTest, ModelInfo } from '../models/model-access.ts'
import { effort, thinking } from '../models/model-choice-schema.ts'
import { type Settings, settingsPatch } from '../settings/settings.ts'
import type { ConversationSnapshot } from '../state/conversation-snapshot.ts'
import type { ConversationSummary } from '../state/conversation-summary.ts'
import { agentName } from '../teams/team.ts'
import type { TeamTask } from '../teams/team-schema.ts'
import { memberBacking, taskStatus } from '../teams/team-schema.ts'
import type { TranscriptPage } from '../transcript/transcript-page.ts'
import type { NatsFinding, WorkersState } from '../workers/worker-presence.ts'
import {
  diffPart,
  type MergedWork,
  mergeMethod,
  type RemovedWorktrees,
  type ReviewChanges,
  type ReviewConflict,
  type ReviewFileText,
  type ReviewPicture,
  type ReviewSnapshot,
  resolvedFile,
  reviewComment,
  reviewRange,
} from '../worktrees/review.ts'
import { agentWindowCommands } from './agent-window-commands.ts'
import { changesCommands } from './changes-commands.ts'
import { agent, type CommandShape, command, id, none, path } from './command.ts'
import { comparisonCommands } from './comparison-commands.ts'
import { contextCommands } from './context-commands.ts'
import type { FolderContents } from './folder-contents.ts'
import type { FolderInfo } from './folder-info.ts'
import { hooksCommands } from './hooks-commands.ts'
import type { MailboxInfo } from './mailbox-info.ts'
import { mcpCommands } from './mcp-commands.ts'
import { programCommands } from './program-commands.ts'
import { providerCommands } from './provider-commands.ts'
import { settingsFileCommands } from './settings-commands.ts'
import { slashCommands } from './slash-commands.ts'
import type { StartInfo } from './start-info.ts'
import type { StatusLineTrial } from './status-line.ts'
import type { TrashedConversation } from './trashed-conversation.ts'
import type { WindowDelta } from './window-delta.ts'

const taskId = z.string().min(1).max(20)
const branch = z.string().min(1).max(300)
const definitionText = z.string().max(1024 * 1024)
/** The version of a worktree that was shown. Fails with `moved` if the worktree has another one. Null: not checked. */
const seen = z.string().max(300).nullable().default(null)
const range = reviewRange.nullable().default(null)

/** The answer to a command. Its failure crosses to the window, so it has no `cause`; `message` is for display. */
export type Answer<T> = Result<T, { readonly type: string; readonly message: string }>

export const commands = {
  start: command<StartInfo>()(none),

  /** Null: canceled, or another window shows the folder. */
  'folder.pick': command<FolderInfo | null>()(z.object({ newWindow: z.boolean().default(false) }).strict()),
  /**
   * Opens a folder in this window. A folder that another window has is shown there, with the conversation if one is
   * given; then the answer is null, as with `newWindow`.
   */
  'folder.open': command<FolderInfo | null>()(
    z.object({ path, newWindow: z.boolean().default(false), conversationId: id.nullable().default(null) }),
  ),
  /** Copies the bundled sample project to a new folder and opens it. */
  'folder.sample': command<FolderInfo>()(none),
  'folder.trust': command<FolderInfo>()(z.object({ path, trusted: z.boolean() })),
  'folder.bypass': command<FolderInfo>()(z.object({ path, allowed: z.boolean() })),
  /** What a folder brings, counted without interpreting it. */
  'folder.contents': command<FolderContents>()(z.object({ path })),
  'folder.definitions': command<{
    definitions: readonly DefinitionInfo[]
    /** `waits`: the problem is that the user must approve the definition. */
    problems: readonly { file: string; message: string; waits?: true }[]
    /** The instructions of the folder that changed and wait for the user. Missing: none. */
    waitingTexts?: number
  }>()(z.object({ path })),
  /** Paths in the folder that match the query, best match first. Files that git ignores are left out. */
  'folder.files': command<readonly string[]>()(z.object({ path, query: z.string().max(200) })),

  'conversation.list': command<readonly ConversationSummary[]>()(none),
  'conversation.create': command<ConversationSummary>()(
    z.object({
      folder: path,
      /** Missing: as the settings say. */
      coordinator: z.boolean().optional(),
      /** The main agent’s definition; null: Troupe’s own; missing: as the settings say, except in coordinator mode. */
      agent: z.string().min(1).max(200).nullable().optional(),
    }),
  ),
  /**
   * A new conversation that begins with the history before the user's message `seq`, and is sent `message` instead.
   * `message: null`: the history includes that message and its answer, and nothing is sent. `seq: null`: the whole
   * history. `coordinator`: the mode of the new conversation; missing: as in the original.
   */
  'conversation.branch': command<ConversationSummary>()(
    z.object({
      conversationId: id,
      seq: z.number().int().nonnegative().nullable(),
      coordinator: z.boolean().optional(),
      message: z.object({ text: z.string().max(1_000_000), images: z.array(imageBlock).max(20) }).nullable(),
    }),
  ),
  'conversation.rename': command<void>()(
    z.object({ conversationId: id, title: z.string().trim().min(1).max(200) }),
  ),
  'conversation.trash': command<void>()(z.object({ conversationId: id })),
  'conversation.restore': command<ConversationSummary>()(z.object({ conversationId: id })),
  /** Returns a snapshot; the conversation's deltas follow over the port. */
  'conversation.subscribe': command<ConversationSnapshot>()(z.object({ conversationId: id })),
  'conversation.unsubscribe': command<void>()(z.object({ conversationId: id })),
  /** Messages the main agent, or the agent given. A busy agent reads the message in its next turn. */
  'conversation.send': command<{ messageId: string; queued: boolean }>()(
    z.object({
      conversationId: id,
      agentId: id.nullable(),
      text: z.string().max(1_000_000),
      images: z.array(imageBlock).max(20),
      /** The command that the user typed; \`text\` is what it stands for. */
      typed: z.string().max(1_000_000).optional(),
    }),
  ),
  'conversation.unqueue': command<{ text: string }>()(z.object({ conversationId: id, messageId: id })),
  'conversation.stop': command<void>()(z.object({ conversationId: id })),
  /** Resumes the agents that the user's last stop ended, subagents included. */
  'conversation.continue': command<void>()(
    z.object({
      conversationId: id,
      /** Agents that waited for a usage limit wait for the rest of it. */
      whenLimitEnds: z.boolean().default(false),
    }),
  ),
  'conversation.setMode': command<void>()(z.object({ conversationId: id, permissionMode })),
  'conversation.setModel': command<void>()(
    z.object({ conversationId: id, model: z.string().min(1).max(200) }),
  ),

  /** The effort of the next requests; null: the model's default. */
  'conversation.setEffort': command<void>()(z.object({ conversationId: id, effort })),
  'conversation.setThinking': command<void>()(z.object({ conversationId: id, thinking })),
  /** Replaces the main agent's history by a summary. `instructions`: what it must keep. */
  'conversation.compact': command<void>()(
    z.object({ conversationId: id, instructions: z.string().max(10_000) }),
  ),

  /** Retries a failed write. On success the agents that paused for it resume; on failure the message has the system's reason. */
  'conversation.retryLog': command<void>()(z.object({ conversationId: id })),
  /** `limits: null` restores the limits of the settings. */
  'conversation.setLimits': command<ConversationSummary>()(
    z.object({ conversationId: id, limits: spendLimits.nullable() }),
  ),

  /** Answers the question whether to verify changes. */
  'verification.answer': command<void>()(z.object({ conversationId: id, id, verify: z.boolean() })),
  /** Verifies the current changes of an agent's worktree; `owner: null`: of the conversation's folder. */
  'verification.start': command<void>()(z.object({ conversationId: id, owner: id.nullable() })),
  /** By the id of a verification: whether the files changed since. Missing: unknown. */
  'verification.states': command<Readonly<Record<string, 'same' | 'changed'>>>()(
    z.object({ conversationId: id }),
  ),

  /** The conversations in the trash, the last trashed first. */
  'trash.list': command<readonly TrashedConversation[]>()(none),
  /** Deletes conversations in the trash for good. */
  'trash.delete': command<void>()(z.object({ conversationIds: z.array(id).max(100_000) })),

  /** The unsent messages of all conversations and agents. */
  'draft.list': command<readonly StoredDraft[]>()(none),
  /** Replaces an unsent message; an empty one is removed. */
  'draft.save': command<void>()(draftToStore),

  /** One message of the user to several agents: the members of a team, and its leader. */
  'team.send': command<readonly { agentId: string; messageId: string; queued: boolean }[]>()(
    z.object({
      conversationId: id,
      agentIds: z.array(id).min(1).max(500),
      text: z.string().max(1_000_000),
      images: z.array(imageBlock).max(20),
    }),
  ),
  /** The user adds an agent to a team. */
  'team.addMember': command<{ agentId: string }>()(
    z.object({
      conversationId: id,
      teamId: id,
      name: z.string().trim().regex(agentName.pattern, agentName.rule),
      agent: z.string().trim().min(1).max(200),
      prompt: z.string().trim().min(1).max(1_000_000),
      backing: memberBacking.default('in-process'),
      isolation: z.literal('worktree').optional(),
    }),
  ),
  /** The members are asked to finish, and the team ends with the last one; `force`: they are stopped. */
  'team.end': command<void>()(z.object({ conversationId: id, teamId: id, force: z.boolean() })),
  'task.create': command<TeamTask>()(
    z.object({
      conversationId: id,
      subject: z.string().trim().min(1).max(200),
      description: z.string().trim().max(50_000),
      dependsOn: z.array(taskId).max(200),
    }),
  ),
  /** `owner`: the id of the agent that gets the task (status `in_progress`). */
  'task.update': command<TeamTask>()(
    z.object({
      conversationId: id,
      taskId,
      status: taskStatus.optional(),
      owner: id.optional(),
      dependsOn: z.array(taskId).max(200).optional(),
    }),
  ),

  'agent.stop': command<void>()(agent),
  /** Pauses the agent before its next request or tool call. A running call finishes. */
  'agent.pause': command<void>()(agent),
  /** Continues a paused agent, or resumes one that has ended. */
  'agent.continue': command<void>()(agent),
  /** Makes the next attempt of a failed request at once. */
  'agent.retry': command<void>()(agent),
  /** The parent continues at once and gets a notice when the agent ends. */
  'agent.toBackground': command<void>()(agent),
  /** Limits a subagent together with its own subagents. */
  'agent.setLimits': command<void>()(agent.extend({ limits: spendLimits })),
  /** Compares the agent's definition with the file it came from. */
  'agent.definitionChange': command<DefinitionChange>()(agent),
  /** Gives an agent that has ended the current definition, for its next run. */
  'agent.renew': command<void>()(agent),
  'agent.answer': command<void>()(
    agent.extend({
      requestId: id,
      decision: z.enum(['allow-once', 'allow-always', 'deny']),
      feedback: z.string().max(10_000).nullable(),
      /** The offered rule that "Always allow" adds; missing: the narrowest. */
      rule: z.string().optional(),
      /** The id of a choice that the external agent offered, with `allow-once` or `deny`. */
      choice: z.string().max(1000).optional(),
    }),
  ),
  /** Answers a form: questions, a plan, the input that an MCP server asks for. */
  'agent.answerForm': command<void>()(agent.extend({ formId: id, answer: formAnswer })),
  /** Stops a command in the background. Fails with `ended` if it does not run. */
  'agent.stopCommand': command<void>()(agent.extend({ commandId: id })),
  /** Sets a choice that an external agent offers. Fails if it does not offer it. */
  'agent.setProgramOption': command<void>()(
    agent.extend({ optionId: id, value: z.string().min(1).max(1000) }),
  ),
  /** Logs in to an external agent, by one of the methods that it offers. */
  'agent.login': command<void>()(agent.extend({ methodId: id })),
  /** A page of a transcript. Also starts the agent's live events for an open panel. */
  'agent.transcript': command<TranscriptPage>()(
    agent.extend({
      before: z.number().int().nonnegative().nullable(),
      limit: z.number().int().min(1).max(2000),
    }),
  ),
  /** Sets the agents whose live events the window draws: open panels and the main agent's conversation. */
  'agent.watch': command<void>()(z.object({ conversationId: id, agentIds: z.array(id).max(500) })),
  'agent.toolOutput': command<string>()(z.object({ agentId: id, toolUseId: id })),

  ...agentWindowCommands,
  ...hooksCommands,
  ...mcpCommands,
  ...slashCommands,
  ...programCommands,
  ...providerCommands,
  ...settingsFileCommands,

  /** Every definition for a folder, including shadowed, broken and locked ones. */
  'definition.catalog': command<AgentCatalog>()(z.object({ folder: path })),
  'definition.open': command<DefinitionText>()(z.object({ folder: path, id: path })),
  /** A project's definition that waits for the user, with the text that the user approved before. */
  'definition.pending': command<PendingDefinition>()(z.object({ folder: path, id: path })),
  /** Lets a waiting definition be used. Fails with `changed` if the file is no longer the version given. */
  'definition.approve': command<void>()(
    z.object({ folder: path, id: path, version: z.string().max(500).nullable() }),
  ),
  /** Fails with `changed` if the file is no longer the version given. */
  'definition.save': command<DefinitionText>()(
    z.object({ folder: path, id: path, text: definitionText, version: z.string().max(500).nullable() }),
  ),
  /** Creates a file at `path` in the agents folder, such as `review/name.md`. */
  'definition.create': command<DefinitionText>()(
    z.object({ folder: path, source: z.enum(['project', 'user']), path, text: definitionText }),
  ),
  'definition.move': command<DefinitionText>()(z.object({ folder: path, id: path, path })),
  'definition.trash': command<{ trashId: string }>()(
    z.object({ folder: path, id: path, unsaved: definitionText.nullable() }),
  ),
  'definition.restore': command<RestoredDefinition>()(z.object({ trashId: path })),
  /** The deleted definitions of all folders, the last deleted first. */
  'definition.listTrash': command<DefinitionTrash>()(none),
  'definition.readTrashed': command<string>()(z.object({ trashId: path })),
  /** Deletes definitions in the trash for good. */
  'definition.deleteTrashed': command<void>()(z.object({ trashIds: z.array(path).max(100_000) })),
  /**
   * Starts a scratch conversation. Its main agent uses this text as its definition and has a subagent's tools.
   * `worktree`: it works in a git worktree of its own instead of the folder.
   */
  'definition.tryOut': command<ConversationSummary>()(
    z.object({ folder: path, id: path.nullable(), text: definitionText, worktree: z.boolean() }),
  ),
  /** An agent writes a definition from the description. Takes as long as the model takes. */
  'definition.draft': command<{ text: string }>()(
    z.object({ folder: path, description: z.string().trim().min(1).max(20_000) }),
  ),
  /** Stops the draft in progress. */
  'definition.stopDraft': command<void>()(none),

  /** The worktrees of the folder's repository. While watched, each change arrives as a `review` delta with merge checks. */
  'review.watch': command<ReviewSnapshot>()(z.object({ folder: path, watched: z.boolean() })),
  /** `range`: a part of the changes; null: all. */
  'review.changes': command<ReviewChanges>()(z.object({ folder: path, id, range })),
  'review.picture': command<ReviewPicture>()(z.object({ folder: path, id, path, range })),
  'review.file': command<ReviewFileText>()(z.object({ folder: path, id, path, range })),
  /** `with`: another waiting worktree; null: the branch `into`, or the worktree's target. */
  'review.conflicts': command<readonly ReviewConflict[]>()(
    z.object({ folder: path, id, with: id.nullable(), into: branch.nullable() }),
  ),
  /** `conflicts` and `would-overwrite` change nothing. */
  'review.merge': command<MergedWork>()(
    z.object({
      folder: path,
      id,
      method: mergeMethod,
      into: branch.nullable(),
      commits: z.array(z.string().regex(/^[0-9a-f]{4,64}$/)).max(1000),
      message: z.string().max(20_000).nullable(),
      seen,
    }),
  ),
  /**
   * Merges with conflicts that the user resolved. `version`: that of the conflicts that were shown. Fails as
   * `unfinished` if a file is not resolved or holds conflict markers, as `moved` if one of the branches changed.
   */
  'review.mergeResolved': command<MergedWork>()(
    z.object({
      folder: path,
      id,
      into: branch.nullable(),
      version: z.string().max(300),
      files: z.array(resolvedFile).max(3000),
      message: z.string().max(20_000).nullable(),
    }),
  ),
  /** Moves the target of the last merge back. Fails if it has newer commits or was pushed. */
  'review.undoMerge': command<void>()(z.object({ folder: path, id })),
  /** Takes back a file, or changed lines of it (`part`). `version`: that of the changes that were shown. */
  'review.takeBack': command<void>()(
    z.object({ folder: path, id, path, version: z.string().max(100_000), part: diffPart.nullable() }),
  ),
  'review.undoTakeBack': command<void>()(z.object({ folder: path, id })),
  /** Merges the branch `into` (null: the target) into the worktree; the agent resumes and resolves the conflicts. */
  'review.resolve': command<{ files: readonly string[] }>()(
    z.object({ folder: path, id, into: branch.nullable().default(null) }),
  ),
  'review.abortResolve': command<void>()(z.object({ folder: path, id })),
  /** Sends all comments as one message; the agent resumes in its worktree. */
  'review.comment': command<void>()(
    z.object({
      folder: path,
      id,
      comments: z.array(reviewComment).max(200),
      message: z.string().max(20_000),
    }),
  ),
  'review.carryOver': command<{ files: readonly string[] }>()(z.object({ folder: path, id })),
  /** `confirm`: the branch's name as typed. Fails with `confirm` if the name is required and does not match. */
  'review.discard': command<void>()(
    z.object({ folder: path, id, confirm: z.string().max(300).nullable(), seen }),
  ),
  'review.undoDiscard': command<void>()(z.object({ folder: path, id })),
  /** `ids`: the worktrees that were shown; null: all merged ones. */
  'review.removeMerged': command<RemovedWorktrees>()(
    z.object({ folder: path, ids: z.array(id).max(10_000).nullable().default(null) }),
  ),

  /** Runs a status line command once, in the open folder. Fails if the folder is not trusted. */
  'statusLine.test': command<StatusLineTrial>()(z.object({ command: z.string().trim().min(1).max(4096) })),

  /** The workers and the connection to NATS. Changes follow as `workers` deltas. */
  'workers.state': command<WorkersState>()(none),
  /** Looks whether a NATS server can be used as it is set up: what was found, problems with what to do. */
  'workers.test': command<readonly NatsFinding[]>()(
    z.object({
      url: z.string().trim().min(1).max(500),
      credentials: z.string().trim().max(4096),
      ca: z.string().trim().max(4096),
    }),
  ),
  /** The mailboxes of this machine with messages that no agent has taken. */
  'mailboxes.list': command<readonly MailboxInfo[]>()(none),

  'settings.change': command<Settings>()(z.object({ patch: settingsPatch })),
  'access.set': command<AccessInfo>()(
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('rehearsal') }),
      /** `key: null` keeps the stored key. */
      z.object({
        kind: z.literal('api'),
        key: z.string().min(1).max(500).nullable(),
        baseUrl: z.string().max(500),
      }),
      z.object({ kind: z.literal('none') }),
    ]),
  ),
  /** Makes one small request with the key given (null: the stored key). Costs a few tokens. */
  'access.test': command<AccessTest>()(
    z.object({ key: z.string().min(1).max(500).nullable(), baseUrl: z.string().max(500) }),
  ),
  /** The models that the API offers; in rehearsal the aliases. */
  'access.models': command<readonly ModelInfo[]>()(none),

  /** Opens a file of the folder in the user's editor, or in the system's program for it. */
  'system.openFile': command<void>()(
    z.object({ folder: path, path, line: z.number().int().positive().nullable() }),
  ),
  /** Opens a file of the user's setup, or shows its folder: only what `setup.report` names. */
  'system.openSetup': command<void>()(z.object({ folder: path, path })),
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

  ...changesCommands,
  ...comparisonCommands,
  ...contextCommands,
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

/**
 * An answer on its way to the preload. With `hold`, deltas continue from the answer: main sends none until
 * the preload, which has the answer by then, posts `{ release: hold }`.
 */
export interface CommandReply {
  readonly answer: Answer<unknown>
  readonly hold?: number
}

/** `window.troupe`, as the preload exposes it. */
export interface TroupeBridge {
  command<N extends CommandName>(name: N, input: CommandInput<N>): Promise<Answer<CommandOutput<N>>>
  /** Calls back with each batch. The batch is acknowledged once the callback returns. */
  onDeltas(listener: (deltas: readonly WindowDelta[]) => void): () => void
  /** The absolute path of a file dropped on the window. */
  pathOf(file: File): string
}
