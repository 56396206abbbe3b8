/** Starts a comparison: the agents get their worktrees first, then all start, or none. */
import type { Comparison } from '../../../shared/comparison/comparison.ts'
import type { Commands } from '../../../shared/ipc/ipc-contract.ts'
import type { InputOf } from '../../../shared/kernel/command.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import { discardPrepared, type PreparedStart, prepareAgent } from '../run/prepare-agent.ts'
import { startSubagent } from '../run/run-agents.ts'
import { userContext } from '../run/run-child.ts'
import { launchAgent } from '../run/start-agent.ts'
import { titleFrom } from '../run/title-from.ts'
import { describedBy } from '../tools/agent.ts'

type Wanted = Omit<InputOf<Commands['comparison.start']>, 'conversationId'>

/**
 * Starts the agents, each in its own worktree made from the same commit: all of them, or none. Fails with `not-possible` (a
 * mode that only reads, no room), `not-trusted`, `unknown-agent`, `denied`, or if a worktree can't be made.
 */
export async function startComparison(
  conversation: Conversation,
  wanted: Wanted,
): Promise<Result<{ readonly comparisonId: string }>> {
  const parent = conversation.agents.main?.agent
  if (!parent) return fail({ type: 'ended', message: 'The conversation is closed.' })
  const refused = whyNot(conversation, parent)
  if (refused !== null) return fail(refused)
  const start = conversation.starts.begin(parent.id)
  const prepared: PreparedStart[] = []
  try {
    for (const attempt of wanted.attempts) {
      const one = await prepareAttempt(conversation, { parent, wanted, attempt, earlier: start.earlier })
      if (one.ok) prepared.push(one.value)
      const problem = one.ok ? problemOf(prepared) : one.failure
      // Checked last, without an await before the spawns.
      const late = problem ?? (prepared.length < wanted.attempts.length ? null : full(conversation, wanted))
      if (late === null) continue
      for (const other of prepared) await discardPrepared(conversation, other)
      return fail({ ...late, message: `No agent was started. ${late.message}` })
    }
    const comparison = begin(conversation, wanted, prepared)
    const saved = await conversation.file.save()
    return saved.ok ? ok({ comparisonId: comparison.id }) : saved
  } finally {
    start.done()
  }
}

function prepareAttempt(
  conversation: Conversation,
  {
    parent,
    wanted: { task },
    attempt: { agent, model },
    earlier,
  }: {
    readonly parent: LiveAgent
    readonly wanted: Wanted
    readonly attempt: Wanted['attempts'][number]
    readonly earlier: Promise<unknown>
  },
): Promise<Result<PreparedStart>> {
  const call = {
    description: describedBy({ prompt: task }),
    prompt: task,
    subagent_type: agent,
    run_in_background: true as const,
    isolation: 'worktree' as const,
    ...(model === null ? {} : { model }),
  }
  const context = userContext(parent, conversation.lifetime.signal)
  return prepareAgent(conversation, { parent, call, context }, { earlier, asksUser: true })
}

/** Logs the agents, then the comparison that names them, and starts them. */
function begin(
  conversation: Conversation,
  { task, command, attempts }: Wanted,
  prepared: readonly PreparedStart[],
): Comparison {
  const { file, ports, agents } = conversation
  const launched = prepared.map((one) => launchAgent(conversation, one))
  const comparison: Comparison = {
    id: `b-${file.record.comparisons.length + 1}`,
    task,
    command,
    base: prepared[0]?.workingFolder.worktree?.base ?? '',
    attempts: prepared.map(({ id, definition }, index) => ({
      agentId: id,
      agent: definition.name,
      model: attempts[index]?.model ?? null,
      check: null,
    })),
    startedAt: ports.clock.now(),
    merged: null,
  }
  file.emit({ type: 'comparison-started', comparison })
  const { record } = file
  if (!record.named && record.title === '')
    file.emit({ type: 'conversation-titled', title: titleFrom([{ type: 'text', text: task }]), named: false })
  agents.main?.agent?.transcript.tell(startText(comparison), {
    note: `You gave this task to ${attempts.length} agents: ${comparison.attempts.map(({ agent }) => agent).join(', ')}.`,
  })
  for (const { handle } of launched) void startSubagent(conversation, handle)
  conversation.publishSummary()
  return comparison
}

/** For the main agent, which may be asked about the attempts later. */
const startText = ({ task, attempts }: Comparison): string =>
  [
    'The user gave one task to several agents, to compare what they do. Each works in its own worktree:',
    ...attempts.map(({ agentId, agent }) => `- ${agent}, id ${agentId}`),
    `The task:\n\n${task}`,
    'This needs nothing from you: do not do the task yourself, and do not merge anything unless the user asks you to. You get no notice when these agents end; you are told when the user merges one.',
  ].join('\n')

interface Refusal {
  readonly type: string
  readonly message: string
}

/** Why the comparison can't start, before anything is created; null: it can. */
function whyNot({ ports, file }: Conversation, parent: LiveAgent): Refusal | null {
  if (!ports.policy.trusted(file.record.folder))
    return {
      type: 'not-trusted',
      message:
        'Not started: each agent gets a git worktree, and you have not trusted this folder yet. Trust it first.',
    }
  const { permissionMode, definition } = parent.state()
  if (permissionMode === 'plan' || definition.readOnly)
    return {
      type: 'not-possible',
      message:
        'Not started: agents can only read here, so there would be nothing to compare. Choose another permission mode.',
    }
  return null
}

/** What is wrong with the agents prepared so far: one that only reads, or another commit than the first one's. */
function problemOf(prepared: readonly PreparedStart[]): Refusal | null {
  const [first] = prepared
  const last = prepared.at(-1)
  if (first === undefined || last === undefined) return null
  if (last.definition.readOnly)
    return {
      type: 'not-possible',
      message: `${last.definition.name} only reads, so it has no work to compare. Choose another agent.`,
    }
  return last.workingFolder.worktree?.base === first.workingFolder.worktree?.base
    ? null
    : {
        type: 'not-possible',
        message:
          'The branch got a new commit while the worktrees were made, so the agents would not start from the same files. Try again.',
      }
}

function full(conversation: Conversation, { attempts }: Wanted): Refusal | null {
  const { ports, agents } = conversation
  if (conversation.lifetime.signal.aborted) return { type: 'ended', message: 'The conversation was closed.' }
  const { maxAgents } = ports.policy
  if (agents.size + attempts.length > maxAgents)
    return {
      type: 'not-possible',
      message: `This conversation may have ${maxAgents} agents and has ${agents.size}. Choose fewer, start a new conversation, or raise the limit in the settings.`,
    }
  return null
}
