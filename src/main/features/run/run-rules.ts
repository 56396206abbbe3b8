/** What commands that work with a model are given, and whether their permission rules are right. */
import { existsSync } from 'node:fs'
import type { PermissionMode } from '../../../shared/permissions/permission-modes.ts'
import { checkRule, refusalText } from '../../../shared/rules/rule-form.ts'
import { isMcp, readToolEntry } from '../../../shared/tools/tool-entry.ts'
import { toolFacts } from '../../../shared/tools/tool-facts.ts'
import type { CommandLineAgents } from '../definitions/command-line-agents.ts'
import type { RunLimits } from './run-outcome.ts'

/** `--allow RULE` and `--deny RULE`. */
export interface RunRules {
  readonly allow: readonly string[]
  readonly deny: readonly string[]
}

/** What all commands take that work with a model. */
export interface RunStartOptions {
  readonly model: string | null
  readonly permissionMode: PermissionMode | null
  /** Trusts the folder for this run. */
  readonly trust: boolean
  /** Permission rules for this run, as given. */
  readonly rules: RunRules
  /** Files with MCP servers for this run. */
  readonly mcpConfig: readonly string[]
  readonly rehearsal: boolean
  readonly scenario: string | null
  readonly agents: CommandLineAgents
}

/** What both commands for a task take. */
export interface TaskOptions extends RunStartOptions {
  readonly task: string
  readonly cwd: string | null
  /** The limits given for the conversation. */
  readonly limits: RunLimits
  readonly json: boolean
}

/** Why a rule is refused; null if all are rules of known tools. A wrong `--deny` would deny nothing. */
export function wrongRule({ allow, deny }: RunRules): string | null {
  return firstWrong('allow', allow) ?? firstWrong('deny', deny)
}

/** Why the window must not open with these options; null if all are right. */
export function wrongStart(start: {
  readonly rules: RunRules
  /** Absolute. */
  readonly mcpConfig: readonly string[]
  readonly incomplete?: string | null
}): string | null {
  if (start.incomplete) return `${start.incomplete} needs a value.`
  const missing = start.mcpConfig.find((file) => !existsSync(file))
  return wrongRule(start.rules) ?? (missing === undefined ? null : `File not found: ${missing}`)
}

function firstWrong(option: 'allow' | 'deny', rules: readonly string[]): string | null {
  for (const text of rules) {
    const form = checkRule(text, option)
    if (!form.ok) return `--${option}: ${refusalText(text, form)} ${EXAMPLES}`
    const { name } = readToolEntry(text)
    if (toolFacts(name) === null && !isMcp(name))
      return `--${option}: the rule "${text}" names an unknown tool. ${EXAMPLES}`
  }
  return null
}

const EXAMPLES = 'Examples: "Bash(npm test)", "Bash(npm run:*)", "Edit(src/**)", "Read(//etc/hosts)".'
