/** What a definition comes to when an agent is started from it: a value that is printed as JSON or as words. */
import type { AgentDefinition } from '../../shared/agent-definition/agent-definition.ts'
import { announceAgent, isAnnounced } from '../../shared/agent-definition/announce-agent.ts'
import { type KnownNames, missingNames, missingSkills } from '../../shared/agent-definition/missing-names.ts'
import { resolveTools, type ToolResolution } from '../../shared/agent-definition/resolve-tools.ts'
import type { AgentSource, LibraryEntry } from '../../shared/agent-library.ts'
import type { Problem } from './definition-block.ts'
import { fieldsWithoutEffect, type IdleField } from './fields-without-effect.ts'

export interface Explanation {
  readonly name: string
  readonly aliases: readonly string[]
  readonly description: string
  readonly source: AgentSource
  readonly plugin: string | null
  readonly file: string | null
  readonly state: LibraryEntry['state']
  readonly overriddenBy: Origin | null
  readonly overrides: readonly Origin[]
  /** As what it is explained: 0 is a main agent. */
  readonly depth: number
  readonly background: boolean
  readonly tools: ToolResolution
  readonly model: { readonly written: string; readonly id: string }
  readonly permissionMode: { readonly written: AgentDefinition['permissionMode']; readonly meaning: string }
  readonly maxTurns: number | null
  /** Null: it works in the folder of whoever starts it. */
  readonly isolation: AgentDefinition['isolation']
  readonly readOnly: boolean
  readonly oneShot: boolean
  readonly hidden: boolean
  readonly skills: readonly { readonly name: string; readonly found: boolean }[]
  /** What the main agent is told of it; null: nothing. */
  readonly announcement: string | null
  readonly withoutEffect: readonly IdleField[]
  readonly problems: readonly Problem[]
}

interface Origin {
  readonly source: AgentSource
  readonly file: string | null
}

export interface ExplainFacts {
  readonly known: KnownNames
  /** The id behind an alias. */
  readonly resolveModel: (name: string) => string
  /** What a conversation starts with, where nothing else is said. */
  readonly usualModel: string
}

export function explainDefinition(
  definition: AgentDefinition,
  entry: LibraryEntry,
  {
    entries,
    facts,
    text,
    depth,
    background,
  }: {
    readonly entries: readonly LibraryEntry[]
    readonly facts: ExplainFacts
    /** The file's, where there is one. */
    readonly text: string | null
    readonly depth: number
    readonly background: boolean
  },
): Explanation {
  const { known, resolveModel, usualModel } = facts
  const called = { ...definition, name: entry.name, source: entry.source }
  const isBackground = background || definition.background
  const tools = resolveTools(called, { tools: known.tools, depth, background: isBackground })
  const asSubagent = resolveTools(called, { tools: known.tools, depth: 1 })
  const isUsed = entry.state === 'offered'
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
    overriddenBy: entry.overriddenBy === null ? null : originOf(entry.overriddenBy),
    overrides: entry.overrides.map(originOf),
    depth,
    background: isBackground,
    tools,
    model: {
      written: definition.model,
      id: resolveModel(definition.model === 'inherit' ? usualModel : definition.model),
    },
    permissionMode: {
      written: definition.permissionMode,
      meaning: meaningOf(definition.permissionMode, depth),
    },
    maxTurns: definition.maxTurns,
    isolation: definition.isolation,
    readOnly: definition.readOnly,
    oneShot: definition.oneShot,
    hidden: definition.hidden,
    skills: definition.skills.map((name) => ({ name, found: !missing.has(name) })),
    announcement: isUsed && isAnnounced(called) ? announceAgent(called, asSubagent.allowed) : null,
    withoutEffect: fieldsWithoutEffect(definition),
    problems: [...entry.diagnostics, ...missingNames(text ?? '', called, known)],
  }
}

function meaningOf(mode: AgentDefinition['permissionMode'], depth: number): string {
  if (mode === null) return depth === 0 ? 'as the conversation says' : 'as whoever starts it has it'
  const asks = mode === 'bubble' ? 'it asks as it would without one' : mode
  return depth === 0 ? asks : `${asks}, and never more than whoever starts it has`
}
