/** What a new agent will be: its definition, model, tools and prompt, decided before anything is logged. */

import { stableColor } from '../../../shared/agent-definition/agent-color.ts'
import { isAnnounced } from '../../../shared/agent-definition/announce-agent.ts'
import type {
  AgentEventDraft,
  DefinitionSnapshot,
  PermissionMode,
  SpendLimits,
  ToolSchema,
} from '../../../shared/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { AgentWorktree } from '../../../shared/worktree.ts'
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
  /** Skills that its definition names and that are not there. */
  readonly missingSkills: readonly string[]
  readonly parent: {
    readonly id: string
    readonly toolUseId: string
    readonly depth: number
    readonly model: string
    readonly permissionMode: PermissionMode
    readonly readOnly: boolean
  } | null
  /** What a fork begins with: its parent's messages, tools and prompt, to the letter. Null: it is none. */
  readonly fork: {
    readonly agentId: string
    readonly seq: number
    readonly system: string
    readonly tools: readonly ToolSchema[]
  } | null
  readonly background: boolean
  /** By which other agents write to it. */
  readonly name: string | null
  readonly limits: SpendLimits
  /** Whether a definition is only tried out: a main agent with the tools and the mode of a subagent. */
  readonly scratch: boolean
  readonly task: string
  /** What the call asks for: it goes before the definition's. */
  readonly model: string | null
  readonly maxTurns: number | null
  readonly permissionMode: PermissionMode
  /** Its folder, in the worktree where it has one. */
  readonly folder: string
  readonly worktree: AgentWorktree | null
  readonly facts: FolderFacts
  /** YYYY-MM-DD. */
  readonly date: string
}

export interface AgentPlan extends AgentTools {
  readonly spawn: Extract<AgentEventDraft, { type: 'agent-spawned' }>
  /** What a person should know of how it was started. */
  readonly warnings: readonly string[]
}

export interface PlanDeps extends AgentToolsDeps {
  readonly models: ModelCatalog
}

export function planAgent(input: AgentPlanInput, deps: PlanDeps): AgentPlan {
  const { parent, scratch, offers, fork, background } = input
  // What only reads starts nothing that writes.
  const readOnly = input.definition.readOnly || parent?.readOnly === true
  const definition = { ...input.definition, readOnly }
  const depth = parent !== null ? parent.depth + 1 : scratch ? 1 : 0
  const resolved = toolsFor(definition, { depth, offers, background }, deps)
  const { agentTypes, deniedAgentTypes, rules } = resolved
  const refused = fork === null ? [] : refusedTools(fork.tools, resolved)
  const tools = resolved.tools.filter(({ name }) => !refused.some(({ tool }) => tool === name))
  // A fork has its parent's prompt: of its own are only its notes.
  const toldAtStart = input.memory.files.filter(({ scope }) => fork === null || scope === 'agent')
  const limits = [input.maxTurns, definition.maxTurns].filter((limit) => limit !== null)
  // In the foreground an agent that bubbles asks like any other.
  const declaredMode = definition.permissionMode === 'bubble' ? 'default' : definition.permissionMode
  const wantedMode = declaredMode ?? input.permissionMode
  const mostMode = parent?.permissionMode ?? (scratch ? input.permissionMode : null)
  return {
    tools,
    blocked: fork === null ? resolved.blocked : refused,
    warnings: warningsOn(input, deps.models),
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
        refused,
        digest: digestOfDefinition(input.definition),
      },
      task: input.task,
      model: modelFor(input, deps.models),
      system:
        fork?.system ??
        buildSystemPrompt({
          ...input,
          definition,
          // Siblings in worktrees of their own share their prefix too: each hears of its folder with its task.
          cwd: input.worktree?.own ? null : input.folder,
          facts: input.worktree
            ? { ...input.facts, gitBranch: input.worktree.own ? null : input.worktree.branch }
            : input.facts,
          toolNames: tools.map(({ name }) => name),
        }),
      tools: [...(fork?.tools ?? tools.map((tool): ToolSchema => toolSchemaOf(tool)))],
      permissionMode: mostMode === null ? wantedMode : narrowerMode(mostMode, wantedMode),
      cwd: input.folder,
      maxTurns: limits.length > 0 ? Math.min(...limits) : DEFAULT_MAX_TURNS,
      depth,
      name: input.name,
      background,
      bubbles: background && definition.permissionMode === 'bubble',
      inherits: fork === null ? null : { agentId: fork.agentId, seq: fork.seq },
      limits: input.limits,
      worktree: input.worktree,
      instructions: toldAtStart.map(({ text: _, ...file }) => file),
    },
  }
}

/** A fork is told of its parent's tools, so that the cached prefix stays the same; what is not its own is refused. */
function refusedTools(
  told: readonly ToolSchema[],
  { tools, blocked }: Pick<AgentTools, 'tools' | 'blocked'>,
): DefinitionSnapshot['refused'] {
  return told.flatMap(({ name }) => {
    if (name === 'Agent') return [{ tool: name, because: 'a fork starts no agents' }]
    if (tools.some((tool) => tool.name === name)) return []
    const because = blocked.find(({ tool }) => tool === name)?.because ?? 'it is not among your tools'
    return [{ tool: name, because }]
  })
}

function warningsOn(
  { fork, parent, model, definition, missingSkills, memory }: AgentPlanInput,
  models: ModelCatalog,
): readonly string[] {
  const asked = model ?? definition.model
  const other =
    fork !== null && parent !== null && asked !== 'inherit' && models.resolve(asked) !== parent.model
  return [
    ...missingSkills.map((name) => `There is no skill ${name}, so its text is not in the prompt.`),
    ...(other ? [`A fork runs on its parent’s model; ${asked} was asked for.`] : []),
    ...(fork === null || definition.memory !== null ? memory.problems : []),
  ]
}

function modelFor(input: AgentPlanInput, models: ModelCatalog): string {
  if (input.fork !== null && input.parent !== null) return input.parent.model
  const declared = input.definition.model
  // What is tried out has its own model; a main agent has the conversation's.
  const wanted = input.scratch && declared !== 'inherit' ? declared : (input.model ?? declared)
  if (wanted !== 'inherit') return models.resolve(wanted)
  return input.parent?.model ?? models.resolve('sonnet')
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
  const offered = definitions.filter(isAnnounced).map((definition) => definition.name)
  return fail({
    type: 'unknown-agent',
    message: `There is no agent "${name}". Available: ${offered.join(', ')}.`,
  })
}
