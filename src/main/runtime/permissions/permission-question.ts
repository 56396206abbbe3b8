/** What is asked of the permissions, and what they answer. */
import type { PermissionMode, PermissionSubject } from '../../../shared/agent-event.ts'
import type { PermissionTarget } from '../tool.ts'
import type { RealPath } from './locate-path.ts'
import type { PermissionRule } from './permission-rule.ts'

export interface PermissionQuestion {
  /** The tool's own name, not an alias. */
  readonly tool: string
  readonly target: PermissionTarget
  readonly mode: PermissionMode
  readonly agent: PermissionAgent
  /** What people allowed, as they wrote it. */
  readonly rules: readonly string[]
  readonly trusted: boolean
  /** Whether a person said that `bypassPermissions` may be used in this folder. */
  readonly bypassAllowed: boolean
  readonly realPath: RealPath
}

export interface PermissionAgent {
  /** The definition says that it only reads: held to it in every mode. */
  readonly readOnly: boolean
  /** The agent's folder: inside it most things are unasked. */
  readonly root: string
  /** The shell's folder; the root where it is left out. */
  readonly cwd?: string
  /** Folders elsewhere that it reads unasked, links resolved: those of its skills. */
  readonly readFolders?: readonly string[]
  /** Folders that it writes unasked, links resolved: its own memory. */
  readonly writeFolders?: readonly string[]
  /** Where it works in a worktree; null or left out: in the project itself. */
  readonly worktree?: WorktreeAgent | null
  /** Rules of the definition that forbid: `Bash(rm:*)` in `disallowedTools`. */
  readonly denied?: readonly string[]
  /** Rules of the definition that narrow a tool: with `Bash(git diff:*)` in `tools`, Bash does nothing else. */
  readonly only?: readonly string[]
}

export interface WorktreeAgent {
  /** The top of the worktree, which may lie above the agent's folder. */
  readonly root: string
  /** Its own. */
  readonly branch: string
  /** Tops of checkouts that mean it: rules with paths there hold in it. */
  readonly aliases: readonly string[]
}

export type PermissionDecision =
  | {
      readonly kind: 'allow'
      readonly because: string
      /** For files: the path with links resolved, the only one that was judged. */
      readonly realPath?: string
    }
  | {
      readonly kind: 'ask'
      readonly subject: PermissionSubject
      readonly because: string
      readonly alwaysRule: string | null
      readonly realPath?: string
    }
  | { readonly kind: 'deny'; readonly because: string }

/** The question as the deciders get it: rules read, and a mode that may really be used here. */
export interface JudgedQuestion extends Omit<PermissionQuestion, 'rules' | 'bypassAllowed'> {
  readonly rules: readonly PermissionRule[]
  /** `denied` and `only` of the agent's definition. */
  readonly definitionRules: {
    readonly denied: readonly PermissionRule[]
    readonly only: readonly PermissionRule[]
  }
  readonly cwd: string
}
