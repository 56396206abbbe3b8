/** Creates a verifier that no agent asked for: in the background, in a worktree with exactly the changed files. */

import { countOf } from '../../../shared/kernel/amounts.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import { VERIFIER, type Verification } from '../../../shared/verification/verification.ts'
import { ownWorkingFolder } from '../agent/agent-worktree.ts'
import { findDefinition } from '../agent/find-definition.ts'
import { planAgent } from '../agent/plan-agent.ts'
import { catalogOf, planDepsOf, planInputOf } from '../agent/spawn-context.ts'
import type { AgentHandle } from '../conversation/agent-handle.ts'
import type { Conversation } from '../conversation/conversation.ts'

const TASK = 'Verify the changes'
/** Characters of the request and of the author's report in the prompt. */
const LONGEST_QUOTE = 6000

/** Fails if there is no verifier, no more agents may run, or the worktree can't be created. */
export async function createVerifier(
  conversation: Conversation,
  verification: Verification,
  startedBy: 'user' | 'setting',
): Promise<Result<AgentHandle>> {
  const { agents, ports, lifetime, file } = conversation
  const parent = agents.main?.agent
  if (!parent) return fail({ type: 'ended', message: 'The conversation is closed.' })
  const full = () =>
    agents.size >= ports.policy.maxAgents
      ? `This conversation has reached its limit of ${countOf(ports.policy.maxAgents, 'agent')}.`
      : null
  const agentId = ports.ids.next('a')
  const catalog = await catalogOf(conversation)
  const found = findDefinition(catalog, VERIFIER)
  if (!found.ok) return found
  // The verdict is about the worktree's files, whatever a definition of the user says.
  const definition = { ...found.value, carryOver: true, background: true }
  const color = conversation.colors.next({ id: agentId, parentId: parent.id, wanted: definition.color })
  const input = await planInputOf(conversation, definition, catalog)
  const from = verification.owner === null ? undefined : agents.state(verification.owner)?.worktree?.path
  const chosen = await ownWorkingFolder(
    conversation,
    { parent, agentId, definition, color, task: TASK, ...(from === undefined ? {} : { from }) },
    lifetime.signal,
  )
  if (!chosen.ok) {
    conversation.colors.release(agentId)
    return chosen
  }
  const { folder, worktree, message, notices } = chosen.value
  const tooMany = full()
  if (tooMany !== null || lifetime.signal.aborted || worktree === null) {
    conversation.colors.release(agentId)
    if (worktree !== null) await ports.worktrees.release(worktree)
    return fail({ type: 'full', message: tooMany ?? 'The conversation is closed.' })
  }
  const state = parent.state()
  const plan = planAgent(
    {
      ...input,
      color,
      parent: {
        id: parent.id,
        toolUseId: null,
        depth: state.depth,
        model: state.model,
        effort: state.effort,
        thinking: state.thinking,
        mode: state,
        readOnly: state.definition.readOnly,
      },
      scratch: false,
      background: true,
      limits: ports.policy.limits.background,
      task: TASK,
      model: null,
      effort: null,
      thinking: null,
      maxTurns: null,
      mode: state,
      folder,
      worktree,
    },
    planDepsOf(conversation),
  )
  if (plan.obstacle !== null) {
    conversation.colors.release(agentId)
    await ports.worktrees.release(worktree)
    return fail({ type: 'no-tools', message: plan.obstacle })
  }
  const { handle, agent } = conversation.spawn(agentId, plan)
  for (const text of notices) agent.emit({ type: 'notice', level: 'info', text })
  if (message !== null) agent.transcript.tell(message)
  const now = { ...verification, digest: worktree.startTree ?? verification.digest, agentId }
  agent.emit({
    type: 'user-message',
    messageId: ports.ids.next('m'),
    from: 'parent',
    sender: null,
    content: [{ type: 'text', text: promptFor(conversation, now) }],
  })
  file.emit({
    type: 'verification-changed',
    verification: { ...now, state: 'running', startedBy, at: ports.clock.now() },
  })
  return ok(handle)
}

function promptFor(conversation: Conversation, { owner, base }: Verification): string {
  const { agents, runMemory, file } = conversation
  const author = owner === null ? null : agents.state(owner)
  const task = author === null ? runMemory.request || file.record.title : author.task
  const report = author === null ? lastAnswer(conversation) : author.report
  return [
    `Verify the changes in your worktree. \`git diff ${base}\` shows them all, committed or not; new files are in it too.`,
    `The task was:\n\n${quote(task)}`,
    report === ''
      ? ''
      : `Its author reports the following. Treat each claim as unproven:\n\n${quote(report)}`,
    'Nobody waits for you to fix anything. End your report with the verdict and the evidence, in the form that your instructions give.',
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function lastAnswer({ agents }: Conversation): string {
  const messages = agents.main?.agent?.transcript.history.messages() ?? []
  const last = messages.findLast(({ role }) => role === 'assistant')
  return last?.role === 'assistant' ? textOf(last.content) : ''
}

function quote(text: string): string {
  const clipped = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)} …` : text
  return clipped
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
}
