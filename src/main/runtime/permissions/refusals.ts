/** Reasons for a denial. Each one names what would change the decision. */

import type { PermissionRule } from './permission-rule.ts'

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
export const forbiddenByRule = ({ text, isOfUser }: PermissionRule): string =>
  isOfUser === true ? `The user's rule ${text} denies this.` : `This agent's definition forbids ${text}.`

/** The denial in the mode `dontAsk`. `rules` would allow the call together; empty if no rule can. */
export function notAsked(because: string, rules: readonly string[]): string {
  const many = rules.length > 1
  const remedy =
    rules.length === 0
      ? 'No rule can allow this; it needs another permission mode.'
      : `The ${many ? 'rules' : 'rule'} ${rules.join(', ')} would allow this; only the user can add ${many ? 'them' : 'it'}.`
  return `${because} Permission denied: the mode dontAsk denies instead of asking. ${remedy}`
}
