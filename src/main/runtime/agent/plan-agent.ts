/** Plans a new agent: its definition, model, tools and prompt, before anything is logged. */

import { isAnnounced } from '../../../shared/agent-definition/announce-agent.ts'
import type { ToolResolution } from '../../../shared/agent-definition/resolve-tools.ts'
import type {
  AgentEventDraft,
  DefinitionSnapshot,
  SpendLimits,
  ToolSchema,
} from '../../../shared/events/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { Effort } from '../../../shared/models/effort.ts'
import { withDefaultProvider } from '../../../shared/models/model-provider.ts'
import type { Thinking } from '../../../shared/models/thinking.ts'
import {
  declaredMode,
  type EffectiveMode,
  modeBelow,
  modeWithoutEffect,
  narrowerMode,
} from '../../../shared/permissions/permission-modes.ts'
import type { BackingKind, WorkerPlatform } from '../../../shared/teams/team-schema.ts'
import { isAbout, readToolEntry } from '../../../shared/tools/tool-entry.ts'
import { startsAgents } from '../../../shared/tools/tool-names.ts'
import type { AgentWorktree } from '../../../shared/worktrees/worktree.ts'
import { digestOfDefinition } from '../definitions/definition-change.ts'
import { type FolderPolicy, permissionsText } from '../definitions/permissions-text.ts'
import { buildSystemPrompt } from '../definitions/system-prompt.ts'
import { escapeGlob } from '../permissions/permission-rule.ts'
import type {
  AgentMemory,
  DefinitionProblem,
  FolderFacts,
  GitState,
  LoadedDefinition,
  LoadedSkill,
  ModelCatalog,
} from '../ports.ts'
import type { BlockedTools } from './agent-prompt.ts'
import { type AgentToolsDeps, type FolderCatalog, toolsFor } from './agent-tools.ts'
import { whyNoTools } from './why-no-tools.ts'

/** The limit if neither the definition nor the call sets one. */
const DEFAULT_MAX_TURNS = 100

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

