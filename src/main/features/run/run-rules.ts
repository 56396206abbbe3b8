/** The permission rules of one run: `--allow RULE` and `--deny RULE`. */
import { existsSync } from 'node:fs'
import { checkRule, refusalText } from '../../../shared/rules/rule-form.ts'
import { isMcp, readToolEntry } from '../../../shared/tools/tool-entry.ts'
import { toolFacts } from '../../../shared/tools/tool-facts.ts'

export interface RunRules {
  readonly allow: readonly string[]
  readonly deny: readonly string[]
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
