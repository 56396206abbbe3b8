/**
 * The runtime's interfaces to the outside. The adapters implement them on Node, tests in a few lines each. They share
 * one file so that they can be read as a list; the ports to git are in worktrees.ts,
 * those to recorded changes in changes.ts.
 */

import type {
  AgentCatalog,
  AgentSource,
  DefinitionText,
  PendingDefinition,
  RestoredDefinition,
  SkillInfo,
} from '../../shared/agent-definition/agent-catalog.ts'
import type { AgentDefinition, DefinitionTrash } from '../../shared/agent-definition/agent-definition.ts'
import type { TrashedConversation } from '../../shared/conversations/contract.ts'
import type {
  AgentEvent,
  LoadedInstructions,
  SpendLimits,
  ToolSchema,
  Usage,
} from '../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../shared/events/conversation.ts'
import type { LoggedEvent } from '../../shared/events/conversation-event.ts'
import type { Failure, Result } from '../../shared/kernel/result.ts'
import type { AssistantBlock, ImageBlock, ToolContent, UserBlock } from '../../shared/messages/content.ts'
import type { Effort } from '../../shared/models/effort.ts'
import type { Thinking } from '../../shared/models/thinking.ts'
import type { FolderRules } from '../../shared/rules/written-rule.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { AgentState } from '../../shared/state/agent-state.ts'
import type { ConversationState } from '../../shared/state/conversation-state.ts'
import type { MailboxInfo } from '../../shared/workers/contract.ts'
import type { ChangeJournal } from './changes.ts'
import type { Interceptors } from './interceptors.ts'
import type { CommandLimits, Sandbox } from './sandbox.ts'
import type { TaskBoard } from './task-board.ts'
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
  next(prefix: 'c' | 'a' | 'm' | 'p' | 's' | 'j' | 'w' | 't' | 'b'): string
}

// ---- the model ---------------------------------------------------------------------------------

export type ModelMessage =
  | { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] }
  | { readonly role: 'user'; readonly content: readonly (UserBlock | ToolResultBlock)[] }

export interface ToolResultBlock {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content: ToolContent
  readonly is_error: boolean
  /** Tools that the call found. Where the API can, they are the result, and their schemas are loaded there. */
  readonly found?: readonly string[]
}

export interface ModelRequest {
  readonly model: string
  /** Null or missing: the model's default. Not sent to a model without the setting. */
  readonly effort?: Effort | null
  /** Null or missing: the model's default. A model that has no such choice keeps its own way. */
  readonly thinking?: Thinking | null
  readonly system: string
  readonly tools: readonly ToolSchema[]
  readonly messages: readonly ModelMessage[]
  /** `none` asks for text only: the last request at the turn limit. */
  readonly toolChoice: 'auto' | 'none'
  /** How long the server shall keep the prompt, where it can. Default: 5 minutes. */
  readonly cacheFor?: CacheLife
  readonly webSearch?: WebSearchRequest
}

/** The times for which the API keeps a prompt after its last use. A longer one costs more to write. */
export type CacheLife = '5m' | '1h'

/** Lets the API search the web once. At most one of the lists has entries. */
export interface WebSearchRequest {
  readonly allowedDomains: readonly string[]
  readonly blockedDomains: readonly string[]
}

export interface WebSearchResult {
  readonly title: string
  readonly url: string
  /** As the search says it: "2 days ago". */
  readonly age: string | null
  /** What the message quotes from the page. */
  readonly snippets: readonly string[]
}

/** A piece of the message while it streams. */
export interface ModelDelta {
  readonly index: number
  readonly kind: 'text' | 'thinking' | 'tool'
  /** The tool's name where `kind` is `tool`. */
  readonly name: string
  readonly append: string
}

/** All stop reasons this program knows; any other is `unknown` and handled as a failure. */
export type StopReason =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'stop_sequence'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded'
  | 'compaction'
  | 'unknown'

export interface ModelReply {
  readonly id: string
  readonly model: string
  readonly content: readonly AssistantBlock[]
  readonly stopReason: StopReason
  /** The API's reason why the model declined, as a sentence. */
  readonly stopDetails?: string
  readonly usage: Usage
  /** Set if the server did not count its tokens. */
  readonly usageEstimated?: true
  readonly pace: readonly (readonly [number, number])[]
  /** Set if the API searched the web. `error`: its code, such as `max_uses_exceeded`. */
  readonly webSearch?: { readonly results: readonly WebSearchResult[]; readonly error: string | null }
  /** The parts of the message that the adapter left out, as text for the user. */
  readonly notes?: readonly string[]
}