export interface AgentPlanInput {
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

export interface AgentPlan extends BlockedTools {
  /** The names of the tools it may use. */
  readonly toolNames: readonly string[]
  readonly spawn: Extract<AgentEventDraft, { type: 'agent-spawned' }>
  /** Why the agent can't start, in sentences; null: it can. */
  readonly obstacle: string | null
  /** Notices about the start, for the user. */
  readonly warnings: readonly string[]
}

export interface PlanDeps extends AgentToolsDeps {
  readonly models: ModelCatalog
}

export function planAgent(input: AgentPlanInput, deps: PlanDeps): AgentPlan {
  const { parent, scratch, catalog, fork, background, backing = 'in-process', teamId = null } = input
  // A read-only agent must not start agents that write.
  const readOnly = input.definition.readOnly || parent?.readOnly === true
  const definition = withMemoryTools({ ...input.definition, readOnly }, input.memory.folder)
  const depth = parent !== null ? parent.depth + 1 : scratch ? 1 : 0
  const teamMember = teamId !== null
  const mode = modeFor(input)
  const bypasses = mode.permissionMode === 'bypassPermissions'
  // Agents of one type list the same tools in the foreground and in the background: they share their cached prefix.
  const resolved = toolsFor(
    definition,
    { depth, catalog, background: definition.background, teamMember, bypasses },
    deps,
  )
  const { agentTypes, deniedAgentTypes, rules } = resolved
  const usable = background
    ? toolsFor(definition, { depth, catalog, background, teamMember, bypasses }, deps)
    : resolved
  const told = fork?.tools ?? resolved.schemas
  const refused = refusedTools(told, usable, fork !== null)
  const toolNames = resolved.allowed.filter(
    (name) => told.some((tool) => tool.name === name) && !refused.some(({ tool }) => tool === name),
  )
  // A fork has its parent's prompt; only its notes are its own.
  const instructions = input.memory.files.filter(({ scope }) => fork === null || scope === 'agent')
  const limits = [input.maxTurns, definition.maxTurns].filter((limit) => limit !== null)
  const maxTurns = limits.length > 0 ? Math.min(...limits) : DEFAULT_MAX_TURNS
  const { program } = definition
  const model = program === undefined ? modelFor(input, deps.models) : basenameOf(program.command)
  return {
    toolNames,
    obstacle: fork === null ? whyNoTools(definition, usable) : null,
    blocked: fork === null ? [...resolved.blocked, ...refused] : refused,
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
        color: input.color,
        readOnly,
        oneShot: definition.oneShot,
        reminder: definition.reminder,
        agentTypes: agentTypes === null ? null : [...agentTypes],
        deniedAgentTypes: [...deniedAgentTypes],
        readFolders: [...input.readFolders],
        writeFolders: input.memory.folder === null ? [] : [input.memory.folder],
        memory: definition.memory,
        omitProjectInstructions: definition.omitProjectInstructions,
        rules: {
          denied: [...rules.denied],
          only: [...rules.only],
          ...(input.allowed && { allowed: [...input.allowed] }),
        },
        refused,
        toolLists: toolListsOf(definition),
        ...(definition.hooks && { hooks: definition.hooks }),
        ...(program && { program: { ...programFor(input, program), ...serverNames(definition) } }),
        digest: digestOfDefinition(input.definition),
      },
      task: input.task,
      model,
      ...thoughtFor(input),
      system:
        fork?.system ??
        (program ? definition.prompt : null) ??
        buildSystemPrompt({
          ...input,
          definition,
          // Siblings in worktrees share their cached prefix too: each learns of its folder with its task.
          cwd: input.worktree?.own ? null : input.folder,
          facts: input.worktree
            ? { ...input.facts, gitBranch: input.worktree.own ? null : input.worktree.branch }
            : input.facts,
          // Agents in the foreground and in the background share their cached prefix: background agents learn of their
          // limits later.
          permissions: permissionsText({
            ...input.policy,
            mode,
            readOnly,
            asks: true,
            presentsPlan: parent === null && toolNames.includes('ExitPlanMode'),
            isMain: parent === null,
          }),
          model,
          maxTurns: parent === null ? null : maxTurns,
          isMember: teamMember,
          toolNames,
        }),
      tools: program ? [] : [...(fork?.tools ?? resolved.schemas)],
      ...mode,
      cwd: input.folder,
      maxTurns,
      depth,
      name: input.name,
      background,
      // The requests of a team member reach the user: nobody else could answer them.
      bubbles:
        background && (definition.permissionMode === 'bubble' || teamId !== null || input.asksUser === true),
      inherits: fork === null ? null : { agentId: fork.agentId, seq: fork.seq },
      limits: input.limits,
      worktree: input.worktree,
      backing: program ? 'acp' : backing,
      teamId,
      ...(input.platform && { platform: input.platform }),
      instructions: instructions.map(({ text: _, ...file }) => file),
    },
  }
}

/** An agent with a memory of its own has the tools for that folder, whatever it lists. Denials still win. */
function withMemoryTools(definition: LoadedDefinition, folder: string | null): LoadedDefinition {
  const { tools, readOnly } = definition
  if (folder === null || tools === null || tools.length === 0 || readOnly) return definition
  const added = MEMORY_TOOLS.filter((tool) => !tools.some((entry) => isAbout(readToolEntry(entry), tool)))
  return {
    ...definition,
    tools: [...tools, ...added.map((tool) => `${tool}(//${escapeGlob(folder.slice(1))}/**)`)],
  }
}

const MEMORY_TOOLS = ['Read', 'Write', 'Edit']

/** A subagent whose definition says nothing keeps its own mode when it takes a changed definition. */
function modeFor({ definition, parent, mode }: AgentPlanInput): EffectiveMode {
  const above = parent?.mode ?? mode
  return declaredMode(definition.permissionMode) === null
    ? narrowerMode(above, mode)
    : modeBelow(above, definition.permissionMode)
}

