/** Carries out an Agent call: starts a new agent, or resumes one. */
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { LoadedDefinition } from '../ports.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../tool.ts'
import type { AgentCall } from '../tools/agent.ts'
import { countOf } from '../tools/amounts.ts'
import type { AgentHandle } from './agent-handle.ts'
import { type FolderCatalog, mayStart } from './agent-tools.ts'
import { ownWorkingFolder, sharedWorkingFolder, type WorkingFolder } from './agent-worktree.ts'
import type { Conversation } from './conversation.ts'
import { forkDefinition, forkEvents } from './fork.ts'
import type { LiveAgent } from './live-agent.ts'
import { type AgentPlan, findDefinition, type PlanParent, planAgent } from './plan-agent.ts'
import { titleOf } from './report.ts'
import { resumeAgent } from './resume-agent.ts'
import { type Calling, promptChild, runChild } from './run-child.ts'
import type { Start } from './start-order.ts'

/** A failure is an outcome that says what went wrong, and how far the agent came. */
export async function callAgent(
  conversation: Conversation,
  call: AgentCall,
  context: ToolContext,
): Promise<ToolOutcome> {
  const parent = conversation.agents.get(context.agentId)?.agent
  if (!parent) return toolError('The calling agent no longer exists.')
  return call.resume === undefined
    ? startNew(conversation, { parent, call, context })
    : resumeAgent(conversation, { parent, call: { ...call, resume: call.resume }, context })
}

async function startNew(conversation: Conversation, calling: Calling): Promise<ToolOutcome> {
  const start = conversation.starts.begin(calling.parent.id)
  try {
    return await startInOrder(conversation, calling, start)
  } finally {
    start.done()
  }
}

async function startInOrder(
  conversation: Conversation,
  calling: Calling,
  { earlier, done }: Start,
): Promise<ToolOutcome> {
  const { parent, call, context } = calling
  const { policy, ids, worktrees } = conversation.ports
  const childId = ids.next('a')
  const catalog = await conversation.spawning.catalog()
  const found = definitionFor(calling, { catalog, forksByDefault: policy.forkSubagents })
  if (!found.ok)
    return toolError(
      found.failure.message,
      found.failure.type === 'unknown-agent' ? 'unknown agent' : 'not started',
    )
  const definition = found.value
  const color = conversation.colors.next(definition)
  const { lastAnswerSeq } = parent.transcript.history
  const background = definition.background || call.run_in_background === true
  const input = await conversation.spawning.planInput(definition, catalog)
  const chosen = await workingFolderFor(conversation, calling, { definition, childId, color })
  if (!chosen.ok)
    return toolError(chosen.failure.message, chosen.failure.type === 'full' ? 'limit reached' : 'no worktree')
  const workingFolder = chosen.value
  await earlier
  // Read the parent's state only now: its mode may have been narrowed while the worktree was created.
  const plan = planAgent(
    {
      ...input,
      color,
      parent: planParentOf(parent, context.toolUseId),
      fork:
        definition.forkContext && lastAnswerSeq !== null
          ? {
              agentId: parent.id,
              seq: lastAnswerSeq,
              system: parent.prompt.system,
              tools: parent.prompt.toolSchemas,
            }
          : null,
      scratch: false,
      background,
      name: call.name ?? null,
      limits: policy.limits[background ? 'background' : 'agent'],
      task: call.description,
      model: call.model ?? null,
      maxTurns: call.max_turns ?? null,
      mode: parent.state(),
      folder: workingFolder.folder,
      worktree: workingFolder.worktree,
    },
    conversation.spawning.planDeps,
  )
  // Checked last, without an await before the spawn: calls run in parallel.
  const full = whyNoMore(conversation, parent)
  const taken = whyNotNamed(conversation, call.name)
  if (context.signal.aborted || full !== null || taken !== null) {
    if (workingFolder.worktree?.own) await worktrees.release(workingFolder.worktree)
    if (full !== null) return toolError(full, 'limit reached')
    return taken === null
      ? toolError('Stopped before the agent was started.', 'stopped')
      : toolError(taken, 'name taken')
  }
  const { handle, agent } = spawnChild(conversation, calling, {
    childId,
    plan,
    definition,
    input,
    workingFolder,
  })
  promptChild(conversation, agent, call.prompt)
  const running = runChild(conversation, calling, { handle, agent, background })
  done()
  const outcome = await running
  const { forParent } = workingFolder
  return forParent ? { ...outcome, content: `${outcome.content}\n${forParent}` } : outcome
}

