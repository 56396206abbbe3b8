/** Computes the effective settings of an agent started from a definition, to print as JSON or as text. */

import type {
  AgentCatalog,
  AgentSource,
  CatalogEntry,
} from '../../../../shared/agent-definition/agent-catalog.ts'
import type { AgentDefinition } from '../../../../shared/agent-definition/agent-definition.ts'
import { announceAgent, isAnnounced } from '../../../../shared/agent-definition/definition-messages.ts'
import { definitionNotes } from '../../../../shared/agent-definition/definition-notes.ts'
import { announcedTools, effectiveTools } from '../../../../shared/agent-definition/effective-tools.ts'
import { describeLaunch } from '../../../../shared/agent-definition/external-agent-launch.ts'
import { inClaudeCode } from '../../../../shared/agent-definition/in-claude-code.ts'
import {
  type KnownNames,
  missingNames,
  missingSkills,
} from '../../../../shared/agent-definition/missing-names.ts'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import type { ToolResolution } from '../../../../shared/agent-definition/resolve-tools.ts'
import {
  modeBelow,
  modeWithoutEffect,
  type PermissionMode,
  plainMode,
} from '../../../../shared/permissions/permission-modes.ts'
import type { ReportedProblem } from './agents-read.ts'

export interface Explanation {
  readonly name: string
  readonly aliases: readonly string[]
  readonly description: string
  readonly source: AgentSource
  readonly plugin: string | null
  readonly file: string | null
  readonly state: CatalogEntry['state']
  readonly shadowedBy: Origin | null
  readonly overrides: readonly Origin[]
  /** The assumed depth: 0 is a main agent. */
  readonly depth: number
  readonly background: boolean
  readonly tools: ToolResolution
  /** `inherited`: the parent's model; `id` is then that of new conversations. */
  readonly model: { readonly written: string; readonly id: string; readonly inherited: boolean }
  readonly permissionMode: {
    readonly written: AgentDefinition['permissionMode']
    /** In a new conversation of the user. */
    readonly effective: PermissionMode
    readonly meaning: string
    readonly withoutEffect: string | null
  }
  readonly maxTurns: number | null
  /** The external agent that carries out the agent, as a command line; null: a model does. */
  readonly program: string | null
  /** Null: the agent works in its parent's folder. */
  readonly isolation: AgentDefinition['isolation']
  readonly readOnly: boolean
  readonly oneShot: boolean
  readonly hidden: boolean
  readonly skills: readonly { readonly name: string; readonly found: boolean }[]
  /** The agent's line in the main agent's tool description; null: none. */
  readonly announcement: string | null
  readonly withoutEffect: readonly IdleField[]
  /** What Claude Code reads otherwise, one sentence each. */
  readonly inClaudeCode: readonly string[]
  readonly problems: readonly ReportedProblem[]
}

interface Origin {
  readonly source: AgentSource
  readonly file: string | null
}

export interface ExplainFacts {
  readonly known: KnownNames
  /** The tools of the folder, and what decides who has them. */
  readonly ofFolder: Pick<AgentCatalog, 'tools' | 'conditions'>
  /** Resolves an alias to a model id. */
  readonly resolveModel: (name: string) => string
  /** The model of new conversations. */
  readonly defaultModel: string
  /** The permission mode of new conversations. */
  readonly userMode: PermissionMode
}

export function explainDefinition(
  definition: AgentDefinition,
  entry: CatalogEntry,
  {
    entries,
    facts,
    text,
    depth,
    background,
  }: {
    readonly entries: readonly CatalogEntry[]
    readonly facts: ExplainFacts
    /** The file's text; null without a file. */
    readonly text: string | null
    readonly depth: number
    readonly background: boolean
  },
): Explanation {
  const { ofFolder, resolveModel, defaultModel, userMode } = facts
  const known = { ...facts.known, tools: ofFolder.tools }
  const called = { ...definition, name: entry.name, source: entry.source }
  const isBackground = background || definition.background
  const isUsed = entry.state === 'offered'
  const agent = { name: entry.name, source: entry.source, offered: isUsed || entry.state === 'hidden' }
  // A main agent has no parent to fork.
  const isInherited = definition.model === 'inherit' || (definition.forkContext && depth > 0)
  const missing = new Set(missingSkills(definition, known.skills))
  const originOf = (id: string): Origin => {
    const other = entries.find((one) => one.id === id)
    return { source: other?.source ?? entry.source, file: other?.file ?? null }
  }
  return {
    name: entry.name,
    aliases: definition.aliases,
    description: definition.description,
    source: entry.source,
    plugin: entry.plugin,
    file: entry.file,
    state: entry.state,
    shadowedBy: entry.shadowedBy === null ? null : originOf(entry.shadowedBy),
    overrides: entry.overrides.map(originOf),
    depth,
    background: isBackground,
    tools: effectiveTools(called, { ...agent, ...ofFolder, depth, background: isBackground }),
    model: {
      written: definition.model,
      id: resolveModel(isInherited ? defaultModel : definition.model),
      inherited: isInherited,
    },
    permissionMode: explainMode(definition.permissionMode, { depth, userMode }),
    maxTurns: definition.maxTurns,
    program: definition.program === undefined ? null : describeLaunch(definition.program),
    isolation: definition.isolation,
    readOnly: definition.readOnly,
    oneShot: definition.oneShot,
    hidden: definition.hidden,
    skills: definition.skills.map((name) => ({ name, found: !missing.has(name) })),
    announcement:
      isUsed && isAnnounced(called)
        ? announceAgent(called, announcedTools(called, { ...agent, ...ofFolder }))
        : null,
    withoutEffect: fieldsWithoutEffect(definition, depth),
    inClaudeCode:
      text === null
        ? []
        : inClaudeCode(readDefinition(text, { stem: entry.name, source: entry.source }), text),
    problems: [...entry.diagnostics, ...missingNames(text ?? '', called, known), ...notesOf(text, called)],
  }
}

const notesOf = (text: string | null, definition: AgentDefinition & { readonly source: AgentSource }) =>
  definition.source === 'built-in' ? [] : definitionNotes(text ?? '', definition)

/** The mode below the user's, and the reason if the definition's mode has no effect. */
function explainMode(
  written: AgentDefinition['permissionMode'],
  { depth, userMode }: { readonly depth: number; readonly userMode: PermissionMode },
): Explanation['permissionMode'] {
  const { permissionMode } = modeBelow(plainMode(userMode), written)
  return {
    written,
    effective: permissionMode,
    meaning: meaningOf(written, { permissionMode, depth }),
    withoutEffect: modeWithoutEffect(written, { most: userMode, owner: 'user' }),
  }
}

function meaningOf(
  written: AgentDefinition['permissionMode'],
  { permissionMode, depth }: { readonly permissionMode: PermissionMode; readonly depth: number },
): string {
  if (written === null || written === 'bubble') {
    if (depth === 0) return 'as the conversation'
    return written === null ? 'as its parent' : 'as its parent, and may ask in the background'
  }
  return `${permissionMode}, at most ${depth === 0 ? "the user's" : "its parent's"} mode`
}

/** Fields of a definition that have no effect in this version. */
interface IdleField {
  readonly field: keyof AgentDefinition
  /** The behavior instead. */
  readonly instead: string
}

/** @param depth 0 for a main agent */
function fieldsWithoutEffect(definition: AgentDefinition, depth: number): readonly IdleField[] {
  const { forkContext, model } = definition
  return depth > 0 && forkContext && model !== 'inherit' ? [forksModel] : []
}

const forksModel: IdleField = { field: 'model', instead: 'a fork uses its parent’s model' }
