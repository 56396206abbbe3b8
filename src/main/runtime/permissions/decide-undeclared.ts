/**
 * Decides about calls of tools without a declared permission target, such as added tools. Such a call asks unless a
 * rule names the tool.
 */
import { isAbout } from '../../../shared/agent-definition/tool-entry.ts'
import { makeVisible } from '../../../shared/visible-text.ts'
import { UNKNOWN_CALL } from '../agent-backing.ts'
import type { PermissionTarget } from '../tool.ts'
import type { PermissionConcern, PermissionDecision } from './permission-concern.ts'
import { type PermissionRule, ruleName } from './permission-rule.ts'
import { byRules, forbiddenByRule, onlyTheUser, planMode, readOnlyAgent, untrusted } from './refusals.ts'

export function decideUndeclared(
  { tool, rules, definitionRules, agent, trusted, mode }: PermissionConcern,
  target: PermissionTarget & { kind: 'undeclared' },
): PermissionDecision {
  const deny = (because: string): PermissionDecision => ({ kind: 'deny', because })
  const forbidden = definitionRules.denied.find((rule) => namesWhole(rule, tool))
  if (forbidden) return deny(forbiddenByRule(forbidden))
  if (agent.readOnly && !target.onlyReads) return deny(readOnlyAgent)
  if (!trusted) return deny(untrusted)
  if (mode === 'plan' && !target.onlyReads) return deny(planMode)
  if (mode === 'bypassPermissions')
    return { kind: 'allow', because: 'The permission mode allows every call.' }
  const isUnknown = tool === UNKNOWN_CALL
  const allowing = isUnknown ? undefined : rules.find((rule) => namesExactly(rule, tool))
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
          alwaysRule: tool,
          offers: [{ rule: tool, alsoCovers: 'every other call of this tool, whatever its input' }],
          remedy: byRules(tool),
        }),
  }
}

/** A rule that allows names the server as it is written: `mcp__GOOD` is another server than `mcp__good`. */
function namesExactly(rule: PermissionRule, tool: string): boolean {
  return namesWhole(rule, tool) && tool.startsWith(rule.tool.replace(/\*$/, ''))
}

/** `mcp__github` names all tools of that server. A rule for a part of such a tool covers nothing. */
function namesWhole(rule: PermissionRule, tool: string): boolean {
  return (
    rule.pattern === null && isAbout({ text: rule.text, name: rule.tool, rule: null, isBroken: false }, tool)
  )
}
