/**
 * The folder of an agent: its parent's folder, or a git worktree of its own. The worktree exists before the first
 * request, is committed at the end of each run, and is removed if it holds no work.
 */
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentWorktree } from '../../../shared/worktrees/worktree.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import type { LoadedDefinition } from '../ports/definitions.ts'
import type { RunEnd } from '../ports/run-end.ts'
import type { CarryOver, NewWorktree } from '../ports/worktrees.ts'
import { worktreeRemoved } from './interception-points.ts'
import { carriedText, leftOutText, worktreeText } from './worktree-text.ts'

export interface WorkingFolder {
  /** The agent's folder. */
  readonly folder: string
  readonly worktree: AgentWorktree | null
  /** The text about the folder that precedes the agent's task. */
  readonly message: string | null
  /** The text about the folder in the call's result, for the parent. */
  readonly forParent: string | null
  /** Notices about the folder, for the user. */
  readonly notices: readonly string[]
}

/** The parent's folder, or the conversation's folder for the main agent. */
export function sharedWorkingFolder(conversation: Conversation, parent: LiveAgent | null): WorkingFolder {
  const worktree = parent?.state().worktree ?? null
  return {
    folder: parent?.session.root ?? conversation.file.record.folder,
    worktree: worktree && { ...worktree, own: false },
    message: null,
    forParent: null,
    notices: [],
  }
}

/** An agent that gets a worktree of its own. */
interface NewIsolated {
  /** Null for the main agent. */
  readonly parent: LiveAgent | null
  readonly agentId: string
  readonly definition: Pick<LoadedDefinition, 'name' | 'carryOver'>
  /** One of the eight color names, or `#hex`. */
  readonly color: string
  readonly task: string
  /** The folder to start from; default: the parent's. */
  readonly from?: string
}

/** Creates a worktree from the parent's folder. Fails with `not-trusted`, or with the failure of `Worktrees.create`. */
export async function ownWorkingFolder(
  conversation: Conversation,
  { parent, agentId, definition, color, task, from }: NewIsolated,
  signal: AbortSignal,
): Promise<Result<WorkingFolder>> {
  const { policy, worktrees } = conversation.ports
  if (!policy.trusted(conversation.file.record.folder)) return fail(notTrusted)
  const shared = sharedWorkingFolder(conversation, parent)
  const folder = from ?? shared.folder
  const { name } = definition
  const owner = { agentId, conversationId: conversation.id, name, color, task }
  const carryOver = definition.carryOver ? 'changes' : policy.carryOver ? 'commit' : 'no'
  const made = await worktrees.create({ folder, owner, carryOver }, signal)
  if (!made.ok) return made
  const { location, cwd, notes } = made.value
  const aliases = new Set([location.from, ...(shared.worktree?.aliases ?? [])])
  const worktree = { ...location, own: true, aliases: [...aliases], startTree: made.value.startTree }
  const leftOut = leftOutText(made.value, carryOver)
  return ok({
    folder: cwd,
    worktree,
    message: lines(worktreeText(worktree, cwd), carriedText(worktree, carryOver, 'yours'), leftOut, ...notes),
    forParent: lines(carriedText(worktree, carryOver, 'its'), leftOut),
    notices: noticesOn(made.value, carryOver),
  })
}

const lines = (...parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null).join('\n')

function noticesOn(made: NewWorktree, carryOver: CarryOver): readonly string[] {
  const leftOut = leftOutText(made, carryOver)
  const advice = carryOver === 'no' ? ' Review can carry it over.' : ''
  return [...(leftOut === null ? [] : [`${leftOut}${advice}`]), ...made.notes]
}

/** Makes sure that the agent's worktree exists, and holds it until `leaveWorktree`. */
export async function enterWorktree(
  conversation: Conversation,
  agent: LiveAgent,
  signal: AbortSignal,
): Promise<Result<void>> {
  const { worktree } = agent.state()
  if (worktree === null) return ok(undefined)
  const entered = await holdWorktree(conversation, agent, { worktree, signal })
  if (entered.ok && !agent.knowsEnvironment) await enterEnvironment(conversation, agent, { worktree, signal })
  return entered
}