export interface ModelFailure extends Failure {
  readonly type:
    | 'rate-limited' // 429
    | 'overloaded' // 529, or overloaded_error inside the stream
    | 'server' // 408, 409, 5xx
    | 'connection' // could not connect, or the connection broke before or in the stream
    | 'stalled' // no data arrived within the watchdog's time
    | 'auth' // 401, 403
    | 'not-found' // 404, mostly the model
    | 'redirected' // 3xx: never followed, because the key would be sent to another address
    | 'bad-request' // 400, 413
    | 'prompt-too-long' // 400 with a message about the length
    | 'aborted' // by the runtime's own signal
  readonly status: number | null
  readonly retryAfterMs: number | null
  /** Set if the server answered, but not with a stream. */
  readonly notStreamed?: true
  /** Set if the server answered against its own format: it will probably do so again. */
  readonly isInvalid?: true
}

/** One attempt at one message. The runtime decides on retries. */
export interface ModelClient {
  /** Whether the API may have a web search of its own. Missing: it has none. */
  canSearchWeb?(): boolean
  request(
    request: ModelRequest,
    options: { readonly signal: AbortSignal; readonly onDelta: (delta: ModelDelta) => void },
  ): Promise<Result<ModelReply, ModelFailure>>
}

/** US dollars per million tokens. */
export interface TokenPrices {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Of what is kept for an hour. Missing: like `cacheWrite`. */
  readonly cacheWriteHour?: number
}

export interface ModelPrice extends TokenPrices {
  /** The prices of a request whose prompt, cached parts included, has more tokens than this. */
  readonly longPrompt?: TokenPrices & { readonly aboveTokens: number }
}

/** A model's price, or null if it is unknown, and its context window in tokens. */
export interface ModelFacts {
  readonly id: string
  readonly price: ModelPrice | null
  /** A script answers, so nothing is charged. */
  readonly free?: true
  readonly contextTokens: number
  /** The provider in the settings that has the model; missing: the main access. */
  readonly provider?: string
  /** Whether it can call tools; missing: unknown. */
  readonly tools?: boolean
}

/** Aliases, ids and prices. */
export interface ModelCatalog {
  /**
   * The full id for `sonnet`, `claude-…`; an unknown name counts as an id. The caller resolves `inherit`. `below`: the
   * model of the parent, with whose provider an agent stays unless `name` has another one.
   */
  resolve(name: string, below?: string): string
  facts(id: string): ModelFacts
  /** What the user should know about a name before the first request, as a sentence; null or missing: nothing. */
  problem?(name: string, below?: string): string | null
}

// ---- the transcript ----------------------------------------------------------------------------

/** Stores conversations and transcripts. Readers never change a log. */
export interface TranscriptStore {
  list(): Promise<readonly ConversationRecord[]>
  read(conversationId: string): Promise<Result<ConversationRecord>>
  /** The states of these agents. An agent without a transcript is left out. */
  states(agentIds: readonly string[]): Promise<Result<readonly AgentState[]>>
  /** Whether another process is writing to it. */
  lockedByOther(conversationId: string): Promise<boolean>
  /** All events of an agent in order, in batches. A damaged line ends the reading with a failure that names the line. */
  events(agentId: string): AsyncIterable<Result<readonly AgentEvent[]>>
  /** Events before `before` (exclusive; null: the end), at most `limit`, oldest first. */
  page(
    agentId: string,
    options: { readonly before: number | null; readonly limit: number },
  ): Promise<Result<{ readonly events: readonly AgentEvent[]; readonly total: number }>>
  /**
   * All events of a conversation and its agents from one order to another (inclusive), by order, in batches. A
   * damaged line ends the reading with a failure that names the file and the line.
   */
  readConversation(
    conversationId: string,
    range?: { readonly from?: number; readonly to?: number },
  ): AsyncIterable<Result<readonly LoggedEvent[]>>
  /** The state of a conversation after every event up to `order`. */
  stateAt(conversationId: string, order: number): Promise<Result<ConversationState>>
  /** Takes the conversation's lock and opens it for appending; a record that does not exist is created. */
  open(record: ConversationRecord): Promise<Result<ConversationLog>>
  /** Moves a conversation with its transcripts to the trash folder; refused while another process holds it. */
  trash(conversationId: string): Promise<Result<void>>
  /** Restores a conversation from the trash folder. */
  restore(conversationId: string): Promise<Result<void>>
  /** Changes the title without opening the conversation; refused while another process holds it. */
  rename(conversationId: string, title: string): Promise<Result<void>>
  /** The whole stored output of a tool. */
  toolOutput(agentId: string, toolUseId: string): Promise<Result<string>>
}

