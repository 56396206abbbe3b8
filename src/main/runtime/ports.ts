/**
 * What the runtime needs from the world. Everything here is an interface: the adapters implement them
 * on Node, tests with a few lines each. All of it is in this one file, so that it can be read as a list; only
 * what is asked of git is in worktrees.ts.
 */
import type { AgentDefinition } from '../../shared/agent-definition/agent-definition.ts'
import type {
  AgentEvent,
  LoadedInstructions,
  SpendLimits,
  ToolSchema,
  Usage,
} from '../../shared/agent-event.ts'
import type { AgentLibrary, AgentSource, DefinitionText, SkillInfo } from '../../shared/agent-library.ts'
import type { AgentState } from '../../shared/agent-state.ts'
import type { AssistantBlock, ToolContent, UserBlock } from '../../shared/content.ts'
import type { ConversationRecord } from '../../shared/conversation.ts'
import type { Failure, Result } from '../../shared/result.ts'
import type { Review, Worktrees } from './worktrees.ts'

/** Time. `sleep` ends early, without an error, when the signal aborts. */
export interface Clock {
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/** New ids, unique on this machine and sortable by the time they were made: `a-01jd…`. */
export interface Ids {
  next(prefix: 'c' | 'a' | 'm' | 'p'): string
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
}

export interface ModelRequest {
  readonly model: string
  readonly system: string
  readonly tools: readonly ToolSchema[]
  readonly messages: readonly ModelMessage[]
  /** `none` asks for words only: the last request at the turn limit. */
  readonly toolChoice: 'auto' | 'none'
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
  readonly usage: Usage
  readonly pace: readonly (readonly [number, number])[]
  /** What the adapter had to leave out of the message, in words for a person. */
  readonly notes?: readonly string[]
}

export interface ModelFailure extends Failure {
  readonly type:
    | 'rate-limited' // 429
    | 'overloaded' // 529, or overloaded_error inside the stream
    | 'server' // 408, 409, 5xx
    | 'connection' // could not connect, or the connection broke before or in the stream
    | 'stalled' // nothing came for the watchdog's time
    | 'auth' // 401, 403
    | 'not-found' // 404, mostly the model
    | 'bad-request' // 400, 413
    | 'prompt-too-long' // a 400 that says so
    | 'aborted' // by our own signal
  readonly status: number | null
  readonly retryAfterMs: number | null
}

/** One attempt at one message. Retries, and what they cost others, are the runtime's business. */
export interface ModelClient {
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
}

export interface ModelPrice extends TokenPrices {
  /** What every token of a request costs once its prompt, cached parts included, has more tokens than this. */
  readonly longPrompt?: TokenPrices & { readonly aboveTokens: number }
}

/** What is known of a model: its price, or null; its context window in tokens. */
export interface ModelFacts {
  readonly id: string
  readonly price: ModelPrice | null
  /** Nothing is charged: a script answers. */
  readonly free?: true
  readonly contextTokens: number
}

/** Aliases, ids and prices. */
export interface ModelCatalog {
  /** The full id for `sonnet`, `claude-…`; an unknown name is taken as an id. `inherit` is the caller's to resolve. */
  resolve(name: string): string
  facts(id: string): ModelFacts
}

// ---- the transcript ----------------------------------------------------------------------------

/** Where conversations and transcripts are kept. Readers never change anything. */
export interface TranscriptStore {
  list(): Promise<readonly ConversationRecord[]>
  read(conversationId: string): Promise<Result<ConversationRecord>>
  /** The states of these agents; one whose transcript was never written is left out. */
  states(agentIds: readonly string[]): Promise<Result<readonly AgentState[]>>
  /** Whether another process is writing to it. */
  lockedByOther(conversationId: string): Promise<boolean>
  /** All events of an agent in order, in batches. Damage ends the reading with a failure that names the line. */
  events(agentId: string): AsyncIterable<Result<readonly AgentEvent[]>>
  /** Events before `before` (exclusive; null: the end), at most `limit`, oldest first. */
  page(
    agentId: string,
    options: { readonly before: number | null; readonly limit: number },
  ): Promise<Result<{ readonly events: readonly AgentEvent[]; readonly total: number }>>
  /** Takes the conversation's lock and opens it for appending; a record that does not exist is created. */
  open(record: ConversationRecord): Promise<Result<ConversationLog>>
  /** Moves a conversation with its transcripts to the trash folder; refused while another process holds it. */
  trash(conversationId: string): Promise<Result<void>>
  /** Brings back what `trash` took. */
  restore(conversationId: string): Promise<Result<void>>
  /** Changes the title without opening the conversation; refused while another process holds it. */
  rename(conversationId: string, title: string): Promise<Result<void>>
  /** The kept output of a tool, whole. */
  toolOutput(agentId: string, toolUseId: string): Promise<Result<string>>
}

/** The one writer of a conversation. */
export interface ConversationLog {
  readonly record: ConversationRecord
  /** Transcripts whose last line a crash had cut off, in words for a person; it was put aside. */
  readonly repaired?: readonly { readonly agentId: string; readonly message: string }[]
  /** Replaces the record, atomically and durably. */
  save(record: ConversationRecord): Promise<Result<void>>
  /** Queues an event; in memory only until the next flush. Never throws. */
  append(event: AgentEvent): void
  /** Resolves when all that this agent appended before the call is on the disk (fdatasync). */
  flush(agentId: string): Promise<Result<void>>
  /** Keeps a large tool output; resolves to its path below the data folder. */
  keepOutput(agentId: string, toolUseId: string, output: string): Promise<Result<string>>
  /** The file that an agent's transcript grows in, absolute: what it does can be followed there. */
  transcriptPath(agentId: string): string
  /** Flushes everything and lets go of the lock. */
  close(): Promise<void>
}

// ---- what tools touch --------------------------------------------------------------------------

export interface FileStat {
  readonly kind: 'file' | 'folder' | 'other'
  readonly size: number
  readonly mtimeMs: number
  /** Another one for every change, where the file system can tell. */
  readonly version?: string
}

export interface FileUse {
  /** The path was resolved before: where a link has come into it since, nothing is touched (`moved`). */
  readonly real?: boolean
}

export interface FileRead extends FileUse {
  /** In bytes; a larger file is not read (`too-large`). */
  readonly limit?: number
}

export interface FileWrite extends FileUse {
  /** What must still be there when the new content takes its place: this file, or null for none (`changed`). */
  readonly expected?: FileStat | null
}

/** Files by absolute path. Failures: `not-found`, `denied`, `is-folder`, `io`, and those named in the options. */
export interface FileSystem {
  stat(path: string): Promise<Result<FileStat>>
  read(path: string, options?: FileRead): Promise<Result<Uint8Array>>
  /** Atomic: a reader sees the old content or the new one. Makes missing folders; keeps the file's mode. */
  write(path: string, content: string | Uint8Array, options?: FileWrite): Promise<Result<FileStat>>
  /** The names in a folder, in no order. */
  list?(path: string): Promise<Result<readonly string[]>>
  /** The path with every link resolved; for a path that does not exist yet, that of its nearest parent plus the rest. */
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
  readonly limit: number
  /** Files that are left out, by their path below the folder that is searched. */
  readonly skip?: (path: string) => boolean
}

/** Searching, by ripgrep in a child process. Failures: `bad-pattern`, `not-found`, `aborted`, `timeout`, `io`. */
export interface FileSearch {
  /** Paths (absolute, newest first) that match a glob below a folder, at most `limit`. */
  glob(
    query: { readonly pattern: string; readonly path: string; readonly limit: number },
    signal: AbortSignal,
  ): Promise<Result<{ readonly paths: readonly string[]; readonly truncated: boolean }>>
  /** ripgrep's lines, and how many matches (or files, for the two other modes) there were. */
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
  /** Output as it comes, standard output and standard error together. */
  readonly onOutput: (text: string) => void
  /** Added to the environment of the command. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface ShellEnd {
  readonly output: string
  /** Null where a signal ended it. */
  readonly exitCode: number | null
  readonly ended: 'exit' | 'timeout' | 'aborted'
  /** The shell's folder afterwards. */
  readonly cwd: string
  /** Whether it left processes running in the background, which were ended. */
  readonly endedBackground?: boolean
}

/**
 * Commands, each in a process group of its own that is ended whole: SIGTERM, SIGKILL 2 s later.
 * Failures: `not-found` (the folder), `too-long` (the command), `io`.
 */
export interface Shell {
  run(run: ShellRun): Promise<Result<ShellEnd>>
}

// ---- definitions and rules ---------------------------------------------------------------------

/** A definition that is in use, and where it came from. Its name is the one it is called by: `plugin:agent`. */
export interface LoadedDefinition extends AgentDefinition {
  readonly source: AgentSource
  readonly file: string | null
}

export interface DefinitionProblem {
  readonly file: string
  readonly message: string
  readonly severity: 'notice' | 'warning' | 'error'
  readonly line: number | null
}

/** The definitions of a folder, later sources winning. An untrusted folder's own are left out. */
export interface DefinitionSource {
  /** Those in use. */
  load(
    folder: string,
    options: { readonly trusted: boolean },
  ): Promise<{
    readonly definitions: readonly LoadedDefinition[]
    readonly problems: readonly DefinitionProblem[]
  }>
  /** All there are, with what is overridden and what is broken. */
  library(
    folder: string,
    options: { readonly trusted: boolean },
  ): Promise<Pick<AgentLibrary, 'entries' | 'problems' | 'watched'>>
  /** Calls back soon after a file of these agents or skills changed; returns what ends it. */
  watch(folder: string, options: { readonly trusted: boolean }, changed: () => void): () => void
}

/** The files of definitions, for whoever edits them. Ids are those of the library; nothing outside the agents folders is touched. */
export interface DefinitionFiles {
  /** Failures: `not-found`, `too-large`, `not-text`, `io`. */
  open(folder: string, id: string): Promise<Result<DefinitionText>>
  /** Atomic. Failures: `locked`, `changed` (the file is not what `version` was read from), `denied`, `io`. */
  save(
    folder: string,
    definition: { readonly id: string; readonly text: string; readonly version: string | null },
  ): Promise<Result<DefinitionText>>
  /** A new file in the project's (the folder's own) or the user's agents folder. `path`: `review/name.md`. Failures: `exists`, `bad-path`, `io`. */
  create(
    folder: string,
    definition: { readonly source: 'project' | 'user'; readonly path: string; readonly text: string },
  ): Promise<Result<DefinitionText>>
  /** Renames the file within its agents folder; the name in its text stays. Failures: `exists`, `locked`, `bad-path`, `io`. */
  move(folder: string, id: string, path: string): Promise<Result<DefinitionText>>
  /** To the trash folder of the data folder. @returns what `restore` wants */
  trash(folder: string, id: string): Promise<Result<{ readonly trashId: string }>>
  /** Brings back what `trash` took, at its old place. Failures: `exists`, `not-found`, `io`. */
  restore(trashId: string): Promise<Result<DefinitionText>>
}

/** A skill with its text. */
export interface LoadedSkill extends SkillInfo {
  readonly body: string
  /** The folder its SKILL.md lies in, which agents that have it may read. */
  readonly folder: string
}

/** Skills (`.claude/skills/NAME/SKILL.md`): the project's, then the user's, then plugins'. An untrusted folder's own are left out. */
export interface SkillSource {
  list(folder: string, options: { readonly trusted: boolean }): Promise<readonly SkillInfo[]>
  /** Null where there is none of that name. */
  load(folder: string, name: string, options: { readonly trusted: boolean }): Promise<LoadedSkill | null>
}

/** Facts about the folder that go into a system prompt. */
export interface FolderFacts {
  /** Null where the folder is not in a git repository. */
  readonly gitBranch: string | null
  readonly isRepository: boolean
  readonly platform: string
}

export interface FolderReader {
  facts(folder: string): Promise<FolderFacts>
}

/** A file of instructions, and what it says. */
export interface InstructionFile extends LoadedInstructions {
  readonly text: string
}

export interface AgentMemory {
  /** In the order in which they are told: the farthest scope first, a file before what it imports. */
  readonly files: readonly InstructionFile[]
  /** The folder that is the agent's own, absolute: it may write there. Null: it has none. */
  readonly folder: string | null
  /** What could not be loaded and why, for a person. */
  readonly problems: readonly string[]
}

/** What agents are told beside their definition: the instructions of user and project, and what they noted themselves. */
export interface MemorySource {
  /** For a new agent. An untrusted folder's own files are left out. */
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
   * The instructions of the folders between `folder` (its own not among them) and the file that was touched,
   * the farthest first. `path`: absolute, links resolved; none where it does not lie below the folder.
   */
  below(
    folder: string,
    path: string,
    options: { readonly trusted: boolean },
  ): Promise<readonly InstructionFile[]>
}

// ---- messages between agents -------------------------------------------------------------------

/** A message that waits outside of any conversation for the agent of that name or id. */
export interface Letter {
  readonly messageId: string
  readonly to: string
  /** The agent that wrote it; null: the user. */
  readonly sender: string | null
  readonly content: readonly UserBlock[]
  /** ms since the epoch. */
  readonly at: number
}

/** Mailboxes that processes share. Nothing is lost, and whoever takes a letter tells when it is read for good. */
export interface Mailbox {
  /** On the disk when it resolves. Failures: `bad-name`, `too-large`, `io`. */
  put(letter: Letter): Promise<Result<void>>
  /**
   * All letters for that name that are not done, oldest first, those that this process or one that has died
   * took before included. One that another living process took is that one's. Failures: `bad-name`, `io`.
   */
  take(name: string): Promise<Result<readonly Letter[]>>
  /** The letter is in a transcript, on the disk: it goes. */
  done(name: string, messageIds: readonly string[]): Promise<void>
}

/** Rules a person gave: `Bash(npm test)`. Shared by all agents of a folder, kept by the user's own settings. */
export interface PermissionRules {
  list(folder: string): Promise<readonly string[]>
  allow(folder: string, rule: string): Promise<Result<void>>
}

/** What the user's settings say, read afresh each time it matters. */
export interface Policy {
  trusted(folder: string): boolean
  bypassAllowed(folder: string): boolean
  readonly maxParallelAgents: number
  readonly maxAgents: number
  readonly maxDepth: number
  /** Whether a subagent without a type is a fork. */
  readonly forkSubagents: boolean
  /** Whether a new worktree gets what is not committed in its parent's folder. */
  readonly carryOver: boolean
  /** Of a subagent in the foreground, of one in the background, and of a conversation. */
  readonly limits: Readonly<Record<'agent' | 'background' | 'conversation', SpendLimits>>
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
  readonly definitions: DefinitionSource
  readonly skills: SkillSource
  readonly folders: FolderReader
  readonly memory: MemorySource
  readonly mailbox: Mailbox
  readonly worktrees: Worktrees
  readonly review: Pick<Review, 'list' | 'merge'>
  readonly rules: PermissionRules
  readonly policy: Policy
  /** A random number in [0, 1): the jitter of retries. */
  random(): number
}
