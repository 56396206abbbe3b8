/** Prepares a new agent: chooses its definition, makes its worktree, and plans it. Nothing of the agent is logged yet. */
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { BackingKind, WorkerPlatform } from '../../../shared/teams/team-schema.ts'
import { type FolderCatalog, mayStart } from '../agent/agent-tools.ts'
import { ownWorkingFolder, sharedWorkingFolder, type WorkingFolder } from '../agent/agent-worktree.ts'
import { findDefinition } from '../agent/find-definition.ts'
import { forkDefinition } from '../agent/fork.ts'
import { planAgent, type SpawnPlan } from '../agent/plan-agent.ts'
import type { PlanParent } from '../agent/plan-input.ts'
import { catalogOf, hasWorktrees, planDepsOf, planInputOf } from '../agent/spawn-context.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import { parseRules, ruleForName } from '../permissions/permission-rule.ts'
import { forbiddenByRule } from '../permissions/refusals.ts'
import type { LoadedDefinition } from '../ports/definitions.ts'
import type { ToolContext } from '../ports/tool.ts'
import type { AgentCall } from '../tools/agent.ts'
import type { Calling } from './run-child.ts'
import { whyNoMore } from './start-checks.ts'

/** A new agent before its first event: only its worktree exists. */
export interface PreparedStart {
  readonly id: string
  readonly calling: Calling
  readonly plan: SpawnPlan
  readonly definition: LoadedDefinition
  readonly input: Awaited<ReturnType<typeof planInputOf>>
  readonly workingFolder: WorkingFolder
}

/** A new agent that becomes a member of a team. */
export interface Membership {
  readonly teamId: string
  readonly backing: BackingKind
  /** The system that a remote worker must run; missing: any. */
  readonly platform?: WorkerPlatform
}

interface PrepareOptions {
  /** The starts before this one. */
  readonly earlier: Promise<unknown>
  readonly member?: Membership | undefined
  /** Whether the agent asks the user from the background, whatever its definition says. */
  readonly asksUser?: boolean
}

/**
 * Chooses the definition, makes the worktree and plans the agent. Fails with `unknown-agent`, `denied`, `full`, `no-tools`,
 * or if the worktree can't be made.
 */
export async function prepareAgent(
  conversation: Conversation,
  calling: Calling,
  { earlier, member, asksUser = false }: PrepareOptions,
): Promise<Result<PreparedStart>> {
  const { parent, call, context } = calling
  const { policy, ids } = conversation.ports
  const id = ids.next('a')
  const catalog = await catalogOf(conversation)
  const found = definitionFor(calling, { catalog, forksByDefault: policy.forkSubagents })
  if (!found.ok) return found
  const definition = found.value
  const { deny } = await conversation.ports.rules.of(parent.session.project)
  const denied = ruleForName(parseRules(deny), 'Agent', definition.name)
  if (denied) return fail({ type: 'denied', message: forbiddenByRule({ ...denied, isOfUser: true }) })
  const held = whyNoProgram(conversation, calling, { definition, member })
  if (held !== null) return fail({ type: 'denied', message: held })
  const color = conversation.colors.next({ id, parentId: parent.id, wanted: definition.color })
  const { lastAnswerSeq } = parent.transcript.history
  // The result of a skill is its report, so the call waits for it.
  const background = (definition.background && call.skill === undefined) || call.run_in_background === true
  const input = await planInputOf(conversation, definition, catalog)
  const chosen = await workingFolderFor(conversation, calling, { definition, childId: id, color, member })
  if (!chosen.ok) {
    conversation.colors.release(id)
    return chosen
  }
  const workingFolder = chosen.value
  await earlier
  // Read the parent's state only now: its mode may have been narrowed while the worktree was created.
  const plan = planAgent(
    {
      ...input,
      ...(call.skill && {
        readFolders: [...input.readFolders, call.skill.folder],
        allowed: [...(input.allowed ?? []), ...call.skill.allowed],
      }),
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
      asksUser,
      name: call.name ?? null,
      limits: policy.limits[background ? 'background' : 'agent'],
      task: call.description,
      model: call.model ?? null,
      effort: call.effort ?? null,
      thinking: call.thinking ?? null,
      maxTurns: call.max_turns ?? null,
      mode: parent.state(),
      folder: workingFolder.folder,
      worktree: workingFolder.worktree,
      ...member,
    },
    planDepsOf(conversation),
  )
  const prepared = { id, calling, plan, definition, input, workingFolder }
  if (plan.obstacle === null) return ok(prepared)
  await discardPrepared(conversation, prepared)
  return fail({ type: 'no-tools', message: plan.obstacle })
}