/** The conversations that were moved to the trash. */
export interface ConversationTrash {
  /** The last trashed first. */
  list(): Promise<Result<readonly TrashedConversation[]>>
  /** Deletes these conversations for good; those that are not in the trash are passed over. Stops at a failure. */
  delete(ids: readonly string[]): Promise<Result<void>>
}

/** The one writer of a conversation. */
export interface ConversationLog {
  /** The record after every event appended so far. */
  readonly record: ConversationRecord
  /** The first free numbers when the log was opened: `seq` in the conversation's own log, `order` over all logs. */
  readonly next: { readonly seq: number; readonly order: number }
  /** Transcripts whose last line a crash had cut off. The line was set aside; `message` is for the user. */
  readonly repaired?: readonly { readonly agentId: string; readonly message: string }[]
  /** Queues an event of an agent or of the conversation; in memory only until the next flush. Never throws. */
  append(event: LoggedEvent): void
  /** Resolves when every event of the conversation's own log that was appended before the call is on disk. */
  save(): Promise<Result<void>>
  /** Resolves when every event that this agent appended before the call is on disk (fdatasync). */
  flush(agentId: string): Promise<Result<void>>
  /** Stores a large tool output; resolves to its path below the data folder. */
  keepOutput(agentId: string, toolUseId: string, output: string): Promise<Result<string>>
  /** The absolute path of the folder with an agent's large outputs, links resolved. Its files are named after the calls. */
  outputFolder(agentId: string): string
  /** The absolute path of an agent's transcript. */
  transcriptPath(agentId: string): string
  /** Flushes everything and releases the lock. */
  close(): Promise<void>
}

// ---- files and commands -------------------------------------------------------------------------

export interface FileStat {
  readonly kind: 'file' | 'folder' | 'other'
  readonly size: number
  readonly mtimeMs: number
  /** Differs after every change, where the file system can tell. */
  readonly version?: string
}

interface FileUse {
  /** The path was resolved before. If it contains a link now, nothing is touched (`moved`). */
  readonly real?: boolean
}

export interface FileRead extends FileUse {
  /** In bytes; default: 64 MB. A larger file is not read (`too-large`), regardless of the size in its `stat`. */
  readonly limit?: number
}

export interface FileWrite extends FileUse {
  /** The file that must exist when the content is replaced; null: no file may exist (`changed`). */
  readonly expected?: FileStat | null
  /** The content of that file: with another mode or time, but this content, it is still the same. */
  readonly was?: Uint8Array
}

/**
 * Files by absolute path. Methods fail with `not-found`, `denied`, `is-folder`, `io`, or a failure that the options
 * name.
 */
export interface FileSystem {
  stat(path: string): Promise<Result<FileStat>>
  read(path: string, options?: FileRead): Promise<Result<Uint8Array>>
  /** Atomic: a reader sees the old content or the new. Creates missing folders and keeps the file's mode. */
  write(path: string, content: string | Uint8Array, options?: FileWrite): Promise<Result<FileStat>>
  /** The names in a folder, in no order. */
  list?(path: string): Promise<Result<readonly string[]>>
  /** The path with every link resolved. Of a path that does not exist yet, the existing part is resolved. */
  realPath(path: string): Promise<Result<string>>
}

export interface GrepQuery {
  readonly pattern: string
  readonly path: string
  readonly glob?: string
  readonly type?: string
  readonly mode: 'content' | 'files_with_matches' | 'count'
  readonly ignoreCase: boolean
  readonly lineNumbers: boolean
  readonly before: number
  readonly after: number
  readonly multiline: boolean
  /** Lines or files to skip before the first one of the result. */
  readonly offset: number
  readonly limit: number
  /** Excludes files, by their path below the searched folder. */
  readonly skip?: (path: string) => boolean
}

