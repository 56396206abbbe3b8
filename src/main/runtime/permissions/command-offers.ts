/** The rules that "Always allow" offers for a command line: the exact one first, then wider ones. */
import type { RuleOffer } from '../../../shared/events/agent-event.ts'
import { neededRules } from './command-remedy.ts'
import type { PermissionConcern, PermissionDecision } from './permission-concern.ts'
import { commandRule, parseRules } from './permission-rule.ts'
import { parseShell } from './shell/parse-shell.ts'
import type { ShellList } from './shell/shell-syntax.ts'
import { commandParts } from './shell/walk-commands.ts'
import { unwrap } from './shell/wrappers.ts'
import { widerCommandRules } from './wider-commands.ts'

/** Each rule is offered only if `judge` allows the command with it. */
export async function commandOffers(
  question: PermissionConcern,
  command: string,
  judge: (question: PermissionConcern, command: string) => Promise<PermissionDecision>,
): Promise<readonly RuleOffer[]> {
  const parsed = parseShell(command)
  if (!parsed.ok) return []
  const allows = async ({ rule }: RuleOffer) => {
    const extended = { ...question, rules: [...question.rules, ...parseRules([rule])] }
    return (await judge(extended, command)).kind === 'allow'
  }
  const exact = await exactRule(question, command, parsed.list)
  if (exact === null || !(await allows(exact))) return []
  const offers = [exact]
  for (const offer of widerRules(parsed.list))
    if (!offers.some(({ rule }) => rule === offer.rule) && (await allows(offer))) offers.push(offer)
  return offers
}

/** The rule for the only part that needs one, or for the whole line. */
async function exactRule(
  question: PermissionConcern,
  command: string,
  list: ShellList,
): Promise<RuleOffer | null> {
  const rule = isKnown(list) ? commandRule(command) : null
  const whole = rule === null ? null : { rule }
  const parts = commandParts(list, question.cwd)
  if (parts.length === 1 && parts[0]?.command.text === command.trim()) return whole
  const [needed, ...others] = await neededRules(question, command)
  if (needed === undefined || others.length > 0) return whole
  return { rule: needed, alsoCovers: 'the same in any other command line' }
}

/** Whether a line always means the same: it has no variables, patterns and inner commands. */
function isKnown(list: ShellList): boolean {
  return list.every(({ commands }) =>
    commands.every((command) => {
      const targets = command.redirects.flatMap(({ target }) => target ?? [])
      if (command.kind === 'group' || command.inner.length > 0 || command.words.length === 0) return false
      return [...command.words, ...command.assignments, ...targets].every(({ value }) => value !== null)
    }),
  )
}

function widerRules(list: ShellList): readonly RuleOffer[] {
  return commandParts(list, '/').flatMap(({ command }) => {
    const words = unwrap(command.words).words.flatMap(({ value }) => value ?? [])
    return widerCommandRules(words)
  })
}
