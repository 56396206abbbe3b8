/**
 * May this call run? Pure: the caller brings rules, trust and a way to resolve links. The answer is
 * yes, no with a reason that goes to the agent, or a question for a person.
 */
import { assertNever } from '../../../shared/assert-never.ts'
import { makeVisible } from '../../../shared/visible-text.ts'
import type { PermissionTarget } from '../tool.ts'
import { decideCommand } from './decide-command.ts'
import { decideRead, decideWrite } from './decide-file.ts'
import type { JudgedQuestion, PermissionDecision, PermissionQuestion } from './permission-question.ts'
import { parseRules, ruleForName } from './permission-rule.ts'
import { notAsked, planMode, readOnlyAgent, untrusted } from './refusals.ts'
import { rulesInWorktree } from './worktree-rules.ts'

export async function decidePermission(question: PermissionQuestion): Promise<PermissionDecision> {
  const { target, agent } = question
  const denied = parseRules(agent.denied ?? [])
  const judged: JudgedQuestion = {
    ...question,
    rules: rulesInWorktree(parseRules(question.rules), agent),
    definitionRules: {
      // What is forbidden in the project stays so, too.
      denied: [...rulesInWorktree(denied, agent), ...(agent.worktree ? denied : [])],
      only: rulesInWorktree(parseRules(agent.only ?? []), agent),
    },
    cwd: agent.cwd ?? agent.root,
    mode: question.mode === 'bypassPermissions' && !question.bypassAllowed ? 'default' : question.mode,
  }
  switch (target.kind) {
    case 'none':
      return decideNamed(judged, target.subject)
    case 'read':
      return await decideRead(judged, target.path)
    case 'write':
      return await decideWrite(judged, target)
    case 'command':
      return await decideCommand(judged, target.command)
    case 'always-ask':
      return decideAlwaysAsk(judged, target)
    default:
      return assertNever(target)
  }
}

/** A call that touches nothing is held only against its definition: `Skill(commit)`. */
function decideNamed(question: JudgedQuestion, subject = ''): PermissionDecision {
  const forbidden = forbiddenByName(question, subject)
  if (forbidden !== null) return { kind: 'deny', because: forbidden }
  return { kind: 'allow', because: 'Nothing outside the agent is touched.' }
}

/** Rules that allow, and modes that do, count for nothing here. */
function decideAlwaysAsk(
  question: JudgedQuestion,
  target: PermissionTarget & { kind: 'always-ask' },
): PermissionDecision {
  const deny = (because: string): PermissionDecision => ({ kind: 'deny', because })
  if (question.agent.readOnly) return deny(readOnlyAgent)
  if (!question.trusted) return deny(untrusted)
  if (question.mode === 'plan') return deny(planMode)
  const forbidden = forbiddenByName(question, target.subject)
  if (forbidden !== null) return deny(forbidden)
  if (question.mode === 'dontAsk') return deny(notAsked(target.because, []))
  return {
    kind: 'ask',
    subject: {
      kind: 'other',
      action: target.action,
      text: makeVisible(target.text),
      folder: question.agent.root,
    },
    because: target.because,
    alwaysRule: null,
  }
}

function forbiddenByName({ tool, definitionRules }: JudgedQuestion, subject: string): string | null {
  const { denied, only } = definitionRules
  const rule = ruleForName(denied, tool, subject)
  if (rule) return `This agent's definition forbids ${rule.text}.`
  const narrowed = only.filter((one) => one.tool === tool)
  if (narrowed.length === 0 || ruleForName(narrowed, tool, subject)) return null
  return `This agent's definition allows only ${narrowed.map(({ text }) => text).join(', ')}.`
}
