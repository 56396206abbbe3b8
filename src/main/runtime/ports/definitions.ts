/** The ports to what a folder and the user bring along: definitions, skills, instructions, memory, and the repository's state. */
import type {
  AgentCatalog,
  AgentSource,
  DefinitionText,
  PendingDefinition,
  RestoredDefinition,
  SkillInfo,
} from '../../../shared/agent-definition/agent-catalog.ts'
import type { AgentDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import type { DefinitionTrash } from '../../../shared/agent-definition/trashed-definition.ts'
import type { LoadedInstructions } from '../../../shared/events/agent-event.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import type { CommandFile } from '../../../shared/slash/command-file.ts'
import type { SlashCommand } from '../../../shared/slash/slash-command.ts'

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

export interface FoundCommand {
  readonly info: SlashCommand & { readonly file: string }
  /** Null: the file is wrong, see `info.problem`. */
  readonly command: CommandFile | null
}

/** Command files of a folder, the strongest source first. A file that changed is read again. */
export interface CommandSource {
  /** @param options trusted: whether the folder's own files count */
  list(folder: string, options: { readonly trusted: boolean }): Promise<readonly FoundCommand[]>
}
