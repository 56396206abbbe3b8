/** What an entry of a tool list gives the agent in the end, for its chip: from the resolution of all its tools. */
import type { ToolResolution, ToolStep } from '../../../../../shared/agent-definition/resolve-tools.ts'
import { isAbout, isMcp, readToolEntry } from '../../../../../shared/tools/tool-entry.ts'
import { startsAgents } from '../../../../../shared/tools/tool-names.ts'
import type { ToolState } from './tool-groups.ts'

export interface ChipEffect {
  /** Whether the agent has at least one of the entry's tools. */
  readonly isEffective: boolean
  /** Why the agent lacks the tools, or some of them, as a sentence; null: it has all, or the state says enough. */
  readonly why: string | null
}

const ALL: ChipEffect = { isEffective: true, why: null }

/** @param tools all tools of the folder */
export function chipEffect(
  entry: string,
  state: ToolState,
  { resolution, tools }: { readonly resolution: ToolResolution; readonly tools: readonly string[] },
): ChipEffect {
  const { allowed, blocked, rules, deniedAgentTypes } = resolution
  const read = readToolEntry(entry)
  if (state === 'denied') return { isEffective: false, why: null }
  if (read.isBroken) return lacking('its brackets are not balanced or empty')
  const named = tools.filter((tool) => isAbout(read, tool))
  const has = named.filter((tool) => allowed.includes(tool))
  const missing = blocked.filter(({ tool }) => named.includes(tool))
  const [first] = missing
  if (named.length === 0)
    return lacking(isMcp(read.name) ? 'its MCP server is not connected' : 'there is no tool of this name')
  if (has.length === 0)
    return first === undefined || (state === 'unlisted' && SAID_ENOUGH.has(first.step))
      ? { isEffective: false, why: null }
      : lacking(first.because)
  if (read.rule !== null) {
    // A rule that nothing lists gives nothing.
    if (state === 'unlisted') return { isEffective: false, why: null }
    const isDenied = startsAgents(read.name)
      ? typesOf(read.rule).every((type) => deniedAgentTypes.includes(type))
      : rules.denied.includes(`${read.name}(${read.rule})`)
    if (isDenied) return lacking('the definition denies it too (disallowedTools)')
  }
  // The definition lists no part of it either, so the part is that of the memory.
  if (
    read.rule === null &&
    state === 'unlisted' &&
    rules.only.some((rule) => rule.startsWith(`${read.name}(`))
  )
    return { isEffective: true, why: 'Only for its memory folder (memory).' }
  if (has.length < named.length)
    return {
      isEffective: true,
      why: `${has.length} of ${named.length} effective.${first ? ` The others: ${first.because}.` : ''}`,
    }
  return ALL
}

/** Steps that say nothing about a tool that is not listed. */
const SAID_ENOUGH: ReadonlySet<ToolStep> = new Set(['not-listed', 'refused', 'program'])

const lacking = (because: string): ChipEffect => ({ isEffective: false, why: `Not effective: ${because}.` })

const typesOf = (rule: string): readonly string[] => rule.split(',').map((type) => type.trim())
