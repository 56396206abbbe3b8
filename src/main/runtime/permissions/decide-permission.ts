/**
 * May this call run? Pure: the caller brings rules, trust and a way to resolve links. The answer is
 * yes, no with a reason that goes to the agent, or a question for a person.
 */
import { assertNever } from '../../../shared/assert-never.ts'
import { decideCommand } from './decide-command.ts'
import { decideRead, decideWrite } from './decide-file.ts'
import type { JudgedQuestion, PermissionDecision, PermissionQuestion } from './permission-question.ts'
import { parseRules, ruleForName } from './permission-rule.ts'

export async function decidePermission(question: PermissionQuestion): Promise<PermissionDecision> {
  const { target, agent } = question
  const judged: JudgedQuestion = {
    ...question,
    rules: parseRules(question.rules),
    definitionRules: { denied: parseRules(agent.denied ?? []), only: parseRules(agent.only ?? []) },
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
    default:
      return assertNever(target)
  }
}

/** A call that touches nothing is held only against its definition: `Skill(commit)`. */
function decideNamed({ tool, definitionRules }: JudgedQuestion, subject = ''): PermissionDecision {
  const { denied, only } = definitionRules
  const rule = ruleForName(denied, tool, subject)
  if (rule) return { kind: 'deny', because: `This agent's definition forbids ${rule.text}.` }
  const narrowed = only.filter((one) => one.tool === tool)
  if (narrowed.length > 0 && !ruleForName(narrowed, tool, subject))
    return {
      kind: 'deny',
      because: `This agent's definition allows only ${narrowed.map(({ text }) => text).join(', ')}.`,
    }
  return { kind: 'allow', because: 'Nothing outside the agent is touched.' }
}
