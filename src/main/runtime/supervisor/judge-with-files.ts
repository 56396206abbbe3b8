/** Has a subagent judge for an interceptor: it reads and searches files, asks nobody, and ends with its verdict. */
import { plainDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { stopOf } from '../agent-stop.ts'
import { JUDGE, type Judgment } from '../interceptors.ts'
import type { LoadedDefinition } from '../ports.ts'
import { sharedWorkingFolder } from './agent-worktree.ts'
import type { Conversation } from './conversation.ts'
import { planAgent } from './plan-agent.ts'
import { startSubagent } from './run-agents.ts'
import { promptChild } from './run-child.ts'
import { whyNoMore } from './start-checks.ts'

const TASK = 'Judge for a hook'
const MOST_TURNS = 50

const definition = (prompt: string, model: string | undefined): LoadedDefinition => ({
  ...plainDefinition(JUDGE, 'Judges for a hook.'),
  ...{ source: 'built-in', file: null, color: 'gray', prompt, model: model ?? 'haiku' },
  tools: ['Read', 'Glob', 'Grep'],
  readOnly: true,
  hidden: true,
  oneShot: true,
  omitProjectInstructions: true,
})

/** Fails if no more agents may run, or if the judge ended without an answer. */
export async function judgeWithFiles(
  conversation: Conversation,
  { agentId, question }: { readonly agentId: string; readonly question: Judgment },
  signal: AbortSignal,
): Promise<Result<string>> {
  const { agents, ports, spawning } = conversation
  const parent = agents.get(agentId)?.agent
  if (!parent) return fail({ type: 'ended', message: 'The agent has ended.' })
  const judge = definition(question.system, question.model)
  const input = await spawning.planInput(judge, await spawning.catalog())
  const { folder, worktree } = sharedWorkingFolder(conversation, parent)
  const { id, depth, model, effort, thinking, permissionMode, status } = parent.state()
  const mode = { permissionMode, neverAsks: true }
  const plan = planAgent(
    {
      ...{ ...input, folder, worktree, mode },
      color: conversation.colors.next(judge),
      parent: { id, toolUseId: null, depth, model, effort, thinking, mode, readOnly: true },
      scratch: false,
      background: false,
      limits: ports.policy.limits.agent,
      task: TASK,
      ...{ model: null, effort: null, thinking: null, maxTurns: MOST_TURNS },
    },
    spawning.planDeps,
  )
  const refusal = plan.obstacle ?? whyNoMore(conversation, parent)
  if (refusal !== null) return fail({ type: 'full', message: refusal })
  if (signal.aborted) return fail({ type: 'aborted', message: 'The agent was stopped.' })
  const { handle, agent } = conversation.spawn(ports.ids.next('a'), plan)
  promptChild(conversation, agent, question.text)
  const stop = () => handle.stop(stopOf(signal))
  signal.addEventListener('abort', stop, { once: true })
  try {
    const run = startSubagent(conversation, handle)
    // An agent that works gives its slot to its judge.
    const ended = await (status === 'running' ? parent.slot.waitFor('children', run) : run)
    if (ended?.end.kind === 'answered') return ok(ended.end.text)
    const why = ended?.end.kind === 'failed' ? ended.end.message : 'It was stopped.'
    return fail({ type: 'no-verdict', message: `The judge gave no verdict. ${why}` })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
