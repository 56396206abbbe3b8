/**
 * Where an agent works: in the folder of whoever starts it, or in a git worktree of its own, which is there
 * before its first request, committed at the end of each run, and removed where nothing is in it.
 */
import { stableColor } from '../../../shared/agent-definition/agent-color.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'
import type { AgentWorktree } from '../../../shared/worktree.ts'
import type { RunEnd } from '../loop/agent-run.ts'
import type { LoadedDefinition } from '../ports.ts'
import type { NewWorktree } from '../worktrees.ts'
import type { Conversation } from './conversation.ts'
import type { LiveAgent } from './live-agent.ts'
import { leftOutWords, placeWords } from './worktree-words.ts'

export interface Workplace {
  /** The agent's folder. */
  readonly folder: string
  readonly worktree: AgentWorktree | null
  /** What the agent is told of it before its task. */
  readonly told: string | null
  /** What a person should know of it. */
  readonly notices: readonly string[]
}

/** In the conversation's folder, or where `parent` works. */
export function sharedWorkplace(conversation: Conversation, parent: LiveAgent | null): Workplace {
  const worktree = parent?.state().worktree ?? null
  return {
    folder: parent?.session.root ?? conversation.record.folder,
    worktree: worktree && { ...worktree, own: false },
    told: null,
    notices: [],
  }
}

/** An agent that is to get a worktree of its own. */
export interface NewIsolated {
  /** Null: it is the main agent. */
  readonly parent: LiveAgent | null
  readonly agentId: string
  readonly definition: Pick<LoadedDefinition, 'name' | 'color'>
  readonly task: string
}

/** A new worktree from where `parent` works. Failures: `not-trusted`, and those of `Worktrees.create`. */
export async function ownWorkplace(
  conversation: Conversation,
  { parent, agentId, definition, task }: NewIsolated,
  signal: AbortSignal,
): Promise<Result<Workplace>> {
  const { policy } = conversation.deps.ports
  if (!policy.trusted(conversation.record.folder)) return fail(notTrusted)
  const shared = sharedWorkplace(conversation, parent)
  const { folder } = shared
  const { name } = definition
  const color = stableColor(definition.color, name)
  const owner = { agentId, conversationId: conversation.id, name, color, task }
  const made = await conversation.worktrees.create({ folder, owner, carryOver: policy.carryOver }, signal)
  if (!made.ok) return made
  const { place, cwd, notes } = made.value
  const aliases = new Set([place.from, ...(shared.worktree?.aliases ?? [])])
  const worktree = { ...place, own: true, aliases: [...aliases] }
  const leftOut = leftOutWords(made.value)
  return ok({
    folder: cwd,
    worktree,
    told: [placeWords(worktree, cwd), leftOut, ...notes].filter((words) => words !== null).join('\n'),
    notices: noticesOn(made.value),
  })
}

function noticesOn(made: NewWorktree): readonly string[] {
  const leftOut = leftOutWords(made)
  return [...(leftOut === null ? [] : [`${leftOut} Review can carry it over.`]), ...made.notes]
}

/** Its worktree is there, whatever became of it since its last run, and stays until it has left. */
export async function enterWorktree(
  conversation: Conversation,
  agent: LiveAgent,
  signal: AbortSignal,
): Promise<Result<void>> {
  const { worktree } = agent.state()
  if (worktree === null) return ok(undefined)
  return conversation.worktreeUse.inTurn(worktree.id, async (use) => {
    if (!agent.isInPlace) {
      const restored = await conversation.worktrees.restore(worktree, signal)
      if (!restored.ok) return restored
      agent.isInPlace = true
      for (const text of restored.value.notes) agent.emit({ type: 'notice', level: 'info', text })
    }
    use.working.add(agent.id)
    use.holding.add(agent.id)
    use.isHeld = true
    return ok(undefined)
  })
}

/**
 * At the end of a run what is in the worktree is committed: by the agent whose own it is, whose log says what there
 * is, and by whoever works in it last.
 */
export async function saveWork(conversation: Conversation, agent: LiveAgent, end: RunEnd): Promise<void> {
  const { worktree, task } = agent.state()
  if (worktree === null) return
  await conversation.worktreeUse.inTurn(worktree.id, async ({ working }) => {
    if (!working.delete(agent.id) || (!worktree.own && working.size > 0)) return
    const saved = await conversation.worktrees
      .save(worktree, { task, ended: endedAs(end) })
      .catch((thrown) => fail({ type: 'bug', message: messageOf(thrown) }))
    if (!saved.ok)
      agent.emit({
        type: 'notice',
        level: 'error',
        text: `What it did could not be committed: ${saved.failure.message}\n\nIt lies in ${worktree.path}.`,
      })
    else if (worktree.own) agent.emit({ type: 'work-saved', work: saved.value })
  })
}

/** After its end. The last one to leave a worktree lets go of it: where nothing is in it, it is removed. */
export async function leaveWorktree(conversation: Conversation, agent: LiveAgent): Promise<void> {
  const { worktree } = agent.state()
  if (worktree === null) return
  await conversation.worktreeUse.inTurn(worktree.id, async (use) => {
    use.holding.delete(agent.id)
    // Others may have left before one that was stopped on its way in.
    if (!use.isHeld || use.holding.size > 0) return
    const isAwaited = [...conversation.agents.values()].some(
      (other) => other.id !== agent.id && other.state().worktree?.id === worktree.id,
    )
    if (isAwaited) return
    use.isHeld = false
    await conversation.worktrees.release(worktree)
  })
}

function endedAs(end: RunEnd): 'completed' | 'failed' | 'stopped' {
  return end.kind === 'answered' ? 'completed' : end.kind
}

const notTrusted = {
  type: 'not-trusted',
  message:
    'A worktree of its own needs git to work on this folder, which the user has not trusted yet. Nothing was started.',
}
