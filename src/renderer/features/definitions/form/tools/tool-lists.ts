/** Reads and changes the state of a tool, server or rule in `tools` and `disallowedTools`. */

import type { AgentSource } from '../../../../../shared/agent-definition/agent-catalog.ts'
import type { AgentDefinition } from '../../../../../shared/agent-definition/agent-definition.ts'
import { resolveTools } from '../../../../../shared/agent-definition/resolve-tools.ts'
import { isAbout, isMcp, readToolEntry, serverOf } from '../../../../../shared/tools/tool-entry.ts'

/** The lists as written in the file. */
export interface ToolLists {
  /** Null: all tools. */
  readonly tools: readonly string[] | null
  readonly denied: readonly string[]
}

export type ToolState = 'unlisted' | 'allowed' | 'denied'

/** Whether every tool that is not denied is allowed. */
export function isAllTools({ tools }: ToolLists): boolean {
  return tools === null || tools.some((entry) => isEntry(entry, '*'))
}

/** The state of an entry: `Read`, `mcp__github`, `Bash(git diff:*)`. Denied wins over allowed. */
export function stateOf(lists: ToolLists, entry: string): ToolState {
  if (lists.denied.some((each) => isEntry(each, entry))) return 'denied'
  const isListed = lists.tools?.some((each) => isEntry(each, entry)) ?? false
  const isWhole = readToolEntry(entry).rule === null
  return isListed || (isWhole && isAllTools(lists)) ? 'allowed' : 'unlisted'
}

/** The state after a click. With all tools allowed, whole tools are never unlisted. */
export function nextState(lists: ToolLists, entry: string): ToolState {
  const state = stateOf(lists, entry)
  if (state === 'allowed') return 'denied'
  if (state === 'unlisted') return 'allowed'
  return isAllTools(lists) && readToolEntry(entry).rule === null ? 'allowed' : 'unlisted'
}

/** Other entries keep their spelling and order. */
export function withState(lists: ToolLists, entry: string, state: ToolState): ToolLists {
  const others = (entries: readonly string[]) => entries.filter((each) => !isEntry(each, entry))
  const isImplied = readToolEntry(entry).rule === null && isAllTools(lists)
  const listed = lists.tools ?? []
  const tools =
    lists.tools === null || state !== 'allowed'
      ? lists.tools && others(lists.tools)
      : isImplied || listed.some((each) => isEntry(each, entry))
        ? lists.tools
        : [...listed, entry]
  const isDenied = lists.denied.some((each) => isEntry(each, entry))
  const denied =
    state === 'denied' ? (isDenied ? lists.denied : [...lists.denied, entry]) : others(lists.denied)
  return { tools, denied }
}

type Definition = AgentDefinition & { readonly source: AgentSource }

/** Lists the agent's current tools, with one entry for each complete server. */
export function listOfAll(definition: Definition, tools: readonly string[]): readonly string[] {
  const { allowed } = resolveTools(definition, { tools, depth: 1 })
  const named = (definition.tools ?? []).filter((entry) => !isEntry(entry, '*'))
  const entries = allowed.map((tool) => {
    if (!isMcp(tool)) return tool
    const server = serverOf(tool)
    const isWhole = tools.every((each) => serverOf(each) !== server || allowed.includes(each))
    return isWhole ? tool.split('__').slice(0, 2).join('__') : tool
  })
  const rest = entries.filter(
    (entry, index) =>
      entries.indexOf(entry) === index && !named.some((each) => isAbout(readToolEntry(each), entry)),
  )
  return [...named, ...rest]
}

/** Counts the tools, and those that the lists deny without a rule. */
export function countTools(lists: ToolLists, tools: readonly string[]) {
  const isDenied = (tool: string) =>
    lists.denied.map(readToolEntry).some((entry) => entry.rule === null && isAbout(entry, tool))
  return {
    all: tools.length,
    denied: tools.filter(isDenied).length,
  }
}

/** Whether two entries mean the same: `Task` is `Agent`, `mcp__github__*` is `mcp__github`. */
export function isEntry(one: string, other: string): boolean {
  return keyOf(one) === keyOf(other)
}

function keyOf(text: string): string {
  const { name, rule, isBroken } = readToolEntry(text)
  if (isBroken) return text.trim()
  const plain = isMcp(name) ? name.toLowerCase().replace(/__\*$/, '') : name
  return rule === null ? plain : `${plain}(${rule})`
}
