/** What a new agent will be: its definition, model, tools and prompt, decided before anything is logged. */

import { stableColor } from '../../../shared/agent-definition/agent-color.ts'
import { isAnnounced, whyNotStarted } from '../../../shared/agent-definition/announce-agent.ts'
import {
  type AgentEventDraft,
  type PermissionMode,
  plainSpawn,
  type ToolSchema,
} from '../../../shared/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { digestOfDefinition } from '../definitions/definition-change.ts'
import { buildSystemPrompt } from '../definitions/system-prompt.ts'
import { narrowerMode } from '../permissions/permission-modes.ts'
import type { AgentMemory, FolderFacts, LoadedDefinition, LoadedSkill, ModelCatalog } from '../ports.ts'
import { toolSchemaOf } from '../tools/tool-schema.ts'
import { type AgentToolsDeps, type Offers, toolsFor } from './agent-tools.ts'
import type { AgentTools } from './live-agent.ts'

/** The limit where neither the definition nor the call says one. */
const DEFAULT_MAX_TURNS = 100

export interface AgentPlanInput {
  readonly conversationId: string
  readonly definition: LoadedDefinition
  /** For the descriptions of the tools that start and load. */
  readonly offers: Offers
  /** Those its definition names, as far as they are there. */
  readonly skills: readonly LoadedSkill[]
  /** Folders elsewhere that it may read, links resolved. */
  readonly readFolders: readonly string[]
  readonly memory: AgentMemory
  readonly parent: {
    readonly id: string
    readonly toolUseId: string
    readonly depth: number
    readonly model: string
    readonly permissionMode: PermissionMode
    readonly readOnly: boolean
  } | null
  /** Whether a definition is only tried out: a main agent with the tools and the mode of a subagent. */
  readonly scratch: boolean
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

export interface PlanDeps extends AgentToolsDeps {
  readonly models: ModelCatalog
}

export function planAgent(input: AgentPlanInput, deps: PlanDeps): AgentPlan {
  const { parent, scratch, offers } = input
  // What only reads starts nothing that writes.
  const readOnly = input.definition.readOnly || parent?.readOnly === true
  const definition = { ...input.definition, readOnly }
  const depth = parent !== null ? parent.depth + 1 : scratch ? 1 : 0
  const resolved = toolsFor(definition, { depth, offers }, deps)
  const { tools, blocked, agentTypes, deniedAgentTypes, rules } = resolved
  const schemas = tools.map((tool): ToolSchema => toolSchemaOf(tool))
  const limits = [input.maxTurns, definition.maxTurns].filter((limit) => limit !== null)
  // In the foreground an agent that bubbles asks like any other.
  const declaredMode = definition.permissionMode === 'bubble' ? 'default' : definition.permissionMode
  const wantedMode = declaredMode ?? input.permissionMode
  const mostMode = parent?.permissionMode ?? (scratch ? input.permissionMode : null)
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
        readOnly,
        oneShot: definition.oneShot,
        reminder: definition.reminder,
        agentTypes: agentTypes === null ? null : [...agentTypes],
        deniedAgentTypes: [...deniedAgentTypes],
        readFolders: [...input.readFolders],
        writeFolders: input.memory.folder === null ? [] : [input.memory.folder],
        memory: definition.memory,
        omitProjectInstructions: definition.omitProjectInstructions,
        rules: { denied: [...rules.denied], only: [...rules.only] },
        refused: [],
        digest: digestOfDefinition(input.definition),
      },
      task: input.task,
      model: modelFor(input, deps.models),
      system: buildSystemPrompt({
        definition,
        skills: input.skills,
        facts: input.facts,
        memory: input.memory,
        cwd: input.folder,
        date: input.date,
      }),
      tools: schemas,
      permissionMode: mostMode === null ? wantedMode : narrowerMode(mostMode, wantedMode),
      cwd: input.folder,
      maxTurns: limits.length > 0 ? Math.min(...limits) : DEFAULT_MAX_TURNS,
      depth,
      ...plainSpawn,
      instructions: input.memory.files.map(({ text: _, ...file }) => file),
    },
  }
}

function modelFor(input: AgentPlanInput, models: ModelCatalog): string {
  const declared = input.definition.model
  // What is tried out has its own model; a main agent has the conversation's.
  const wanted = input.scratch && declared !== 'inherit' ? declared : (input.model ?? declared)
  if (wanted !== 'inherit') return models.resolve(wanted)
  return input.parent?.model ?? models.resolve('sonnet')
}

/** The definition of that name or alias, case ignored, if an agent can be started from it. The failure says why not, or what there is. */
export function findDefinition(
  definitions: readonly LoadedDefinition[],
  name: string,
): Result<LoadedDefinition> {
  const wanted = name.trim().toLowerCase()
  const found =
    definitions.find((definition) => definition.name.toLowerCase() === wanted) ??
    definitions.find((definition) => definition.aliases.some((alias) => alias.toLowerCase() === wanted))
  if (found) {
    const reason = whyNotStarted(found)
    return reason === null ? ok(found) : fail({ type: 'not-startable', message: reason })
  }
  const offered = definitions.filter(isAnnounced).map((definition) => definition.name)
  return fail({
    type: 'unknown-agent',
    message: `There is no agent "${name}". Available: ${offered.join(', ')}.`,
  })
}
