/** Plans a new agent: its definition, model, tools and prompt, before anything is logged. */

import { withMemoryTools } from '../../../shared/agent-definition/effective-tools.ts'
import type { ToolResolution } from '../../../shared/agent-definition/resolve-tools.ts'
import type { DefinitionSnapshot, ToolSchema } from '../../../shared/events/agent-event.ts'
import { modeWithoutEffect } from '../../../shared/permissions/permission-modes.ts'
import type { PlannedSpawn } from '../conversation/conversation.ts'
import { digestOfDefinition } from '../definitions/definition-change.ts'
import { permissionsText } from '../definitions/permissions-text.ts'
import { buildSystemPrompt } from '../definitions/system-prompt.ts'
import { escapeGlob } from '../permissions/permission-rule.ts'
import type { LoadedDefinition } from '../ports/definitions.ts'
import type { ModelCatalog } from '../ports/model.ts'
import { type AgentToolsDeps, toolsFor } from './agent-tools.ts'
import { refusalsOf, whyNoTools } from './find-definition.ts'
import {
  basenameOf,
  modeFor,
  modelFor,
  modelWarnings,
  type PlanInput,
  programFor,
  thoughtFor,
} from './plan-input.ts'

/** The limit if neither the definition nor the call sets one. */
const DEFAULT_MAX_TURNS = 100

export interface SpawnPlan extends PlannedSpawn {
  /** The names of the tools it may use. */
  readonly toolNames: readonly string[]
  /** Why the agent can't start, in sentences; null: it can. */
  readonly obstacle: string | null
}

export interface PlanDeps extends AgentToolsDeps {
  readonly models: ModelCatalog
}

/** Nothing is logged or created yet. */
export function planAgent(input: PlanInput, deps: PlanDeps): SpawnPlan {
  const { parent, scratch, catalog, fork, background, backing = 'in-process', teamId = null } = input
  // A read-only agent must not start agents that write.
  const readOnly = input.definition.readOnly || parent?.readOnly === true
  const disallowedTools = [...input.definition.disallowedTools, ...(input.deniedToAll ?? [])]
  const definition = withMemoryTools(
    { ...input.definition, disallowedTools, readOnly },
    memoryRule(input.memory.folder),
  )
  const depth = parent !== null ? parent.depth + 1 : scratch ? 1 : 0
  const teamMember = teamId !== null
  const mode = modeFor(input)
  const bypasses = mode.permissionMode === 'bypassPermissions'
  const position = { depth, catalog, teamMember, bypasses, isFork: fork !== null }
  // Agents of one type list the same tools in the foreground and in the background: they share their cached prefix.
  const resolved = toolsFor(definition, { ...position, background: definition.background }, deps)
  const { agentTypes, deniedAgentTypes, rules } = resolved
  const usable = background ? toolsFor(definition, { ...position, background }, deps) : resolved
  const told = fork?.tools ?? resolved.schemas
  const refused = refusedTools(told, usable)
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
          ...(input.deniedToAll && { deniedToAll: [...input.deniedToAll] }),
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
      ...(parent === null && input.facts.gitBranch !== null && { gitBranch: input.facts.gitBranch }),
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

const memoryRule = (folder: string | null): string | null =>
  folder === null ? null : `//${escapeGlob(folder.slice(1))}/**`

/** The MCP servers that the definition of a program names. */
function serverNames({ mcpServers }: LoadedDefinition): { readonly mcpServers?: string[] } {
  if (mcpServers === null || mcpServers === undefined) return {}
  return { mcpServers: mcpServers.filter((server) => typeof server === 'string') }
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
): DefinitionSnapshot['refused'] {
  return told.flatMap(({ name }) => {
    if (allowed.includes(name)) return []
    const because = blocked.find(({ tool }) => tool === name)?.because ?? 'it is not among your tools'
    return [{ tool: name, because }]
  })
}

function warningsOn(input: PlanInput, models: ModelCatalog): readonly string[] {
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
