/** What would happen to a call of an agent, and why. */
import type { PermissionMode } from '../permissions/permission-modes.ts'
import type { WrittenRule } from './written-rule.ts'

export interface ExplainedCall {
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly because: string
  /** What would allow a call that asks; null if it does not ask. */
  readonly remedy: string | null
  /** The rules that the reason names. */
  readonly rules: readonly WrittenRule[]
}

export interface CallExplanation extends ExplainedCall {
  readonly tool: string
  /** The input as given: a command, a path, an address. */
  readonly text: string
  /** The effective mode: the definition may have lowered it. */
  readonly mode: PermissionMode
  /** Each part of a compound command, judged by itself. Empty for other calls. */
  readonly parts: readonly (ExplainedCall & { readonly text: string })[]
}

export interface AgentCallExplanation extends CallExplanation {
  readonly agent: string
  readonly trusted: boolean
}

export interface CallQuestion {
  /** `Bash(npm test && rm -rf x)`, `Read(/etc/passwd)`, `mcp__server__tool({"id": 1})`. */
  readonly call: string
  /** Absolute. */
  readonly folder: string
  /** A name or an alias, in any case. */
  readonly agent: string
  /** Of the conversation. The agent's definition may lower it. */
  readonly mode: PermissionMode
}
