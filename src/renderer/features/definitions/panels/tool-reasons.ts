/** The effective tools of an agent, and the reason for each missing tool with its position in the text. */
import type { AgentDefinition } from '../../../../shared/agent-definition/agent-definition.ts'
import type { FieldKey } from '../../../../shared/agent-definition/definition-fields.ts'
import { announcedTools } from '../../../../shared/agent-definition/effective-tools.ts'
import type { BlockedTool } from '../../../../shared/agent-definition/resolve-tools.ts'
import { frontmatterKeys } from '../../../../shared/agent-definition/write-definition.ts'
import { isAbout, isMcp, readToolEntry, serverOf } from '../../../../shared/tools/tool-entry.ts'
import { startsAgents } from '../../../../shared/tools/tool-names.ts'
import { type DefinitionSurroundings, toolsOfAgent } from '../surroundings.ts'

export interface ToolReasons {
  /** With rules, such as `Bash(git diff:*)`, if only part of a tool is allowed. */
  readonly allowed: readonly string[]
  /** Names without rules. */
  readonly names: readonly string[]
  /** The names that the main agent reads. */
  readonly announced: readonly string[]
  /** Grouped by reason; tools that are only not listed come last. */
  readonly missing: readonly {
    readonly reason: string
    readonly tools: readonly string[]
    /** The range of the reason in the text, in UTF-16 units. */
    readonly range: { readonly from: number; readonly to: number } | null
  }[]
}

/** For a definition without errors that keep it from being used. */
export function toolReasons(
  text: string,
  definition: AgentDefinition,
  surroundings: Pick<DefinitionSurroundings, 'entry' | 'catalog'>,
): ToolReasons {
  const { catalog } = surroundings
  const resolution = toolsOfAgent({ definition, offered: true }, surroundings)
  const { allowed, blocked, unknown, agentTypes, rules } = resolution
  const rangeOf = keyRanges(text)
  const groups = new Map<string, { tools: string[]; key: FieldKey | null; isLast: boolean }>()
  const add = ({ tool, reason, key, isLast = false }: MissingTool) => {
    const group = groups.get(reason) ?? { tools: [], key, isLast }
    groups.set(reason, group)
    if (!group.tools.includes(tool)) group.tools.push(tool)
  }
  for (const tool of blocked) {
    const key = keyOf(tool)
    const reason = reasonOf(tool, rangeOf(key)?.line ?? null)
    add({ tool: tool.tool, reason, key, isLast: tool.step === 'not-listed' })
  }
  for (const { entry: name, nearest } of unknown) {
    const reason = nearest === null ? 'unknown tool' : `unknown tool; did you mean ${nearest}?`
    add({ tool: name, reason, key: 'tools' })
  }
  for (const name of definition.tools ?? [])
    if (isOfMissingServer(name, catalog.tools))
      add({ tool: name, reason: 'server not connected', key: 'tools' })
  return {
    allowed: allowed.flatMap((tool) => {
      if (startsAgents(tool) && agentTypes !== null) return [`${tool}(${agentTypes.join(', ')})`]
      const parts = rules.only.filter((rule) => rule.startsWith(`${tool}(`))
      return parts.length === 0 ? [tool] : parts
    }),
    names: allowed,
    announced: announcedTools(definition, { ...catalog, source: surroundings.entry.source }),
    missing: [...groups]
      .sort(([, a], [, b]) => Number(a.isLast) - Number(b.isLast))
      .map(([reason, { tools, key }]) => ({ reason, tools, range: rangeOf(key) })),
  }
}

interface MissingTool {
  readonly tool: string
  readonly reason: string
  /** The key that causes the reason; null when the cause is not in the text. */
  readonly key: FieldKey | null
  readonly isLast?: boolean
}

function keyOf({ step }: BlockedTool): FieldKey | null {
  switch (step) {
    case 'denied':
      return 'disallowedTools'
    case 'not-listed':
      return 'tools'
    case 'read-only':
      return 'readOnly'
    case 'background':
      return 'background'
    case 'fork':
      return 'forkContext'
    case 'subagent':
    case 'coordinator':
    case 'depth':
    case 'reserved':
    case 'mcp':
    case 'not-now':
    case 'program':
    case 'refused':
      return null
  }
}

function reasonOf({ step, because }: BlockedTool, line: number | null): string {
  if (line === null) return because
  if (step === 'denied' && because === 'the definition denies it (disallowedTools)')
    return `denied here, line ${line}`
  if (step === 'not-listed' && because === 'the definition does not list it (tools)')
    return `not listed, line ${line}`
  return because
}

function isOfMissingServer(written: string, tools: readonly string[]): boolean {
  const entry = readToolEntry(written)
  if (!isMcp(entry.name) || tools.some((tool) => isAbout(entry, tool))) return false
  return !tools.some((tool) => isMcp(tool) && serverOf(tool) === serverOf(entry.name))
}

interface KeyRange {
  readonly from: number
  readonly to: number
  /** From 1. */
  readonly line: number
}

function keyRanges(text: string): (key: FieldKey | null) => KeyRange | null {
  const keys = frontmatterKeys(text)
  return (key) => {
    const found = key === null ? undefined : keys.find(({ field }) => field === key)
    if (found === undefined) return null
    return { from: found.from, to: found.to, line: text.slice(0, found.from).split('\n').length }
  }
}