/** A folder and the limits of a search in it. */
export interface FileQuery {
  readonly path: string
  /** Whether hidden files count. */
  readonly hidden: boolean
  /** Whether ignored files count. */
  readonly ignored: boolean
  /** Further options of ripgrep: `--type=ts`. */
  readonly filters: readonly string[]
  /** Whether a file is wanted, by its path below `path`. */
  readonly passes: (path: string) => boolean
}

/** Searches with ripgrep in a child process. Fails with `bad-pattern`, `not-found`, `aborted`, `timeout` or `io`. */
export interface FileSearch {
  /** At most `limit` absolute paths below a folder that match a glob, newest first. */
  glob(
    query: {
      readonly pattern: string
      readonly path: string
      readonly limit: number
      /** Excludes files, by their absolute path. */
      readonly skip?: (path: string) => boolean
    },
    signal: AbortSignal,
  ): Promise<Result<{ readonly paths: readonly string[]; readonly truncated: boolean }>>
  /** The first file that passes, as a path below the folder. Links are not followed. Null: none. */
  first(query: FileQuery, signal: AbortSignal): Promise<Result<string | null>>
  /** ripgrep's lines, and the number of matches (of files in the other two modes). */
  grep(
    query: GrepQuery,
    signal: AbortSignal,
  ): Promise<Result<{ readonly text: string; readonly matches: number; readonly truncated: boolean }>>
}

export interface ShellRun {
  readonly command: string
  readonly cwd: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Receives output as it arrives, standard output and standard error together. */
  readonly onOutput: (text: string) => void
  /** Added to the environment of the command. */
  readonly environment?: Readonly<Record<string, string>>
  /** Runs it in the sandbox. Missing: it runs as the user's own commands do. */
  readonly limits?: CommandLimits
  /**
   * For a command in the background: receives finished lines as plain text. Its processes are found and ended also if
   * they left the process group.
   */
  readonly onLines?: (text: string) => void
}

export interface ShellEnd {
  /** Plain text: no control characters except tabs and line ends, each line in its last state. */
  readonly output: string
  /** Null if a signal ended the command. */
  readonly exitCode: number | null
  readonly ended: 'exit' | 'timeout' | 'aborted'
  /** The shell's folder afterwards. */
  readonly cwd: string
  /** Whether processes that the command left in the background were ended. */
  readonly endedBackground?: boolean
  /** Hosts that a command in the sandbox did not reach because they are not allowed. */
  readonly refusedHosts?: readonly string[]
  /** Sentences for the agent about a command in the sandbox: what it could not change, what was not kept. */
  readonly sandboxNotes?: readonly string[]
}

/**
 * Runs each command in a process group of its own. The whole group ends: SIGTERM, then SIGKILL after 2 s. Fails with
 * `not-found` (the folder), `too-long` (the command), `sandbox` (the sandbox could not start) or `io`.
 */
export interface Shell {
  run(run: ShellRun): Promise<Result<ShellEnd>>
}

// ---- documents and the web ----------------------------------------------------------------------

export interface PdfText {
  readonly totalPages: number
  /** The text of each requested page, by its number from 1. A scanned page has none. */
  readonly pages: readonly { readonly number: number; readonly text: string }[]
}

/** Documents as text, and images. Fails with `damaged`, `password`, `timeout` or `aborted`. */
export interface DocumentReader {
  /** The readable part of a web page as markdown. `address` is the base of its links. */
  html(
    html: string,
    address: string,
    signal: AbortSignal,
  ): Promise<Result<{ readonly title: string; readonly markdown: string }>>
  /** The pages from `first` to `last`, as far as they exist. */
  pdf(
    bytes: Uint8Array,
    range: { readonly first: number; readonly last: number },
    signal: AbortSignal,
  ): Promise<Result<PdfText>>
  /** The image as it is if it can be decoded and keeps the limits; else smaller. Fails with `too-large` too. */
  image(bytes: Uint8Array, limits: ImageLimits, signal: AbortSignal): Promise<Result<FittedImage>>
}

export interface ImageLimits {
  /** In pixels. */
  readonly longestSide: number
  readonly largestBytes: number
}

export interface FittedImage {
  readonly type: ImageBlock['source']['media_type']
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
}

export interface WebPage {
  /** Of the page itself, after redirects. */
  readonly url: string
  readonly status: number
  /** `text/html`; empty if the server named no type. */
  readonly type: string
  /** In bytes, as received. */
  readonly size: number
  /** Empty for a page without a title. */
  readonly title: string
  /** Markdown for HTML; null: the content is not text. */
  readonly text: string | null
}