function holdWorktree(
  conversation: Conversation,
  agent: LiveAgent,
  { worktree, signal }: { readonly worktree: AgentWorktree; readonly signal: AbortSignal },
): Promise<Result<void>> {
  return conversation.worktreeUse.withLock(worktree.id, async (use) => {
    if (!agent.isWorktreeReady) {
      const restored = await conversation.ports.worktrees.restore(worktree, signal)
      if (!restored.ok) return restored
      agent.isWorktreeReady = true
      for (const text of restored.value.notes) agent.emit({ type: 'notice', level: 'info', text })
    }
    use.working.add(agent.id)
    use.holding.add(agent.id)
    use.isHeld = true
    return ok(undefined)
  })
}

/** Waits for the set-up of the worktree as the user wishes, and tells the agent of it and of its ports. */
async function enterEnvironment(
  { ports }: Conversation,
  agent: LiveAgent,
  { worktree, signal }: { readonly worktree: AgentWorktree; readonly signal: AbortSignal },
): Promise<void> {
  agent.knowsEnvironment = true
  const entered = await ports.environments?.enter(worktree, {
    signal,
    waits: (text) => agent.emit({ type: 'notice', level: 'info', text }),
    async ask(question, until) {
      const form = { kind: 'questions' as const, questions: [question] }
      const answer = await agent.forms.ask({ toolUseId: worktree.id, toolName: 'worktree', form }, until)
      const chosen = answer.action === 'accept' ? answer.values[question.question] : null
      return typeof chosen === 'string' ? chosen : null
    },
    ended: (text) => agent.notes.push(text),
  })
  const text = entered?.text ?? null
  if (text !== null && !signal.aborted) agent.transcript.tell(text, { note: `The agent was told: ${text}` })
}

/**
 * Commits the worktree at the end of a run: when its owner ends, and when the last agent in it ends. The owner's log
 * records the content of the worktree.
 */
export async function saveWork(conversation: Conversation, agent: LiveAgent, end: RunEnd): Promise<void> {
  const { worktree, task } = agent.state()
  if (worktree === null) return
  await conversation.worktreeUse.withLock(worktree.id, async ({ working }) => {
    if (!working.delete(agent.id) || (!worktree.own && working.size > 0)) return
    const saved = await conversation.ports.worktrees
      .save(worktree, { task, ended: endedAs(end) })
      .catch((thrown) => fail({ type: 'bug', message: messageOf(thrown) }))
    if (!saved.ok)
      agent.emit({
        type: 'notice',
        level: 'error',
        text: `The work could not be committed: ${saved.failure.message}\n\nIt is in ${worktree.path}.`,
      })
    else if (worktree.own) agent.emit({ type: 'work-saved', work: saved.value })
  })
}

/** Called after the end of a run. The last agent to leave releases the worktree: without work in it, it is removed. */
export async function leaveWorktree(conversation: Conversation, agent: LiveAgent): Promise<void> {
  const { worktree } = agent.state()
  if (worktree === null) return
  await conversation.worktreeUse.withLock(worktree.id, async (use) => {
    use.holding.delete(agent.id)
    // An agent that was stopped before it entered may leave after the others.
    if (!use.isHeld || use.holding.size > 0) return
    const isNeeded = conversation.agents
      .loaded()
      .some((other) => other.id !== agent.id && other.state().worktree?.id === worktree.id)
    if (isNeeded) return
    use.isHeld = false
    if (await conversation.ports.worktrees.release(worktree)) await worktreeRemoved(conversation.loop, agent)
  })
}

function endedAs(end: RunEnd): 'completed' | 'failed' | 'stopped' {
  if (end.kind === 'answered') return 'completed'
  return end.kind === 'interrupted' ? 'stopped' : end.kind
}

const notTrusted = {
  type: 'not-trusted',
  message: 'Not started: a worktree runs git in this folder, and the user has not trusted the folder yet.',
}
