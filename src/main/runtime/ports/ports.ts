/**
 * The runtime's interfaces to the outside, as one list. Platform and features implement them on Node, tests in a few lines
 * each. A port with types of its own stands in a file of its noun beside this one.
 */

import type { PermissionMode, SpendLimits } from '../../../shared/events/agent-event.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import type { UserBlock } from '../../../shared/messages/content.ts'
import type { Effort } from '../../../shared/models/effort.ts'
import type { Thinking } from '../../../shared/models/thinking.ts'
import type { FolderRules } from '../../../shared/rules/written-rule.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { MailboxInfo } from '../../../shared/workers/contract.ts'
import type { ChangeJournal } from './changes.ts'
import type {
  DefinitionSource,
  FolderReader,
  LoadedDefinition,
  MemorySource,
  SkillSource,
} from './definitions.ts'
import type { DocumentReader, WebPages } from './documents.ts'
import type { WorktreeEnvironments } from './environments.ts'
import type { FileSearch, FileSystem } from './files.ts'
import type { Interceptors } from './interceptors.ts'
import type { ModelCatalog, ModelClient } from './model.ts'
import type { Sandbox } from './sandbox.ts'
import type { Shell } from './shell.ts'
import type { TaskBoard } from './task-board.ts'
import type { TranscriptStore } from './transcripts.ts'
import type { Review, Worktrees } from './worktrees.ts'

