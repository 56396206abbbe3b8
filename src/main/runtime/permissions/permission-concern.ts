/** The input and the result of a permission decision. */
import type { PermissionMode, PermissionSubject, RuleOffer } from '../../../shared/events/agent-event.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import type { Confinement } from '../../../shared/permissions/confinement.ts'
import type { FileQuery } from '../ports/files.ts'
import type { CommandLimits, SandboxPolicy } from '../ports/sandbox.ts'
import type { PermissionTarget } from '../ports/tool.ts'
import type { RealPath } from './locate-path.ts'
import type { GivenRule, PermissionRule } from './permission-rule.ts'

export interface AskDecision {
  /** The tool's own name, not an alias. */
  readonly tool: string
  readonly target: PermissionTarget
  readonly mode: PermissionMode
  /** Whether calls that would ask are denied, in any mode; always so in `dontAsk`. */
  readonly neverAsks?: boolean
  /** Whether requests reach a user; missing: they do. */
  readonly reachesUser?: boolean
  readonly agent: PermissionAgent
  /** The rules that allow calls, as written. */
  readonly rules: readonly GivenRule[]
  /** Rules of the settings that deny calls, as written. They count before all others. */
  readonly denied?: readonly GivenRule[]
  /** Rules of the settings that ask, in every mode. They count before the rules that allow. */
  readonly asked?: readonly GivenRule[]
  readonly trusted: boolean
  /** Whether the user enabled `bypassPermissions` for this folder. */
  readonly bypassAllowed: boolean
  readonly realPath: RealPath
  /** Troupe's own data folder; null: the data is not on this disk. */
  readonly dataFolder: string | null
  /** The user's home folder: `~/` in rules. Null or missing: such rules cover nothing. */
  readonly home?: string | null
  readonly look: FileLook
  /** The sandbox for commands; null: there is none. */
  readonly sandbox?: SandboxPolicy | null
}

/** Lookups of files for a decision, besides the resolution of links. */
export interface FileLook {
  /** The names in a folder; null if the path is not a readable folder. */
  names(path: string): Promise<readonly string[] | null>
  /** A file's content; null if there is no such file, undefined if it can't be read. */
  text(path: string): Promise<string | null | undefined>
  /** The first file that a recursive search reads and that passes; null if there is none. */
  findFile(query: FileQuery): Promise<Result<string | null>>
}

export interface PermissionAgent {
  /** Set by the definition; applies in every mode. */
  readonly readOnly: boolean
  /** The agent's folder, inside which most calls need no permission. */
  readonly root: string
  /** The shell's folder; `root` by default. */
  readonly cwd?: string
  /** Other folders that the agent reads without permission, links resolved: those of its skills. */
  readonly readFolders?: readonly string[]
  /** Folders that the agent uses like its own, links resolved. */
  readonly additionalFolders?: readonly string[]
  /** Folders that the agent writes without permission, links resolved: its own memory. */
  readonly writeFolders?: readonly string[]
  /** Troupe's settings file, for the built-in agent that may change it with the user's permission. */
  readonly settingsFile?: string | null
  /** Null for an agent in the project itself. */
  readonly worktree?: WorktreeAgent | null
  /** Rules in `disallowedTools` of the definition: `Bash(rm:*)`. */
  readonly denied?: readonly string[]
  /** Rules in `tools` of the definition: with `Bash(git diff:*)`, Bash runs nothing else. */
  readonly only?: readonly string[]
  /** Rules of the user's skill that the agent carries out: these calls need no question. */
  readonly allowed?: readonly string[] | undefined
}

export interface WorktreeAgent {
  /** The top folder of the worktree, which may be above the agent's folder. */
  readonly root: string
  /** Null: the worktree is a repository of its own, whose branches concern nobody else. */
  readonly branch: string | null
  /** Top folders of checkouts whose paths mean the worktree. */
  readonly aliases: readonly string[]
}

/** Whether a search of a folder leaves a file out. Takes an absolute path, links resolved. */
export type HidesFile = (path: string) => boolean

export type PermissionDecision =
  | {
      readonly kind: 'allow'
      readonly because: string
      /** For files: the judged path, links resolved. */
      readonly realPath?: string
      readonly hides?: HidesFile
      /** For commands, where there is a sandbox. */
      readonly confinement?: Confinement
      /** Of a command in the sandbox. */
      readonly limits?: Omit<CommandLimits, 'agentId'>
    }
  | {
      readonly kind: 'ask'
      readonly subject: PermissionSubject
      readonly because: string
      readonly alwaysRule: string | null
      /** The rules that "Always allow" can add, the narrowest first. Missing: `alwaysRule`. */
      readonly offers?: readonly RuleOffer[]
      /** The way in which the user could allow such a call beforehand. One or two sentences. */
      readonly remedy: string
      readonly realPath?: string
      readonly hides?: HidesFile
      readonly confinement?: Confinement
      readonly limits?: Omit<CommandLimits, 'agentId'>
    }
  | { readonly kind: 'deny'; readonly because: string }

/** The input with parsed rules, and with a mode that is enabled in the folder. */
export interface PermissionConcern extends Omit<AskDecision, 'rules' | 'denied' | 'asked' | 'bypassAllowed'> {
  readonly rules: readonly PermissionRule[]
  readonly definitionRules: {
    readonly denied: readonly PermissionRule[]
    readonly only: readonly PermissionRule[]
  }
  readonly cwd: string
  /** How the judged command runs; missing: not in a sandbox. */
  readonly confined?: 'sandbox' | 'read-only'
}
