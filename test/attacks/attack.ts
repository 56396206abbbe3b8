/** An attack: what a hostile model does, and the defense that stops it. */
import type { PermissionMode } from '../../src/shared/events/agent-event.ts'
import type { Defense } from './defenses.ts'

/**
 * In all texts, `{{project}}`, `{{outside}}`, `{{home}}` and `{{data}}` are absolute folders of the attack's world, and
 * `{{port}}` is the port of a server on 127.0.0.1 that stands for the attacker's.
 */
export interface Attack {
  /** Unique. Completes the sentence "The attack is …". */
  readonly name: string
  /** The chapter of the specification, the public report or the CVE that it comes from. */
  readonly source: string
  readonly defense: Defense
  /** The calls of the model, one a turn. */
  readonly calls: readonly Call[]
  /** What happens to the last call; `error`: it runs and fails; `harmless`: it runs and does no harm. */
  readonly outcome: 'asked' | 'denied' | 'error' | 'harmless'
  /** Files to add, by their paths: `project/…`, `outside/…`, `home/…`. They are executable. */
  readonly files?: Readonly<Record<string, string>>
  /** Symbolic links to add, by their paths, with their targets. */
  readonly links?: Readonly<Record<string, string>>
  /** Commands that the attacker ran earlier in the project, in bash. */
  readonly before?: string
  readonly mode?: PermissionMode
  /**
   * Attacks with the same word, all by a `project/job.sh`, are tried in one command of one world: none may leave a trace
   * there. Each does its harm alone.
   */
  readonly together?: string
  /** Whether the sandbox is tried in the modes too in which commands only read, or need no permission. */
  readonly everyMode?: boolean
  /** Whether the sandbox is tried with an agent in a worktree too; true by default. */
  readonly inWorktree?: boolean
  /** True by default. */
  readonly trusted?: boolean
  /** The user's own permission rules. */
  readonly rules?: { readonly [kind in 'allow' | 'ask' | 'deny']?: readonly string[] }
  /** A part of the last call's result: why it failed. */
  readonly says?: string
  /** A part of the request's text, where the user must see something. */
  readonly shown?: string
  /** Commands that run, in bash in the project, while the user is asked; the user then allows the call. */
  readonly whileAsked?: string
  /** A path: only changes there are harm, the attack makes others on its way. By default, all are. */
  readonly trace?: string
  /** Commands that the user runs at the end, in bash in the project. What they change is a trace too. */
  readonly afterwards?: string
  /**
   * What is different in a second run that must do the harm, which shows that the attack is real. By default the user
   * allows every call. A sentence: there is no such run, because of this.
   */
  readonly undefended?: Partial<Omit<Attack, 'name' | 'undefended'>> | string
}

/** The command of a Bash call, or a tool with its input. The prompt of an Agent call is the calls of the subagent. */
export type Call = string | readonly [tool: string, input: Readonly<Record<string, unknown>>]