export interface WebFailure extends Failure {
  /** Where the page is, on another host. */
  readonly location?: string
}

/**
 * Pages of the public internet. Fails with `bad-address`, `refused` (not public), `redirected` (to another host, see
 * `location`), `too-large`, `not-found`, `connection`, `aborted`, or a failure of the document.
 */
export interface WebPages {
  read(address: string, signal: AbortSignal): Promise<Result<WebPage, WebFailure>>
}

// ---- definitions and rules ---------------------------------------------------------------------

/** A definition in use and its source. `name` is the full name: `plugin:agent`. */
export interface LoadedDefinition extends AgentDefinition {
  readonly source: AgentSource
  readonly file: string | null
}

export interface DefinitionProblem {
  /** The agent that is not in use because of this problem. */
  readonly refuses?: string
  /** Set if the user must approve the definition. */
  readonly waits?: true
  readonly file: string
  readonly message: string
  readonly severity: 'notice' | 'warning' | 'error'
  readonly line: number | null
}

/** The definitions of a folder; later sources win. The definitions of an untrusted folder are excluded. */
export interface DefinitionSource {
  /** The definitions in use. */
  load(
    folder: string,
    options: { readonly trusted: boolean },
  ): Promise<{
    readonly definitions: readonly LoadedDefinition[]
    readonly problems: readonly DefinitionProblem[]
  }>
  /** All definitions, including shadowed and broken ones. */
  catalog(
    folder: string,
    options: { readonly trusted: boolean },
  ): Promise<Pick<AgentCatalog, 'entries' | 'problems' | 'watched'>>
  /** Calls `changed` soon after a file of these agents or skills changed. @returns the function that stops watching */
  watch(folder: string, options: { readonly trusted: boolean }, changed: () => void): () => void
}

/** Edits definition files. Ids are those of the agent catalog; nothing outside the agents folders is touched. */
export interface DefinitionFiles {
  /** A definition that waits for the user. Fails with `not-waiting`, and like `open`. */
  pending(folder: string, id: string): Promise<Result<PendingDefinition>>
  /** Approves a waiting definition as the user has seen it. Fails with `changed`, `not-waiting` or `io`. */
  approve(
    folder: string,
    definition: { readonly id: string; readonly version: string | null },
  ): Promise<Result<void>>
  /** Approves all definitions that a folder has now, because the user trusts it. Fails with `io`. */
  approveAll(folder: string): Promise<Result<void>>
  /** Fails with `not-found`, `too-large`, `not-text` or `io`. */
  open(folder: string, id: string): Promise<Result<DefinitionText>>
  /** Atomic. Fails with `locked`, `changed` (the file differs from `version`), `denied` or `io`. */
  save(
    folder: string,
    definition: { readonly id: string; readonly text: string; readonly version: string | null },
  ): Promise<Result<DefinitionText>>
  /**
   * Creates a file in the project's or the user's agents folder. `path`: `review/name.md`. Fails with `exists`,
   * `bad-path` or `io`.
   */
  create(
    folder: string,
    definition: { readonly source: 'project' | 'user'; readonly path: string; readonly text: string },
  ): Promise<Result<DefinitionText>>
  /**
   * Renames a file within its agents folder; the name in its text stays. Fails with `exists`, `locked`, `bad-path` or
   * `io`.
   */
  move(folder: string, id: string, path: string): Promise<Result<DefinitionText>>
  /**
   * Moves a file to the trash folder of the data folder, and keeps what the editor has not saved beside it.
   * @returns the id for `restore`
   */
  trash(folder: string, id: string, unsaved: string | null): Promise<Result<{ readonly trashId: string }>>
  /** Restores a file from the trash to its former path. Fails with `exists`, `not-found` or `io`. */
  restore(trashId: string): Promise<Result<RestoredDefinition>>
  /** The deleted definitions of all folders. Fails with `io`. */
  listTrash(): Promise<Result<DefinitionTrash>>
  /** The text of a deleted definition. Fails with `not-found` or `io`. */
  readTrashed(trashId: string): Promise<Result<string>>
  /** Deletes definitions in the trash for good. Fails with `not-found` or `io`. */
  deleteTrashed(trashIds: readonly string[]): Promise<Result<void>>
}

