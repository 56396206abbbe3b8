/** The rules of a definition, and the denying rules of the user, for one part of a command line. */
import type { PermissionConcern } from './permission-concern.ts'
import { covers, mayCoverCommand, type PermissionRule, ruleForCommand, ruleName } from './permission-rule.ts'
import { forbiddenByRule } from './refusals.ts'
import { nestedCommands } from './shell/nested-commands.ts'
import type { CommandPart } from './shell/walk-commands.ts'

export interface Forbidden {
  /** `ask`: the part may run a denied command, so no rule and no mode allows it. */
  readonly kind: 'deny' | 'ask'
  /** A whole sentence. */
  readonly because: string
}

/** Null if no rule forbids the part. A denied command is denied behind wrappers too. */
export function forbiddenCommand(
  { denied, only }: PermissionConcern['definitionRules'],
  part: CommandPart,
): Forbidden | null {
  const { words } = part.command
  const narrowed = only.filter((rule) => covers(rule, 'command'))
  if (narrowed.length > 0 && words.length > 0 && !ruleForCommand(narrowed, words, false))
    return {
      kind: 'deny',
      because: `This agent's definition allows only ${narrowed.map(({ text }) => text).join(', ')}.`,
    }
  const rules = denied.filter((rule) => covers(rule, 'command'))
  // A rule that denies counts before a rule that asks.
  const denying = rules.filter(({ asks }) => !asks)
  return [denying, rules].reduce<Forbidden | null>(
    (found, some) => found ?? (some.length === 0 ? null : deniedCommand(some, part)),
    null,
  )
}

function deniedCommand(rules: readonly PermissionRule[], { command }: CommandPart): Forbidden | null {
  const { commands, hidden } = nestedCommands(command.words)
  let possible: PermissionRule | null = null
  for (const { words, sure } of commands) {
    const rule = ruleForCommand(rules, words, false)
    if (rule && sure) return { kind: 'deny', because: forbiddenByRule(rule) }
    possible ??= rule ?? rules.find((each) => mayCoverCommand(each, words)) ?? null
  }
  if (possible)
    return {
      kind: 'ask',
      because: `Troupe can't tell whether this runs a command that the rule ${ruleName(possible)} ${possible.asks ? 'asks about' : 'denies'}.`,
    }
  if (!hidden) return null
  const texts = rules.map(ruleName).join(', ')
  return {
    kind: 'ask',
    because: `Troupe can't tell which commands this runs, and some are denied: ${texts}.`,
  }
}
