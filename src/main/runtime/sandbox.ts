/** The port to the sandbox: what confines the commands of agents. */
import type { SandboxState } from '../../shared/confinement.ts'

/** The limits of one command. Paths are absolute, with links resolved. */
export interface CommandLimits {
  /** Folders that it may change. Empty: it only reads, apart from its temporary folder. */
  readonly writes: readonly string[]
  /** Hosts that it reaches: `example.com`, `*.example.com`. Empty: no network at all. */
  readonly domains: readonly string[]
  /** Hosts that it never reaches, with all below them. */
  readonly refusedDomains: readonly string[]
  /** The agent that runs it: its commands share a temporary folder. */
  readonly agentId: string
}

/** What the sandbox of a folder allows without a question. */
export interface SandboxPolicy {
  /** Whether a command that can only touch its agent's folder runs without a question. */
  readonly autoAllow: boolean
  /** Whether agents may ask to run a command outside. */
  readonly mayLeave: boolean
  /** Commands that always run outside, by their first words. */
  readonly excluded: readonly string[]
  /** Folders that all commands may change, besides their agent's. */
  readonly alsoWrites: readonly string[]
  /** Hosts that the settings allow to commands. */
  readonly domains: readonly string[]
}

export interface Sandbox {
  /** Whether commands in the folder run in the sandbox without a question, as the last `policy` of it tells. */
  isOpen(folder: string): boolean
  /** The first call tries it. Never rejects. */
  state(): Promise<SandboxState>
  /** Null where commands run without a sandbox. `folder` is the conversation's, or the worktree's. */
  policy(folder: string): Promise<SandboxPolicy | null>
}