/** Spawns the child, with the first events of a fork and with the text about its folder. */
function spawnChild(
  conversation: Conversation,
  { parent, context }: Calling,
  {
    childId,
    plan,
    definition,
    input,
    workingFolder,
  }: {
    readonly childId: string
    readonly plan: AgentPlan
    readonly definition: LoadedDefinition
    readonly input: Awaited<ReturnType<Conversation['spawning']['planInput']>>
    readonly workingFolder: WorkingFolder
  },
): { readonly handle: AgentHandle; readonly agent: LiveAgent } {
  const isFork = plan.spawn.inherits !== null
  const start = isFork
    ? { history: parent.transcript.history.fork(definition.reminder), seen: parent.session.seen }
    : {}
  const spawned = conversation.spawn(childId, plan, start)
  const { agent } = spawned
  for (const text of workingFolder.notices) agent.emit({ type: 'notice', level: 'info', text })
  if (isFork)
    for (const event of forkEvents({
      parent,
      toolUseId: context.toolUseId,
      definition,
      memory: input.memory,
      skills: input.skills,
      toolNames: plan.toolNames,
      maxTurns: plan.spawn.maxTurns,
      messageId: conversation.ports.ids.next('m'),
    }))
      agent.emit(event)
  if (workingFolder.message !== null) agent.transcript.tell(workingFolder.message)
  const refused = isFork ? [] : plan.spawn.definition.refused.map(({ tool }) => tool)
  if (refused.length > 0)
    agent.transcript.tell(
      `You work in the background, where calls of these tools are refused: ${refused.join(', ')}.`,
    )
  return spawned
}

function planParentOf(parent: LiveAgent, toolUseId: string): PlanParent {
  const state = parent.state()
  const { id, depth, model, definition } = state
  return { id, toolUseId, depth, model, mode: state, readOnly: definition.readOnly }
}

/** Fails with `full`, or if the worktree can't be created. */
async function workingFolderFor(
  conversation: Conversation,
  { parent, call, context }: Calling,
  {
    definition,
    childId,
    color,
  }: { readonly definition: LoadedDefinition; readonly childId: string; readonly color: string },
): Promise<Result<WorkingFolder>> {
  const isAsked = (call.isolation ?? definition.isolation) === 'worktree'
  if (!isAsked && !(await isolates(conversation, parent, definition)))
    return ok(sharedWorkingFolder(conversation, parent))
  // Checked before anything is created for an agent that can't be started.
  const full = whyNoMore(conversation, parent)
  if (full !== null) return fail({ type: 'full', message: full })
  const task = call.description
  const own = await ownWorkingFolder(
    conversation,
    { parent, agentId: childId, definition, color, task },
    context.signal,
  )
  if (own.ok || isAsked || !IMPOSSIBLE.has(own.failure.type)) return own
  const shared = sharedWorkingFolder(conversation, parent)
  return ok({
    ...shared,
    forParent: `It has no worktree and writes in ${shared.folder}: ${own.failure.message} Start agents with files in common one after another.`,
  })
}

/** Failures that every worktree here would have. */
const IMPOSSIBLE: ReadonlySet<string> = new Set(['no-commits', 'not-a-repository'])

/** Whether a coordinator's agent gets a worktree that nobody asked for: in the implementation phase, if it can write. */
async function isolates(
  { file, agents, spawning }: Conversation,
  parent: LiveAgent,
  definition: LoadedDefinition,
): Promise<boolean> {
  const { coordinator, phases } = file.record
  if (!coordinator || !agents.isMain(parent.id) || phases.at(-1)?.phase !== 'implementation') return false
  if (definition.readOnly || definition.forkContext) return false
  return await spawning.hasWorktrees()
}

function definitionFor(
  { parent, call }: Calling,
  { catalog, forksByDefault }: { readonly catalog: FolderCatalog; readonly forksByDefault: boolean },
): Result<LoadedDefinition> {
  if (call.subagent_type === undefined && forksByDefault) return ok(forkDefinition)
  const definitions = catalog.definitions.filter((other) => mayStart(parent.state().definition, other))
  return findDefinition({ ...catalog, definitions }, call.subagent_type ?? 'general-purpose')
}

/** Why an agent can't have this name, or null. Two agents of one name could not be distinguished. */
function whyNotNamed({ agents }: Conversation, name: string | undefined): string | null {
  if (name === undefined) return null
  if (/^(?:main|parent)$/i.test(name))
    return `Not started: the name "${name}" is reserved. Choose another name.`
  const holder = agents.find(name)
  return holder === null
    ? null
    : `Not started: the name "${name}" belongs to the agent ${holder.id} (${titleOf(holder)}). Choose another name, or write to that agent.`
}

/** Why no more agents can be started, or null. */
function whyNoMore({ agents, ports }: Conversation, parent: LiveAgent): string | null {
  const { maxAgents } = ports.policy
  if (agents.size >= maxAgents)
    return `This conversation has reached its limit of ${countOf(maxAgents, 'agent')}, so no more can be started. Do the rest yourself, or ask the user to raise the limit in the settings.`
  const { spawns } = parent.state().limits
  const started = agents.states().filter(({ parentId }) => parentId === parent.id).length
  return spawns !== null && started >= spawns
    ? `You have started ${countOf(spawns, 'agent')}, which is your limit. Do the rest yourself, and say in your report what is left.`
    : null
}
