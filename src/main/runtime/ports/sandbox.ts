/** The port to the sandbox: what confines the commands of agents. */
import type { SandboxState } from '../../../shared/permissions/confinement.ts'

/** The limits of one command. Paths are absolute, with links resolved. */
export interface CommandLimits {
  /** The agent's folder: its worktree, if it has one. */
  readonly folder: string
  /** Folders that it reads besides: skills, memory, the project of a worktree. */
  readonly reads: readonly string[]
  /** Folders that it may change. Empty: it only reads, apart from its temporary folder. */
  readonly writes: readonly string[]
  /** The rules about files; missing: there are none. */
  readonly access?: FileRules
  /** Whether rules about files came since the decision, which the running command does not keep. */
  rulesCame?(): Promise<boolean>
  /** Hosts that it reaches: `example.com`, `*.example.com`. Empty: no network at all. */
  readonly domains: readonly string[]
  /** Hosts that it never reaches, with all below them. */
  readonly refusedDomains: readonly string[]
  /** The agent that runs it: its commands share a temporary folder. */
  readonly agentId: string
  /** A server that the command starts, which this machine and the commands of all agents may reach. */
  readonly serves?: readonly ServedPort[]
}

/** A port that leads to a server in the sandbox. */
export interface ServedPort {
  /** On this machine and in the networks of other commands. */
  readonly port: number
  /** At which the server listens. */
  readonly inside: number
}

/** The user's rules that deny or ask about files, as the sandbox holds them for every program. */
export interface FileRules {
  /** Equal for equal rules. */
  readonly key: string
  /** @param file `below`: its path in the agent's folder, or null outside of it */
  judge(file: { readonly absolute: string; readonly below: string | null }): 'hidden' | 'read-only' | null
  /** The files and folders that the rules name without a wildcard, absolute. They may be missing. */
  readonly named: readonly { readonly path: string; readonly kind: 'file' | 'folder' }[]
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

/** Ends a sentence for an agent about something that the sandbox kept from a command. See `withOffers`. */
export const OUTSIDE_OFFER =
  'If the task needs it, call Bash again with outside_sandbox: true; the user is asked.'
const NO_OFFER = 'Nobody can allow more in this run: do it without that, or report what it needs.'

/** The text with the offer to leave the sandbox, or without it where nobody could allow it. */
export const withOffers = (text: string, mayAsk: boolean): string =>
  mayAsk ? text : text.replaceAll(OUTSIDE_OFFER, NO_OFFER)
