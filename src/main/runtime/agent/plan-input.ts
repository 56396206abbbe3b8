/** What a new agent is planned from, and what follows from it alone: the mode, the model and how the model thinks. */
import type { DefinitionSnapshot, SpendLimits, ToolSchema } from '../../../shared/events/agent-event.ts'
import type { Effort } from '../../../shared/models/effort.ts'
import { withDefaultProvider } from '../../../shared/models/model-provider.ts'
import type { Thinking } from '../../../shared/models/thinking.ts'
import {
  declaredMode,
  type EffectiveMode,
  modeBelow,
  narrowerMode,
} from '../../../shared/permissions/permission-modes.ts'
import type { BackingKind, WorkerPlatform } from '../../../shared/teams/team-schema.ts'
import type { AgentWorktree } from '../../../shared/worktrees/worktree.ts'
import type { FolderPolicy } from '../definitions/permissions-text.ts'
import type {
  AgentMemory,
  FolderFacts,
  GitState,
  LoadedDefinition,
  LoadedSkill,
} from '../ports/definitions.ts'
import type { ModelCatalog } from '../ports/model.ts'
import type { FolderCatalog } from './agent-tools.ts'

/** The agent that starts the new one. */
export interface PlanParent {
  readonly id: string
  /** The Agent call; null: the program started the agent. */
  readonly toolUseId: string | null
  readonly depth: number
  readonly model: string
  readonly effort: Effort | null
  readonly thinking: Thinking | null
  readonly mode: EffectiveMode
  readonly readOnly: boolean
}

export interface PlanInput {
  readonly conversationId: string
  readonly definition: LoadedDefinition
  /** One of the eight color names, or `#hex`; `neutral` for a main agent. */
  readonly color: string
  /** For the descriptions of the Agent and Skill tools. */
  readonly catalog: FolderCatalog
  /** The skills that the definition names and that exist. */
  readonly skills: readonly LoadedSkill[]
  /** Folders outside its own that it may read, links resolved. */
  readonly readFolders: readonly string[]
  /** Permission rules that allow this agent something; missing: none. */
  readonly allowed?: readonly string[]
  /** Tools and rules that a test case denies to all its agents; missing: none. */
  readonly deniedToAll?: readonly string[]
  readonly memory: AgentMemory
  /** Skills that the definition names and that do not exist. */
  readonly missingSkills: readonly string[]
  /** Why servers that the definition describes can't be used, as sentences for the user. */
  readonly serverProblems: readonly string[]
  readonly parent: PlanParent | null
  /** The start of a fork, byte for byte: its parent's messages, tools and prompt. Null: not a fork. */
  readonly fork: {
    readonly agentId: string
    readonly seq: number
    readonly system: string
    readonly tools: readonly ToolSchema[]
  } | null
  readonly background: boolean
  /** Whether it asks the user from the background, whatever its definition says. Missing: no. */
  readonly asksUser?: boolean
  /** The name by which other agents address it. */
  readonly name: string | null
  readonly limits: SpendLimits
  /** Whether a definition is tried out: a main agent with the tools and the mode of a subagent. */
  readonly scratch: boolean
  readonly task: string
  /** Set by the call; overrides the definition's. */
  readonly model: string | null
  /** Set by the call, or by the user for a main agent; overrides the definition's. */
  readonly effort: Effort | null
  readonly thinking: Thinking | null
  readonly maxTurns: number | null
  /** The user's choice for a main agent; it limits every definition. */
  readonly mode: EffectiveMode
  /** Its folder, in its worktree if it has one. */
  readonly folder: string
  readonly worktree: AgentWorktree | null
  /** Where it runs; the runtime of its conversation if missing. */
  readonly backing?: BackingKind
  /** The system that a remote worker must run; missing: any. */
  readonly platform?: WorkerPlatform
  /** The team that it is a member of. */
  readonly teamId?: string | null
  readonly facts: FolderFacts
  readonly policy: FolderPolicy
  /** Only for a main agent. */
  readonly gitState: GitState | null
  /** YYYY-MM-DD. */
  readonly date: string
}

