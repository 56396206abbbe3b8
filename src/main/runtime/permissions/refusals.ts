/** Reasons for a denial. Each one names what would change the decision. */
import type { PermissionDecision } from './permission-concern.ts'
import { type PermissionRule, ruleName } from './permission-rule.ts'

export const untrusted =
  'The user has not trusted this folder yet: agents can read its files, and run no commands. ' +
  'Only the user can change this, in the window or with --trust on the command line.'

export const readOnlyAgent =
  'This agent is read-only: it can read files, and run commands that are known to be read-only. ' +
  'Report the change that is needed instead of making it.'

export const planMode =
  'Plan mode is read-only: it allows no writes, and only commands that are known to be read-only. ' +
  'Describe the change in your answer instead. Only the user can leave plan mode.'

/** The reason of a rule that denies. */
export function forbiddenByRule(rule: PermissionRule): string {
  if (rule.asks) return `The rule ${ruleName(rule)} asks each time.`
  if (rule.where !== undefined) return `Denied by the rule ${ruleName(rule)}.`
  return rule.isOfUser
    ? `The user's rule ${rule.text} denies this.`
    : `This agent's definition forbids ${rule.text}.`
}

/** A call that no rule allows. */
export const onlyTheUser = 'No rule allows this: the user decides each time.'

/** The remedy for a call that these rules would allow together. */
export function byRules(...rules: readonly string[]): string {
  const many = rules.length > 1
  return `The ${many ? 'rules' : 'rule'} ${rules.join(', ')} would allow this; only the user can add ${many ? 'them' : 'it'}.`
}

/** A request to the user, as the denial of an agent that never asks. */
export function withoutAsking(decision: PermissionDecision): PermissionDecision {
  if (decision.kind !== 'ask') return decision
  const { because, remedy } = decision
  return {
    kind: 'deny',
    because: `${because} Permission denied: your permission mode denies instead of asking. ${remedy}`,
  }
}