/** Time. `sleep` ends early, without an error, when the signal aborts. */
export interface Clock {
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/**
 * New ids, unique on this machine and sortable by their time of creation: `a-01jd…`. The prefixes: conversation, agent,
 * message, permission request, stop, job, worker, team, background command.
 */
export interface Ids {
  next(prefix: 'c' | 'a' | 'm' | 'p' | 's' | 'j' | 'w' | 't' | 'b' | 'u'): string
}

/** A message that waits outside any conversation for an agent of that name or id. */
export interface MailboxMessage {
  readonly messageId: string
  readonly to: string
  /** The agent that wrote it; null: the user. */
  readonly sender: string | null
  readonly content: readonly UserBlock[]
  /** The same for the copies of one message to several agents; missing: it has one receiver. */
  readonly broadcast?: string | undefined
  /** ms since the epoch. */
  readonly at: number
}

/** Mailboxes that processes share. A message stays until its reader confirms it with `done`. */
export interface Mailbox {
  /** Resolves when the message is on disk. Fails with `bad-name`, `too-large` or `io`. */
  put(message: MailboxMessage): Promise<Result<void>>
  /**
   * All unconfirmed messages for that name, oldest first, including those that this process or a dead one took before.
   * A message that another live process took belongs to that process. Fails with `bad-name` or `io`.
   */
  take(name: string): Promise<Result<readonly MailboxMessage[]>>
  /** Removes messages that a log on disk contains. */
  done(name: string, messageIds: readonly string[]): Promise<void>
  /**
   * Calls `onNew` soon after a message may have arrived, also from another process. Missing: mailboxes are read only at
   * the start of a run. @returns the function that stops watching
   */
  watch?(name: string, onNew: () => void): () => void
  /** The mailboxes with messages that nobody has taken, by name. Fails with `io`. Missing: they can't be listed. */
  list?(): Promise<Result<readonly MailboxInfo[]>>
}

/** Permission rules of the user: `Bash(npm test)`. All agents of a folder share them. */
export interface PermissionRules {
  /** The rules that hold now. */
  of(folder: string): Promise<FolderRules>
  /** Removes a rule that was saved. */
  forget(folder: string, rule: string): Promise<Result<void>>
  /** Saves a rule that allows. */
  allow(folder: string, rule: string): Promise<Result<void>>
  /**
   * Calls `onChange` after this program changed the rules of the folder, with the rule that it added; null: another
   * change. @returns the function that stops watching
   */
  watch(folder: string, onChange: (rule: string | null) => void): () => void
  /**
   * Tells all who watch that something else changed by which calls are decided: rules in settings files, a permission
   * mode. `rule`: the one that was added; or null.
   */
  changed(rule: string | null): void
}

/** The user's settings. Each read returns the current value. */
/** What a new conversation is, as far as nobody chose otherwise. */
export interface ConversationDefaults {
  /** An alias or a full id. */
  readonly model: string
  readonly effort: Effort | null
  readonly thinking: Thinking | null
  readonly permissionMode: PermissionMode
  /** Whether the main agent only coordinates. */
  readonly coordinator: boolean
  /** The main agent's definition, without effect in coordinator mode and in a rehearsal; null: the program's own. */
  readonly mainAgent: string | null
  /** Whether model requests go to the rehearsal's script now. */
  readonly rehearsal: boolean
}

export interface Policy {
  defaults(folder: string): ConversationDefaults
  trusted(folder: string): boolean
  /** @param trusted the answer of `trusted`, where it was just asked */
  bypassAllowed(folder: string, trusted?: boolean): boolean
  /** Whether a user answers permission requests and questions in this run. */
  readonly attended: boolean
  /**
   * Troupe's own data, which agents never write, the settings file in it, and the user's home folder; null: none is on
   * this disk.
   */
  readonly ownPaths: {
    readonly dataFolder: string | null
    readonly settingsFile: string | null
    readonly home: string | null
  }
  readonly maxParallelAgents: number
  readonly maxAgents: number
  readonly maxDepth: number
  /** Whether a subagent without a type is a fork. */
  readonly forkSubagents: boolean
  /** Whether a new worktree receives the uncommitted changes of its parent's folder. */
  readonly carryOver: boolean
  /** Whether a model names new conversations; missing: it does not. */
  readonly titlesByModel?: boolean
  /** Whether changes are verified after a run: `ask` asks the user, `always` starts the verifier. */
  readonly verification: Settings['verification']
  /** The MCP tools of subagents: all, those that their definitions list, or none. */
  readonly mcpToolsForSubagents: Settings['mcpToolsForSubagents']
  /** For a foreground subagent, a background subagent and a conversation. */
  readonly limits: Readonly<Record<'agent' | 'background' | 'conversation', SpendLimits>>
}

/** An MCP server, as an agent is told about it. */
export interface ToolServer {
  /** As its owner named it. */
  readonly name: string
  /** The names of its tools begin with this: `mcp__github__`. */
  readonly prefix: string
  /** Whether only agents have its tools whose definition names the server. */
  readonly onlyWhereNamed: boolean
  readonly state:
    | { readonly kind: 'starting' }
    /** The server's own words about its tools; null: none. */
    | { readonly kind: 'connected'; readonly instructions: string | null }
    /** `reason`: sentences. `retries`: it is started again without the user. */
    | { readonly kind: 'failed'; readonly reason: string; readonly retries: boolean }
}

/** The MCP servers of folders, whose tools the registry gets at run time. */
export interface ServerTools {
  /** The folder's servers that start, run or failed, as they are now. Others are not in use. */
  servers(folder: string): readonly ToolServer[]
  /**
   * Called before the requests of a conversation's main agent. The first call in a folder starts its servers, and
   * resolves when their tools are there or a few seconds have passed; tools that come later are announced. Never rejects.
   */
  ready(folder: string, conversationId: string | null): Promise<void>
  /**
   * Starts the servers that a definition describes itself, and resolves when they run or a few seconds have passed. Never
   * rejects.
   * @returns why servers can't be used, as sentences for the user
   */
  need(
    folder: string,
    definition: Pick<LoadedDefinition, 'name' | 'file' | 'mcpServers'>,
  ): Promise<readonly string[]>
  /** An agent whose definition names these servers has ended. A server that a definition describes ends with its last agent. */
  released(folder: string, servers: readonly string[]): void
  /** The servers of a folder end soon after its last conversation has closed. */
  closed(conversationId: string): void
}

export interface Ports {
  readonly clock: Clock
  readonly ids: Ids
  readonly model: ModelClient
  readonly models: ModelCatalog
  readonly store: TranscriptStore
  readonly files: FileSystem
  readonly search: FileSearch
  readonly shell: Shell
  /** Missing: PDF documents can't be read. */
  readonly documents?: DocumentReader
  /** Missing: agents have no WebFetch. */
  readonly pages?: WebPages
  readonly definitions: DefinitionSource
  readonly skills: SkillSource
  readonly folders: FolderReader
  readonly memory: MemorySource
  readonly mailbox: Mailbox
  readonly tasks: TaskBoard
  readonly worktrees: Worktrees
  /** Missing: a worktree is ready as it is. */
  readonly environments?: WorktreeEnvironments
  readonly review: Pick<Review, 'list' | 'merge'>
  readonly rules: PermissionRules
  readonly policy: Policy
  /** Left out: changes of files are not recorded. */
  readonly changes?: ChangeJournal
  /** None where left out. */
  readonly serverTools?: ServerTools
  /** Commands run without a sandbox where left out. */
  readonly sandbox?: Sandbox
  /** None where left out. */
  readonly interceptors?: Interceptors
  /** A random number in [0, 1): the jitter of retries. */
  random(): number
}

export interface SharedLimits {
  /** The API refused a request of this process until then, in ms since the epoch. */
  publish(until: number): void
  /** Calls back with the limits that others were told, also with one that began earlier, until the returned function is called. */
  subscribe(listener: (until: number) => void): () => void
  /** The key changed: the limits of the new one apply. */
  keyChanged(): void
}