/** Why an external agent can't carry out this agent here: it can't be limited to reading. Null: it can. */
function whyNoProgram(
  { ports }: Conversation,
  { parent }: Calling,
  { definition, member }: { readonly definition: LoadedDefinition; readonly member?: Membership | undefined },
): string | null {
  if (definition.program === undefined) return null
  const { name } = definition
  if (member !== undefined)
    return `Not started: ${name} is an external agent, which can't be a member of a team. Start it with the Agent tool, without team_name.`
  if (!ports.policy.trusted(parent.session.project))
    return `Not started: ${name} is an external agent, which can't be held to reading, and the user does not trust this folder.`
  const isReadOnly = parent.state().definition.readOnly || parent.state().permissionMode === 'plan'
  return isReadOnly
    ? `Not started: you may only read, and ${name} is an external agent, which can't be held to that. Use another agent.`
    : null
}

/** Removes the worktree of an agent that will not start. */
export async function discardPrepared(
  { ports, colors }: Conversation,
  { id, workingFolder: { worktree } }: PreparedStart,
): Promise<void> {
  colors.release(id)
  if (worktree?.own) await ports.worktrees.release(worktree)
}

function planParentOf(parent: LiveAgent, toolUseId: string): PlanParent {
  const state = parent.state()
  const { id, depth, model, effort, thinking, definition } = state
  return { id, toolUseId, depth, model, effort, thinking, mode: state, readOnly: definition.readOnly }
}

/** Fails with `full`, or if the worktree can't be created. */
async function workingFolderFor(
  conversation: Conversation,
  { parent, call, context }: Calling,
  {
    definition,
    childId,
    color,
    member,
  }: {
    readonly definition: LoadedDefinition
    readonly childId: string
    readonly color: string
    readonly member?: Membership | undefined
  },
): Promise<Result<WorkingFolder>> {
  // The work of another machine returns as a branch.
  const isAsked = (call.isolation ?? definition.isolation) === 'worktree' || member?.backing === 'remote'
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
  conversation: Conversation,
  parent: LiveAgent,
  definition: LoadedDefinition,
): Promise<boolean> {
  const { coordinator, phases } = conversation.file.record
  if (!coordinator || !conversation.agents.isMain(parent.id) || phases.at(-1)?.phase !== 'implementation')
    return false
  if (definition.readOnly || definition.forkContext) return false
  return hasWorktrees(conversation)
}

/**
 * The name of the definition that an Agent call uses. An alias is resolved only if a rule asks about some type: agents
 * start in the order of their calls, and reading the definitions takes a while. Denied types are refused later.
 */
export async function agentTypeOf(
  conversation: Conversation,
  call: Pick<AgentCall, 'subagent_type' | 'resume'>,
  { agentId }: Pick<ToolContext, 'agentId'>,
): Promise<string> {
  const { rules, policy } = conversation.ports
  if (call.resume !== undefined) return conversation.agents.find(call.resume)?.definition.name ?? ''
  const parent = conversation.agents.get(agentId)?.agent
  const given = call.subagent_type ?? ''
  if (
    !parent ||
    parseRules((await rules.of(parent.session.project)).ask).every(({ tool }) => tool !== 'Agent')
  )
    return given
  const catalog = await catalogOf(conversation)
  const found = definitionFor({ parent, call }, { catalog, forksByDefault: policy.forkSubagents })
  return found.ok ? found.value.name : given
}

/** Fails with `unknown-agent`; the message lists the available ones. */
export function definitionFor(
  { parent, call }: { readonly parent: LiveAgent; readonly call: Pick<AgentCall, 'subagent_type'> },
  { catalog, forksByDefault }: { readonly catalog: FolderCatalog; readonly forksByDefault: boolean },
): Result<LoadedDefinition> {
  if (call.subagent_type === undefined && forksByDefault) return ok(forkDefinition)
  const definitions = catalog.definitions.filter((other) => mayStart(parent.state().definition, other))
  return findDefinition({ ...catalog, definitions }, call.subagent_type ?? 'general-purpose')
}
