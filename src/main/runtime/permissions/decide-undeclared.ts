/**
 * Decides about calls of tools without a declared permission target, such as added tools. Such a call asks unless a
 * rule names the tool.
 */

import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { isDenied, isGiven, type ToolEntry } from '../../../shared/tools/tool-entry.ts'
import { UNKNOWN_CALL } from '../ports/agent-backing.ts'
import type { PermissionTarget, PossibleTarget } from '../ports/tool.ts'
import { deniedAsCommand } from './decide-command.ts'
import { decideRead, decideWrite } from './decide-file.ts'
import type { PermissionConcern, PermissionDecision } from './permission-concern.ts'
import { type PermissionRule, ruleName } from './permission-rule.ts'
import { byRules, forbiddenByRule, onlyTheUser, planMode, readOnlyAgent, untrusted } from './refusals.ts'

export async function decideUndeclared(
  question: PermissionConcern,
  target: PermissionTarget & { kind: 'undeclared' },
): Promise<PermissionDecision> {
  const { tool, rules, definitionRules, agent, trusted, mode } = question
  const deny = (because: string): PermissionDecision => ({ kind: 'deny', because })
  const { ruleName: narrow = tool } = target
  const forbidden = definitionRules.denied.find((rule) => namesWhole(rule, tool) || namesWhole(rule, narrow))
  if (forbidden) return deny(forbiddenByRule(forbidden))
  if (agent.readOnly && !target.onlyReads) return deny(readOnlyAgent)
  if (!trusted) return deny(untrusted)
  if (mode === 'plan' && !target.onlyReads) return deny(planMode)
  for (const one of target.mayBe ?? []) {
    const because = await deniedAs(question, one)
    if (because !== null) return deny(because)
  }
  const isUnknown = tool === UNKNOWN_CALL
  // A call that nobody can read may be what a rule denies.
  if (mode === 'bypassPermissions' && !(isUnknown && definitionRules.denied.length > 0))
    return { kind: 'allow', because: 'The permission mode allows every call.' }
  const allowing = isUnknown
    ? undefined
    : rules.find((rule) => namesExactly(rule, tool) || namesExactly(rule, narrow))
  if (allowing) return { kind: 'allow', because: `Allowed by the rule ${ruleName(allowing)}.` }
  return {
    kind: 'ask',
    subject: {
      kind: 'other',
      action: target.action,
      text: makeVisible(target.text),
      folder: agent.root,
    },
    ...(isUnknown
      ? {
          because: "Troupe can't tell what this call does, so it is asked about each time.",
          ...{ alwaysRule: null, offers: [], remedy: onlyTheUser },
        }
      : {
          because: 'No rule allows this tool.',
          alwaysRule: narrow,
          offers: [
            {
              rule: narrow,
              alsoCovers: `every other call of this tool${narrow === tool ? '' : ' for the same server'}, whatever its input`,
            },
          ],
          remedy: byRules(narrow),
        }),
  }
}

/** Why rules deny the call, if it is this; null: they don't. */
async function deniedAs(question: PermissionConcern, one: PossibleTarget): Promise<string | null> {
  if (one.kind === 'command') return await deniedAsCommand(question, one.command)
  const decision =
    one.kind === 'read'
      ? await decideRead({ ...question, tool: 'Read' }, one.path)
      : await decideWrite({ ...question, tool: 'Edit' }, { kind: 'write', path: one.path, preview: '' })
  return decision.kind === 'deny' ? decision.because : null
}

/** `mcp__github` names all tools of that server. A rule for a part of such a tool covers nothing. */
const namesExactly = (rule: PermissionRule, tool: string): boolean =>
  rule.pattern === null && isGiven(entryOf(rule), tool)

/** Whether a rule without a pattern names the tool, or its whole server. */
export const namesWhole = (rule: PermissionRule, tool: string): boolean =>
  rule.pattern === null && isDenied(entryOf(rule), tool)

const entryOf = ({ text, tool }: PermissionRule): ToolEntry => ({
  text,
  name: tool,
  rule: null,
  isBroken: false,
})
