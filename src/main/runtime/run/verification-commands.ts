/** The user's commands on verifications, and what a restart has left of them. */
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { Verification } from '../../../shared/verification/verification.ts'
import type { EndedRun } from '../conversation/agent-handle.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { RunEnd } from '../ports/run-end.ts'
import { wholeReport } from './background.ts'
import { recordVerdict } from './record-verdict.ts'
import { startSubagent } from './run-agents.ts'
import { mainFolderOf, offer, prepare } from './verify-work.ts'

/** Answers the question whether to verify. Fails with `not-found` if it is no longer open. */
export async function answerVerification(
  conversation: Conversation,
  { id, verify }: { readonly id: string; readonly verify: boolean },
): Promise<Result<void>> {
  const { file, ports } = conversation
  const found = file.record.verifications.find((one) => one.id === id)
  if (found === undefined || (found.state !== 'offered' && found.state !== 'declined')) return fail(notOpen)
  if (verify) return start(conversation, found)
  file.emit({
    type: 'verification-changed',
    verification: { ...found, state: 'declined', at: ports.clock.now() },
  })
  return file.save()
}

/** Verifies the current changes of an agent's worktree, or of the conversation's folder (null), on the user's wish. */
export async function verifyNow(conversation: Conversation, owner: string | null): Promise<Result<void>> {
  const { ports, lifetime, agents, file } = conversation
  const worktree = owner === null ? null : agents.state(owner)?.worktree
  if (owner !== null && !worktree?.own)
    return fail({ type: 'not-found', message: 'This agent has no worktree to verify.' })
  const folder = worktree?.path ?? mainFolderOf(conversation)
  if (!ports.policy.trusted(file.record.folder)) return fail(notTrusted)
  const state = await ports.worktrees.stateOf(folder, lifetime.signal)
  if (!state.ok) return state
  const { tree, headTree } = state.value
  const running = file.record.verifications.find((one) => one.owner === owner && one.state === 'running')
  if (running?.digest === tree)
    return fail({ type: 'not-possible', message: 'These changes are being verified already.' })
  const base = worktree?.base ?? (headTree === tree ? `${HEAD}~1` : HEAD)
  const open = file.record.verifications.find(
    (one) => one.owner === owner && one.digest === tree && one.state !== 'done',
  )
  return start(conversation, open ?? offer(conversation, { owner, digest: tree, base }))
}

const HEAD = 'HEAD'

/** For each verification of files that exist: whether they changed since. Missing: unknown. */
export async function verificationStates(
  conversation: Conversation,
): Promise<Result<Readonly<Record<string, 'same' | 'changed'>>>> {
  const { file, agents, ports, lifetime } = conversation
  const { verifications } = file.record
  const states: Record<string, 'same' | 'changed'> = {}
  if (!ports.policy.trusted(file.record.folder)) return ok(states)
  for (const owner of new Set(verifications.map((one) => one.owner))) {
    const folder = owner === null ? mainFolderOf(conversation) : agents.state(owner)?.worktree?.path
    if (folder === undefined) continue
    const state = await ports.worktrees.stateOf(folder, lifetime.signal)
    if (!state.ok) continue
    for (const one of verifications)
      if (one.owner === owner) states[one.id] = one.digest === state.value.tree ? 'same' : 'changed'
  }
  return ok(states)
}

/** Records verdicts that a crash kept from being recorded. */
export async function recordLateVerdicts(conversation: Conversation): Promise<Result<void>> {
  for (const { state, agentId } of conversation.file.record.verifications) {
    const agent = agentId === null ? null : conversation.agents.state(agentId)
    if (state !== 'running' || agent === null || agent.endedAt === null) continue
    const report = await wholeReport(agent, conversation.ports.store)
    if (!report.ok) return report
    recordVerdict(conversation, { state: agent, end: endOf(agent, report.value) })
  }
  return ok(undefined)
}

function endOf({ status, failure }: EndedRun['state'], text: string): RunEnd {
  if (status === 'completed') return { kind: 'answered', text, reachedLimit: null }
  if (status === 'failed') return { kind: 'failed', type: 'bug', message: failure?.message ?? '' }
  return status === 'interrupted' ? { kind: 'interrupted', message: '' } : { kind: 'stopped' }
}

async function start(conversation: Conversation, verification: Verification): Promise<Result<void>> {
  const prepared = await prepare(conversation, verification, 'user')
  if (!prepared.ok) return prepared
  void startSubagent(conversation, prepared.value)
  return conversation.file.save()
}

const notOpen = {
  type: 'not-found',
  message: 'This question is no longer open: the changes are being verified, or were.',
} as const

const notTrusted = {
  type: 'not-trusted',
  message:
    'Not verified: a verification runs git and commands in this folder, and you have not trusted it yet.',
} as const
