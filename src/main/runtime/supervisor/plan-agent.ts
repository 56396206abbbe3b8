/** What a new agent will be: its definition, model, tools and prompt, decided before anything is logged. */

import { stableColor } from '../../../shared/agent-definition/agent-color.ts'
import { resolveTools, type ToolResolution } from '../../../shared/agent-definition/resolve-tools.ts'
import type { AgentEventDraft, EventOf, PermissionMode, ToolSchema } from '../../../shared/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { describeAgentTool } from '../definitions/agent-tool-description.ts'
import { buildSystemPrompt } from '../definitions/system-prompt.ts'
import { narrowerMode } from '../permissions/permission-modes.ts'
import type { FolderFacts, LoadedDefinition, ModelCatalog } from '../ports.ts'
import type { AnyTool } from '../tool.ts'
import { type AgentToolDeps, createAgentTool } from '../tools/agent.ts'
import { toolSchemaOf } from '../tools/tool-schema.ts'
import type { AgentTools } from './live-agent.ts'

/** The limit where neither the definition nor the call says one. */
const DEFAULT_MAX_TURNS = 100

export interface AgentPlanInput {
  readonly conversationId: string
  readonly definition: LoadedDefinition
  /** All that are loaded, for the Agent tool's description. */
  readonly definitions: readonly LoadedDefinition[]
  readonly parent: {
    readonly id: string
    readonly toolUseId: string
    readonly depth: number
    readonly model: string
    readonly permissionMode: PermissionMode
  } | null
  readonly task: string
  /** What the call asks for: it goes before the definition's. */
  readonly model: string | null
  readonly maxTurns: number | null
  readonly permissionMode: PermissionMode
  readonly folder: string
  readonly facts: FolderFacts
  /** YYYY-MM-DD. */
  readonly date: string
}

export interface AgentPlan extends AgentTools {
  readonly spawn: Extract<AgentEventDraft, { type: 'agent-spawned' }>
}

export interface PlanDeps {
  readonly models: ModelCatalog
  readonly baseTools: readonly AnyTool[]
  readonly startAgent: AgentToolDeps['start']
}

export function planAgent(input: AgentPlanInput, deps: PlanDeps): AgentPlan {
  const { definition, parent } = input
  const depth = parent === null ? 0 : parent.depth + 1
  const { tools, blocked, agentTypes, rules } = toolsFor(definition, depth, input.definitions, deps)
  const schemas = tools.map((tool): ToolSchema => toolSchemaOf(tool))
  const limits = [input.maxTurns, definition.maxTurns].filter((limit) => limit !== null)
  // In the foreground an agent that bubbles asks like any other.
  const declaredMode = definition.permissionMode === 'bubble' ? 'default' : definition.permissionMode
  const wantedMode = declaredMode ?? input.permissionMode
  return {
    tools,
    blocked,
    spawn: {
      type: 'agent-spawned',
      conversationId: input.conversationId,
      parentId: parent?.id ?? null,
      parentToolUseId: parent?.toolUseId ?? null,
      definition: {
        name: definition.name,
        source: definition.source,
        file: definition.file,
        // The main agent is not one among others: it has no hue.
        color: parent === null ? 'neutral' : stableColor(definition.color, definition.name),
        readOnly: definition.readOnly,
        oneShot: definition.oneShot,
        reminder: definition.reminder,
        agentTypes: agentTypes === null ? null : [...agentTypes],
        rules: { denied: [...rules.denied], only: [...rules.only] },
      },
      task: input.task,
      model: modelFor(input, deps.models),
      system: buildSystemPrompt({ definition, facts: input.facts, cwd: input.folder, date: input.date }),
      tools: schemas,
      permissionMode: parent === null ? wantedMode : narrowerMode(parent.permissionMode, wantedMode),
      cwd: input.folder,
      maxTurns: limits.length > 0 ? Math.min(...limits) : DEFAULT_MAX_TURNS,
      depth,
    },
  }
}

/** The tools a definition really has, as objects that run. */
function toolsFor(
  definition: LoadedDefinition,
  depth: number,
  definitions: readonly LoadedDefinition[],
  deps: PlanDeps,
): AgentTools & Pick<ToolResolution, 'agentTypes' | 'rules'> {
  const all = [...deps.baseTools.map((tool) => tool.name), 'Agent']
  const namesOf = (other: LoadedDefinition) =>
    resolveTools(other, { tools: all, depth: depth + 1 }).allowed
  const { allowed, blocked, agentTypes, rules } = resolveTools(definition, {
    tools: all,
    depth,
  })
  const offered = definitions.filter((other) => mayStart(agentTypes, other))
  const agentTool = createAgentTool({
    description: describeAgentTool(offered, namesOf),
    start: deps.startAgent,
  })
  return {
    tools: [...deps.baseTools, agentTool as AnyTool].filter((tool) => allowed.includes(tool.name)),
    blocked,
    agentTypes,
    rules,
  }
}

/** Whether an agent whose definition names these types may start that one. */
export function mayStart(
  agentTypes: readonly string[] | null,
  { name, aliases }: Pick<LoadedDefinition, 'name' | 'aliases'>,
): boolean {
  if (agentTypes === null) return true
  const wanted = agentTypes.map((type) => type.toLowerCase())
  return [name, ...aliases].some((known) => wanted.includes(known.toLowerCase()))
}

function modelFor(input: AgentPlanInput, models: ModelCatalog): string {
  const wanted = input.model ?? input.definition.model
  if (wanted !== 'inherit') return models.resolve(wanted)
  return input.parent?.model ?? models.resolve('sonnet')
}

/** The tools of an agent whose log is opened again: those it was told of at its spawn, in the words of then. */
export function toolsOf(spawned: EventOf<'agent-spawned'>, deps: PlanDeps): AgentTools {
  const description = spawned.tools.find((tool) => tool.name === 'Agent')?.description ?? ''
  const agentTool = createAgentTool({ description, start: deps.startAgent })
  const told = new Set(spawned.tools.map((tool) => tool.name))
  return {
    tools: [...deps.baseTools, agentTool as AnyTool].filter((tool) => told.has(tool.name)),
    blocked: [],
  }
}

/** The definition of that name or alias, case ignored. The failure says what there is. */
export function findDefinition(
  definitions: readonly LoadedDefinition[],
  name: string,
): Result<LoadedDefinition> {
  const wanted = name.trim().toLowerCase()
  const found =
    definitions.find((definition) => definition.name.toLowerCase() === wanted) ??
    definitions.find((definition) => definition.aliases.some((alias) => alias.toLowerCase() === wanted))
  if (found) return ok(found)
  const offered = definitions.filter((definition) => !definition.hidden).map((definition) => definition.name)
  return fail({
    type: 'unknown-agent',
    message: `There is no agent "${name}". Available: ${offered.join(', ')}.`,
  })
}
