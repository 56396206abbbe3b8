/** The existing tools and those that a definition names, as the picker shows them. */

import type { AgentSource } from '../../../../../shared/agent-definition/agent-catalog.ts'
import type { AgentDefinition } from '../../../../../shared/agent-definition/agent-definition.ts'
import { resolveTools } from '../../../../../shared/agent-definition/resolve-tools.ts'
import { isAbout, isMcp, readToolEntry, serverOf } from '../../../../../shared/tools/tool-entry.ts'
import { ownToolNames, toolFacts, toolGroups } from '../../../../../shared/tools/tool-facts.ts'
import { canonicalToolName } from '../../../../../shared/tools/tool-names.ts'

export interface ToolChoice {
  /** The entry as written in the file, or as it would be written. */
  readonly entry: string
  readonly label: string
  /** No tool or server has the name. */
  readonly isUnknown: boolean
}

interface ToolGroup {
  readonly label: string
  readonly choices: readonly ToolChoice[]
}

interface ToolsThere {
  readonly tools: readonly string[]
  /** The connected MCP servers. */
  readonly servers: readonly string[]
}

export function groupTools(lists: ToolLists, existing: ToolsThere): readonly ToolGroup[] {
  const named = [...(lists.tools ?? []), ...lists.denied].filter(
    (entry, index, all) => all.findIndex((each) => isEntry(each, entry)) === index,
  )
  const own = existing.tools.filter((tool) => !isMcp(tool))
  const rest = own.filter((tool) => toolFacts(tool) === null)
  const groups = toolGroups.map((label) => ({
    label,
    choices: ownToolNames
      .filter((tool) => own.includes(tool) && toolFacts(tool)?.group === label)
      .flatMap((tool) => choicesOf(tool, named, lists)),
  }))
  const isOwn = (entry: string) => {
    const { name, isBroken } = readToolEntry(entry)
    return !isBroken && own.includes(name)
  }
  const unknown = named
    .filter((entry) => !isOwn(entry) && !isMcp(readToolEntry(entry).name) && entry !== '*')
    .map((entry) => ({ entry, label: entry, isUnknown: true }))
  return [
    ...groups,
    { label: 'MCP', choices: mcpChoices(named, existing) },
    {
      label: 'Other',
      choices: [
        ...rest.flatMap((tool) => choicesOf(tool, named, lists)),
        ...(lists.denied.includes('*') ? [{ entry: '*', label: 'all tools', isUnknown: false }] : []),
        ...unknown,
      ],
    },
  ].filter(({ choices }) => choices.length > 0)
}

/** The tool and its rules. A tool that is listed only in parts is not offered as a whole. */
function choicesOf(tool: string, named: readonly string[], lists: ToolLists): readonly ToolChoice[] {
  const isPart = (entry: string) => {
    const { name, rule, isBroken } = readToolEntry(entry)
    return !isBroken && name === tool && rule !== null
  }
  const parts = named.filter(isPart)
  const isWholeNamed = named.some((entry) => isEntry(entry, tool))
  const isNarrowed = lists.tools?.some(isPart) === true && !lists.tools.includes('*')
  return [...(isNarrowed && !isWholeNamed ? [] : [tool]), ...parts].map((entry) => ({
    entry,
    label: entry,
    isUnknown: false,
  }))
}

function mcpChoices(named: readonly string[], { tools, servers }: ToolsThere): readonly ToolChoice[] {
  const counted = (server: string) =>
    tools.filter((tool) => isMcp(tool) && serverOf(tool) === server.toLowerCase())
  const connected = [...servers]
  for (const tool of tools.filter(isMcp)) {
    const [, server = ''] = tool.split('__')
    if (!connected.some((each) => each.toLowerCase() === server.toLowerCase())) connected.push(server)
  }
  const whole = connected.map((server) => {
    const count = counted(server).length
    return { entry: `mcp__${server}`, label: count === 0 ? server : `${server} · ${count}`, isUnknown: false }
  })
  const others = named
    .filter((entry) => isMcp(readToolEntry(entry).name) && !whole.some((each) => isEntry(each.entry, entry)))
    .map((entry) => mcpChoice(entry, { tools, servers: connected }))
  return [...whole, ...others]
}

function mcpChoice(entry: string, { tools, servers }: ToolsThere): ToolChoice {
  const [, server = '', ...rest] = entry.split('__')
  const tool = rest.join('__')
  if (server === '*') return { entry, label: 'every server', isUnknown: false }
  const label = tool === '' ? server : `${server}: ${tool}`
  if (!servers.some((each) => each.toLowerCase() === server.toLowerCase()))
    return { entry, label: `${label} (not connected)`, isUnknown: true }
  const exists = tool.includes('*') || tools.some((each) => each.toLowerCase() === entry.toLowerCase())
  return { entry, label: exists ? label : `${label} (not found)`, isUnknown: !exists }
}

/** Tools of connected servers that no entry names individually. */
export function unnamedMcpTools(lists: ToolLists, tools: readonly string[]): readonly string[] {
  const named = [...(lists.tools ?? []), ...lists.denied]
  return tools.filter((tool) => isMcp(tool) && !named.some((entry) => isEntry(entry, tool)))
}

/** A rule of a tool, such as `git diff:*`, or a whole entry of another tool; null if the text is neither. */
export function ruleEntry(typed: string, tool: string, tools: readonly string[]): string | null {
  const text = typed.trim()
  if (text === '') return null
  const open = text.indexOf('(')
  const name = open === -1 ? '' : canonicalToolName(text.slice(0, open).trim())
  const entry = tools.includes(name) && text.endsWith(')') ? text : `${tool}(${text})`
  let depth = 0
  for (const letter of entry) {
    depth += letter === '(' ? 1 : letter === ')' ? -1 : 0
    if (depth < 0) return null
  }
  return depth === 0 && !readToolEntry(entry).isBroken ? entry : null
}

// Reads and changes the state of a tool, server or rule in `tools` and `disallowedTools`.

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
export function toolStateOf(lists: ToolLists, entry: string): ToolState {
  if (lists.denied.some((each) => isEntry(each, entry))) return 'denied'
  const isListed = lists.tools?.some((each) => isEntry(each, entry)) ?? false
  const isWhole = readToolEntry(entry).rule === null
  return isListed || (isWhole && isAllTools(lists)) ? 'allowed' : 'unlisted'
}

/** The state after a click. With all tools allowed, whole tools are never unlisted. */
export function nextState(lists: ToolLists, entry: string): ToolState {
  const state = toolStateOf(lists, entry)
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

/** Whether two entries mean the same: `Task` is `Agent`, `mcp__github__*` is `mcp__github`. */
function isEntry(one: string, other: string): boolean {
  return keyOf(one) === keyOf(other)
}

function keyOf(text: string): string {
  const { name, rule, isBroken } = readToolEntry(text)
  if (isBroken) return text.trim()
  const plain = isMcp(name) ? name.toLowerCase().replace(/__\*$/, '') : name
  return rule === null ? plain : `${plain}(${rule})`
}
