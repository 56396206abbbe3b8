/** The ports to what a folder and the user bring along: definitions, skills, instructions, memory, and the repository's state. */

import type { AgentCatalog, AgentSource, SkillInfo } from '../../../shared/agent-definition/agent-catalog.ts'
import type { AgentDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import type { definitionContract } from '../../../shared/agent-definition/contract.ts'
import type { LoadedInstructions } from '../../../shared/events/agent-event.ts'
import type { PortOf } from '../../../shared/kernel/command.ts'
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
export interface DefinitionFiles
  extends Omit<
    PortOf<typeof definitionContract, 'definition'>,
    'catalog' | 'tryOut' | 'draft' | 'stopDraft'
  > {
  /** Approves all definitions that a folder has now, because the user trusts it. Fails with `io`. */
  approveAll(folder: string): Promise<Result<void>>
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