function toolListsOf({ tools, disallowedTools, mcpServers }: LoadedDefinition) {
  const servers = mcpServers?.flatMap((server) =>
    typeof server === 'string' ? [server] : Object.keys(server),
  )
  return {
    tools: tools === null ? null : [...tools],
    disallowedTools: [...disallowedTools],
    mcpServers: servers ?? null,
  }
}

/** Tools of the requests that the agent may not use: those of a fork's parent, and those of the foreground. */
function refusedTools(
  told: readonly ToolSchema[],
  { allowed, blocked }: Pick<ToolResolution, 'allowed' | 'blocked'>,
  isFork: boolean,
): DefinitionSnapshot['refused'] {
  return told.flatMap(({ name }) => {
    if (isFork && startsAgents(name)) return [{ tool: name, because: 'a fork starts no agents' }]
    if (allowed.includes(name)) return []
    const because = blocked.find(({ tool }) => tool === name)?.because ?? 'it is not among your tools'
    return [{ tool: name, because }]
  })
}

function warningsOn(input: AgentPlanInput, models: ModelCatalog): readonly string[] {
  const { fork, parent, model, definition, missingSkills, memory, catalog } = input
  const mode = modeWithoutEffect(definition.permissionMode, {
    most: (parent?.mode ?? input.mode).permissionMode,
    owner: parent === null ? 'user' : 'parent',
  })
  const asked = model ?? definition.model
  const other =
    fork !== null && parent !== null && asked !== 'inherit' && models.resolve(asked) !== parent.model
  return [
    ...refusalsOf(definition.name, catalog.refused),
    ...missingSkills.map((name) => `There is no skill ${name}, so its text is not in the prompt.`),
    ...input.serverProblems,
    ...(other ? [`A fork runs on its parent’s model, not on ${asked}.`] : []),
    ...(fork === null && definition.program === undefined ? modelWarnings(input, models) : []),
    ...(fork === null || definition.memory !== null ? memory.problems : []),
    ...(mode === null ? [] : [mode]),
  ]
}

function modelFor(input: AgentPlanInput, models: ModelCatalog): string {
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

/** The MCP servers that the definition of a program names. */
function serverNames({ mcpServers }: LoadedDefinition): { readonly mcpServers?: string[] } {
  if (mcpServers === null || mcpServers === undefined) return {}
  return { mcpServers: mcpServers.filter((server) => typeof server === 'string') }
}

/** A main agent has no model of the conversation: its program's own counts. */
function programFor(
  { definition, parent, model, effort }: AgentPlanInput,
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
const basenameOf = (command: string): string => command.split(/[\\/]/).at(-1) || command

/** What the user should know about the agent's model before its first turn. */
function modelWarnings(input: AgentPlanInput, models: ModelCatalog): readonly string[] {
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

/** Without a choice of its own, an agent has its parent's effort, and thinks as its parent does. */
function thoughtFor(input: AgentPlanInput): Pick<AgentPlanInput, 'effort' | 'thinking'> {
  const { fork, parent, definition } = input
  const inherited = { effort: parent?.effort ?? null, thinking: parent?.thinking ?? null }
  if (fork !== null) return inherited
  return {
    effort: input.effort ?? definition.effort ?? inherited.effort,
    thinking: input.thinking ?? definition.thinking ?? inherited.thinking,
  }
}

/** Why definitions of this name are not in use, one sentence for each problem. */
function refusalsOf(name: string, refused: readonly DefinitionProblem[]): readonly string[] {
  return refused
    .filter(({ refuses }) => refuses?.toLowerCase() === name.trim().toLowerCase())
    .map(({ file, line, message }) => `${file}${line === null ? '' : `:${line}`} is not in use. ${message}`)
}

/** Finds a definition by name or alias, ignoring case. The failure lists the available ones, and why this one is not. */
export function findDefinition(
  { definitions, refused }: Pick<FolderCatalog, 'definitions' | 'refused'>,
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
    message: [
      `There is no agent "${name}". Available: ${offered.join(', ')}.`,
      ...refusalsOf(name, refused),
    ].join(' '),
  })
}