/** The permission mode. A subagent whose definition says nothing keeps its own mode when it takes a changed definition. */
export function modeFor({ definition, parent, mode }: PlanInput): EffectiveMode {
  const above = parent?.mode ?? mode
  return declaredMode(definition.permissionMode) === null
    ? narrowerMode(above, mode)
    : modeBelow(above, definition.permissionMode)
}

/** The id of the model. A fork has its parent's. */
export function modelFor(input: PlanInput, models: ModelCatalog): string {
  if (input.fork !== null && input.parent !== null) return input.parent.model
  const declared = input.definition.model
  // A definition that is tried out uses its own model; a main agent uses the conversation's.
  const wanted = input.scratch && declared !== 'inherit' ? declared : (input.model ?? declared)
  const named = isOpusPlan(wanted) && modeFor(input).permissionMode === 'plan' ? 'opus' : wanted
  if (wanted !== 'inherit') return models.resolve(named, input.parent?.model)
  return input.parent?.model ?? models.resolve('sonnet')
}

/** Opus for planning, Sonnet for the rest. */
const isOpusPlan = (name: string): boolean => /^opusplan(\[1m\])?$/i.test(name.trim())

/** What the user should know about the agent's model before its first turn. */
export function modelWarnings(input: PlanInput, models: ModelCatalog): readonly string[] {
  const { parent, definition } = input
  const model = modelFor(input, models)
  const { provider, tools } = models.facts(model)
  const asked = input.model ?? definition.model
  const isKept = parent !== null && model === parent.model && provider !== undefined
  const isNew = asked !== 'inherit' && model !== parent?.model
  const problem = isNew ? models.problem?.(asked, parent?.model) : null
  return [
    ...(tools === false
      ? [`${model} can’t call tools, so this agent can only answer with text. Choose a model that can.`]
      : []),
    ...(problem ? [problem] : []),
    ...(isOpusPlan(asked) && parent === null
      ? [
          `opusplan: this agent starts ${modeFor(input).permissionMode === 'plan' ? 'in plan mode' : 'outside plan mode'}, so it runs on ${model}. It keeps this model in other modes; choose another with /model.`,
        ]
      : []),
    ...(isKept && asked.startsWith('claude-')
      ? [
          `${provider} has no model ${asked}, so this agent runs on ${model} as its parent does. Write ${withDefaultProvider(asked)} for the main provider.`,
        ]
      : []),
  ]
}

/** A main agent has no model of the conversation: its program's own counts. */
export function programFor(
  { definition, parent, model, effort }: PlanInput,
  program: NonNullable<LoadedDefinition['program']>,
): NonNullable<DefinitionSnapshot['program']> {
  const wanted = (parent === null ? null : model) ?? definition.model
  const wantedEffort = (parent === null ? null : effort) ?? definition.effort
  return {
    ...program,
    args: [...program.args],
    env: { ...program.env },
    ...(wanted !== 'inherit' && { model: wanted }),
    ...(wantedEffort !== null && { effort: wantedEffort }),
  }
}

/** The name of a program without its folder, as the model of its agent until the program says its own. */
export const basenameOf = (command: string): string => command.split(/[\\/]/).at(-1) || command

/** Without a choice of its own, an agent has its parent's effort, and thinks as its parent does. */
export function thoughtFor(input: PlanInput): Pick<PlanInput, 'effort' | 'thinking'> {
  const { fork, parent, definition } = input
  const inherited = { effort: parent?.effort ?? null, thinking: parent?.thinking ?? null }
  if (fork !== null) return inherited
  return {
    effort: input.effort ?? definition.effort ?? inherited.effort,
    thinking: input.thinking ?? definition.thinking ?? inherited.thinking,
  }
}
