/** Carries out SetPhase calls, and reminds a coordinator that ends its run without a verification. */

import { countOf } from '../../../shared/kernel/amounts.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import { type Phase, phases } from '../../../shared/teams/team.ts'
import type { PhaseEntry } from '../../../shared/teams/team-schema.ts'
import { VERIFIER } from '../../../shared/verification/verification.ts'
import { titleOf } from '../agent/report.ts'
import { hasWorktrees } from '../agent/spawn-context.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { type ToolOutcome, toolError } from '../ports/tool.ts'
import type { SetPhaseCall } from '../tools/set-phase.ts'

/** A phase begins once the one before it has begun. The outcome lists what is open. */
export async function setPhase(
  conversation: Conversation,
  { phase, note = '' }: SetPhaseCall,
): Promise<ToolOutcome> {
  const { file } = conversation
  const begun = file.record.phases
  const missing = missingBefore(phase, begun)
  if (missing !== null)
    return toolError(
      `The phase ${phase} did not begin: ${missing} comes before it and has not begun. Begin ${missing} first. If there is nothing to do in it, say why in its note, and go on.`,
      'not begun',
    )
  const current = begun.at(-1)
  const isNew = current?.phase !== phase || (note !== '' && note !== current.note)
  if (isNew) file.emit({ type: 'phase-changed', phase, note })
  const saved = await file.save()
  const isBack = current !== undefined && phases.indexOf(phase) < phases.indexOf(current.phase)
  return {
    isError: false,
    note: isBack ? 'back' : '',
    content: lines(
      `You are in ${phase} ${isNew ? 'now' : 'already'}.`,
      await expectations(conversation, phase),
      await openText(conversation, phase),
      saved.ok ? '' : `The phase is not on disk yet: ${saved.failure.message}`,
    ),
  }
}

/** The phase before this one, if it has not begun yet. */
function missingBefore(phase: Phase, begun: readonly PhaseEntry[]): Phase | null {
  const before = phases[phases.indexOf(phase) - 1]
  return before === undefined || begun.some((entry) => entry.phase === before) ? null : before
}

async function expectations(conversation: Conversation, phase: Phase): Promise<string> {
  switch (phase) {
    case 'research':
      return 'Start agents that only read (Explore, Plan), one for each separate question, in one message. Nothing is changed yet. The phase ends when you know which files matter, what must not break, and how the project is built and tested.'
    case 'synthesis':
      return 'Compare the reports, and decide yourself; start no agent for this. Divide the work into pieces with files of their own, and say for each how it is checked and what it waits for. If the user must decide something, ask before you go on.'
    case 'implementation':
      return `Give each piece to one agent: start pieces that do not wait for each other in one message${conversation.ports.policy.attended ? ', and in the foreground, where the user can allow their calls' : ''}; or let a team take the tasks. ${await whereTheyWrite(conversation)} Read each report critically before you build on it.`
    case 'verification':
      return 'Start the Verification agent: say what was changed, what it should do, and how the project is built and tested. It works in the background: end your turn, and a notice brings its verdict. If it finds a failure, go back to implementation. Otherwise tell the user the outcome.'
  }
}

async function whereTheyWrite(conversation: Conversation): Promise<string> {
  return (await hasWorktrees(conversation))
    ? `Agents that can write work in git worktrees of their own. ${mayMerge(conversation) ? 'When one has ended, merge its branch with MergeWorktree, one branch after another.' : 'You can merge none of their branches in this run: let one agent do work that builds on itself, and name each branch in your answer.'}`
    : 'There are no git worktrees here, because the folder is no repository or the user does not trust it. All agents write in the same folder: start agents with files in common one after another.'
}

function mayMerge({ agents }: Conversation): boolean {
  return agents.main?.agent?.prompt.tools.some(({ name }) => name === 'MergeWorktree') ?? false
}

/** Agents that work, tasks that are not done, and branches that are not merged. */
async function openText(conversation: Conversation, phase: Phase): Promise<string> {
  const { agents, file } = conversation
  const working = agents.states().filter((state) => state.parentId !== null && isLive(state))
  const tasks = file.record.tasks.filter(({ status }) => status === 'pending' || status === 'in_progress')
  const unmerged = await unmergedBranches(conversation)
  const parts = [
    working.length > 0 &&
      `${countOf(working.length, 'agent')} working: ${listed(working.map((state) => `${state.name ?? state.id} (${titleOf({ ...state, name: null })})`))}`,
    tasks.length > 0 &&
      `${countOf(tasks.length, 'task')} not completed: ${listed(tasks.map(({ id, subject }) => `${id} ${subject}`))}`,
    unmerged.length > 0 &&
      `${countOf(unmerged.length, 'branch', 'branches')} not merged: ${listed(unmerged)}`,
  ].filter((part) => part !== false)
  if (parts.length === 0) return 'Nothing else is open.'
  const list = parts.map((part) => `- ${part}`).join('\n')
  return phase === 'verification'
    ? `Still open, so not in the files that are verified; finish and merge what belongs to the task first:\n${list}`
    : `Still open:\n${list}`
}

async function unmergedBranches({ id, agents, ports, file }: Conversation): Promise<readonly string[]> {
  if (!agents.states().some(({ worktree }) => worktree?.own)) return []
  const { worktrees } = await ports.review.list(file.record.folder, { thorough: false })
  return worktrees
    .filter(({ conversationId, state }) => conversationId === id && state === 'ready')
    .map(({ branch, agentId }) => `${branch} (agent ${agentId})`)
}

const MOST_LISTED = 20

function listed(entries: readonly string[]): string {
  const rest = entries.length - MOST_LISTED
  return [...entries.slice(0, MOST_LISTED), ...(rest > 0 ? [`${rest} more`] : [])].join('; ')
}

const lines = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n')

/**
 * Queues one message for a coordinator that ends its run after changes that no verification phase followed. Not while
 * agents work: it ends its run to wait for them.
 */
export function remindOfVerification(conversation: Conversation): void {
  const { agents, file } = conversation
  const { coordinator, phases: begun, mainAgentId, verifications } = file.record
  if (!coordinator || begun.at(-1)?.phase === 'verification') return
  const states = agents.states().filter(({ parentId }) => parentId !== null)
  const verified = begun.filter(({ phase }) => phase === 'verification')
  const done = verifications.filter(({ state }) => state === 'done')
  const since = Math.max(verified.at(-1)?.at ?? 0, done.at(-1)?.at ?? 0)
  if (states.some(isLive) || !states.some((state) => mayHaveChanged(state, since))) return
  // One for each verification that is due.
  const messageId = `verify-${conversation.id}-${verified.length}`
  if (agents.main?.agent?.transcript.messageIds.has(messageId)) return
  file.queue.add({
    messageId,
    agentId: mainAgentId,
    from: 'runtime',
    sender: null,
    content: [{ type: 'text', text: NOT_VERIFIED }],
    note: 'The changes were not verified. The coordinator was reminded.',
  })
}

/** Without a worktree it is not known whether an agent that can write has written. */
function mayHaveChanged({ definition, endedAt, worktree, work }: AgentState, since: number): boolean {
  if (definition.readOnly || definition.name === VERIFIER || (endedAt ?? 0) <= since) return false
  return worktree?.own ? work !== null && !work.unchanged : true
}

const NOT_VERIFIED =
  'You end your run, but agents changed files and no verification phase followed. Begin it now (SetPhase with "verification") and start the Verification agent. If you stopped to ask the user something, ask again in one sentence instead: verify after the answer. If nothing was changed, say so.'