/** A skill with its text. */
export interface LoadedSkill extends SkillInfo {
  readonly body: string
  /** The folder of its SKILL.md. Agents with the skill may read it. */
  readonly folder: string
  /** Permission rules for the shell commands of its text. */
  readonly allowedTools?: readonly string[]
  /** Without `fork`: the model of the turn that loads it. */
  readonly model?: string
}

/** Skills (`.claude/skills/NAME/SKILL.md`): the project's, then the user's, then plugins'. The skills of an untrusted folder are excluded. */
export interface SkillSource {
  list(folder: string, options: { readonly trusted: boolean }): Promise<readonly SkillInfo[]>
  /** Null if there is no skill of that name. */
  load(folder: string, name: string, options: { readonly trusted: boolean }): Promise<LoadedSkill | null>
}

/** Facts about a folder for system prompts. */
export interface FolderFacts {
  /** Null outside a git repository. */
  readonly gitBranch: string | null
  readonly isRepository: boolean
  readonly platform: string
  /** The shell that runs commands: bash or sh. */
  readonly shell: string
}

/** The uncommitted changes of a folder and its last commits, one per line. */
export interface GitState {
  readonly status: readonly string[]
  readonly commits: readonly string[]
}

export interface FolderReader {
  facts(folder: string): Promise<FolderFacts>
  /** Runs git, so only for trusted folders. Null: git failed or took too long. */
  gitState(folder: string): Promise<GitState | null>
}

/** A file of instructions and its text. */
export interface InstructionFile extends LoadedInstructions {
  readonly text: string
}

export interface AgentMemory {
  /** In prompt order: the widest scope first, a file before the files it imports. */
  readonly files: readonly InstructionFile[]
  /** The absolute path of the agent's own folder, which it may write to; null: it has none. */
  readonly folder: string | null
  /** Files that could not be loaded, with the reasons, for the user. */
  readonly problems: readonly string[]
}

/** The knowledge of agents besides their definition: the instructions of user and project, and their own notes. */
export interface MemorySource {
  /** For a new agent. The files of an untrusted folder are excluded. */
  load(
    folder: string,
    agent: {
      readonly name: string
      readonly memory: 'user' | 'project' | 'local' | null
      readonly omitProjectInstructions: boolean
    },
    options: { readonly trusted: boolean },
  ): Promise<AgentMemory>
  /**
   * The instructions of the folders between `folder` (exclusive) and a touched file, the outermost first. `path` is
   * absolute with links resolved. Empty for a path outside the folder.
   */
  below(
    folder: string,
    path: string,
    options: { readonly trusted: boolean },
  ): Promise<readonly InstructionFile[]>
}

// ---- messages between agents -------------------------------------------------------------------

/** A message that waits outside any conversation for an agent of that name or id. */
export interface MailboxMessage {
  readonly messageId: string
  readonly to: string
  /** The agent that wrote it; null: the user. */
  readonly sender: string | null
  readonly content: readonly UserBlock[]
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
export interface Policy {
  trusted(folder: string): boolean
  bypassAllowed(folder: string): boolean
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
  /** Whether changes are verified after a run: `ask` asks the user, `always` starts the verifier. */
  readonly verification: Settings['verification']
  /** The MCP tools of subagents: all, those that their definitions list, or none. */
  readonly mcpToolsForSubagents: Settings['mcpToolsForSubagents']
  /** For a foreground subagent, a background subagent and a conversation. */
  readonly limits: Readonly<Record<'agent' | 'background' | 'conversation', SpendLimits>>
}

/** A server of outside tools. */
export interface OutsideServer {
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

/** Tools of sources outside this program, which the registry gets at run time: MCP servers. */
export interface OutsideTools {
  /** The folder's servers that start, run or failed, as they are now. Others are not in use. */
  servers(folder: string): readonly OutsideServer[]
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
  readonly review: Pick<Review, 'list' | 'merge'>
  readonly rules: PermissionRules
  readonly policy: Policy
  /** Left out: changes of files are not recorded. */
  readonly changes?: ChangeJournal
  /** None where left out. */
  readonly outsideTools?: OutsideTools
  /** Commands run without a sandbox where left out. */
  readonly sandbox?: Sandbox
  /** None where left out. */
  readonly interceptors?: Interceptors
  /** A random number in [0, 1): the jitter of retries. */
  random(): number
}
