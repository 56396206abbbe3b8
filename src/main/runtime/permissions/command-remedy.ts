/** The ways in which the user could allow a command that needs permission: a rule for each part of the command line. */
import { judgePart } from './command-concerns.ts'
import { settledBySandbox } from './confine-command.ts'
import type { PermissionConcern, PermissionDecision } from './permission-concern.ts'
import { commandRule, parseRules, ruleForCommand } from './permission-rule.ts'
import { byRules, onlyTheUser } from './refusals.ts'
import { parseShell } from './shell/parse-shell.ts'
import { type CommandPart, commandParts } from './shell/walk-commands.ts'

/** Names rules only if `judge` allows the command with them. */
export async function commandRemedy(
  question: PermissionConcern,
  command: string,
  judge: (question: PermissionConcern, command: string) => Promise<PermissionDecision>,
): Promise<string> {
  const whole = commandRule(command)
  for (const rules of [await neededRules(question, command), whole === null ? [] : [whole]]) {
    if (rules.length === 0) continue
    const extended = { ...question, rules: [...question.rules, ...parseRules(rules)] }
    if ((await judge(extended, command)).kind === 'allow') return byRules(...rules)
  }
  return onlyTheUser
}

/** The rules for the parts that need permission; empty if the command can't be parsed. */
export async function neededRules(question: PermissionConcern, command: string): Promise<readonly string[]> {
  const parsed = parseShell(command)
  if (!parsed.ok) return []
  const rules: string[] = []
  const isContained = question.confined !== undefined && question.sandbox?.autoAllow === true
  for (const part of commandParts(parsed.list, question.cwd)) {
    const { concerns } = await judgePart(question, part)
    for (const concern of concerns) {
      // The sandbox settles it, so the part needs no rule.
      if (isContained && settledBySandbox(concern)) continue
      const { rule } = concern
      const wanted = rule ?? ruleForPart(part)
      if (wanted !== null) rules.push(wanted)
    }
  }
  return [...new Set(rules)]
}

/** The rule for the part's words, apart from its redirects; null if a rule can't name these words. */
function ruleForPart({ command: { words } }: CommandPart): string | null {
  const rule = commandRule(words.map(({ text }) => text).join(' '))
  return rule !== null && ruleForCommand(parseRules([rule]), words, false) ? rule : null
}
