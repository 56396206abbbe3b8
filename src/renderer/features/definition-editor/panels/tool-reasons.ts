/** The tools an agent will really have, for people: each one that is missing with the reason, and where that stands. */
import type { AgentDefinition } from '../../../../shared/agent-definition/agent-definition.ts'
import type { FieldKey } from '../../../../shared/agent-definition/definition-fields.ts'
import { type BlockedTool, resolveTools } from '../../../../shared/agent-definition/resolve-tools.ts'
import { isAbout, isMcp, readToolEntry, serverOf } from '../../../../shared/agent-definition/tool-entry.ts'
import { frontmatterKeys } from '../../../../shared/agent-definition/write-definition.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

export interface ToolReasons {
  /** As it has them: `Bash(git diff:*)` where only a part is allowed. */
  readonly allowed: readonly string[]
  /** The names of those alone, as the main agent is told of them. */
  readonly names: readonly string[]
  /** Those with one reason together; what was only not asked for comes last. */
  readonly missing: readonly {
    readonly reason: string
    readonly tools: readonly string[]
    /** Where that stands in the text, in UTF-16 units. */
    readonly place: { readonly from: number; readonly to: number } | null
  }[]
}

/** Of an agent that the main agent starts. */
export function toolReasons(
  text: string,
  definition: AgentDefinition,
  { entry, library }: Pick<DefinitionSurroundings, 'entry' | 'library'>,
): ToolReasons {
  const { allowed, blocked, unknown, agentTypes, rules } = resolveTools(
    { ...definition, source: entry.source },
    { tools: library.tools, depth: 1 },
  )
  const placeOf = keyPlaces(text)
  const groups = new Map<string, { tools: string[]; key: FieldKey | null; isLast: boolean }>()
  const add = (tool: string, reason: string, key: FieldKey | null, isLast = false) => {
    const group = groups.get(reason) ?? { tools: [], key, isLast }
    groups.set(reason, group)
    if (!group.tools.includes(tool)) group.tools.push(tool)
  }
  for (const tool of blocked) {
    const key = keyOf(tool)
    add(tool.tool, reasonOf(tool, placeOf(key)?.line ?? null), key, tool.step === 'not-listed')
  }
  for (const { entry: name, nearest } of unknown)
    add(
      name,
      nearest === null ? 'there is no such tool' : `there is no such tool; ${nearest} is the nearest`,
      'tools',
    )
  for (const name of definition.tools ?? [])
    if (isOfMissingServer(name, library.tools)) add(name, 'server not connected', 'tools')
  return {
    allowed: allowed.flatMap((tool) => {
      if (tool === 'Agent' && agentTypes !== null) return [`Agent(${agentTypes.join(', ')})`]
      const parts = rules.only.filter((rule) => rule.startsWith(`${tool}(`))
      return parts.length === 0 ? [tool] : parts
    }),
    names: allowed,
    missing: [...groups]
      .sort(([, a], [, b]) => Number(a.isLast) - Number(b.isLast))
      .map(([reason, { tools, key }]) => ({ reason, tools, place: placeOf(key) })),
  }
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
    case 'subagent':
    case 'depth':
    case 'reserved':
    case 'mcp':
      return null
  }
}

function reasonOf({ step, because }: BlockedTool, line: number | null): string {
  if (line === null) return because
  if (step === 'denied' && because === 'the definition denies it (disallowedTools)')
    return `denied here, line ${line}`
  if (step === 'not-listed' && because === 'the definition does not list it (tools)')
    return `not on the list, line ${line}`
  return because
}

function isOfMissingServer(written: string, tools: readonly string[]): boolean {
  const entry = readToolEntry(written)
  if (!isMcp(entry.name) || tools.some((tool) => isAbout(entry, tool))) return false
  return !tools.some((tool) => isMcp(tool) && serverOf(tool) === serverOf(entry.name))
}

interface KeyPlace {
  readonly from: number
  readonly to: number
  /** From 1. */
  readonly line: number
}

function keyPlaces(text: string): (key: FieldKey | null) => KeyPlace | null {
  const keys = frontmatterKeys(text)
  return (key) => {
    const found = key === null ? undefined : keys.find(({ field }) => field === key)
    if (found === undefined) return null
    return { from: found.from, to: found.to, line: text.slice(0, found.from).split('\n').length }
  }
}
