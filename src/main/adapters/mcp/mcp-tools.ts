/** The tools of a connected server, as the runtime's tools. */
import type { Tool as McpToolDefinition } from '@modelcontextprotocol/client'
import type { AnyTool } from '../../runtime/tool.ts'
import { digestOf } from '../approvals/approvals.ts'
import type { McpConnection } from './connection.ts'

/** The API's limit. */
const LONGEST_NAME = 128
/** Longer descriptions are cut: they are part of every request. */
const LONGEST_DESCRIPTION = 4000
/** A server with more tools, or with more characters of schemas, offers them by search. */
const MOST_TOOLS = 40
/** 10 % of a context of 200,000 tokens, at 4 characters each. */
const MOST_CHARACTERS = 80_000

/**
 * @param toolServer the server's name in the names of its tools, see `namesInTools`
 * @returns the tools, and the names that can't be used, with the reasons
 */
export function toolsOf(
  { name: server, toolServer = namesInTools([server]).get(server) ?? server }: ToolServer,
  connection: Pick<McpConnection, 'callTool'>,
  list: readonly McpToolDefinition[],
): { readonly tools: readonly AnyTool[]; readonly problems: readonly string[] } {
  const tools = new Map<string, AnyTool>()
  const problems: string[] = []
  const deferred = isLarge(list)
  for (const tool of list) {
    const name = `mcp__${toolServer}__${plainName(tool.name)}`
    if (name.length > LONGEST_NAME) problems.push(`The tool ${tool.name} is not used: its name is too long.`)
    else if (tools.has(name)) problems.push(`The tool ${tool.name} is not used: another one has its name.`)
    else tools.set(name, { ...toolOf(name, server, { tool, connection }), deferred })
  }
  return { tools: [...tools.values()], problems }
}

function isLarge(list: readonly McpToolDefinition[]): boolean {
  const characters = list.reduce(
    (sum, tool) => sum + descriptionOf(tool).length + JSON.stringify(tool.inputSchema).length,
    0,
  )
  return list.length > MOST_TOOLS || characters > MOST_CHARACTERS
}

/** The API accepts letters, digits, `_` and `-`. */
const plainName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, '_')

/**
 * The names of servers in the names of tools. Each stands for one server, so that a rule for it covers no other: two
 * underscores separate a server from its tool, so a server's name has neither two nor one at an end; and next to a server
 * `a_b`, the names of `a.b` and `a b` are changed.
 */
export function namesInTools(servers: readonly string[]): ReadonlyMap<string, string> {
  const plain = servers.map(clearName)
  return new Map(
    servers.map((name, at) => {
      const clear = plain[at] ?? ''
      const isTaken = name !== clear && plain.some((other, index) => index !== at && other === clear)
      const isChanged = clear !== plainName(name) || clear === ''
      return [name, isTaken || isChanged ? `${clear}-${digestOf(name).slice(0, 6)}` : clear]
    }),
  )
}

export interface ToolServer {
  readonly name: string
  readonly toolServer?: string | undefined
}

const clearName = (name: string): string =>
  plainName(name)
    .replace(/_{2,}/g, '_')
    .replace(/^_+|_+$/g, '')

function toolOf(
  name: string,
  server: string,
  {
    tool,
    connection,
  }: { readonly tool: McpToolDefinition; readonly connection: Pick<McpConnection, 'callTool'> },
): AnyTool {
  const onlyReads = tool.annotations?.readOnlyHint === true
  return {
    name,
    aliases: [],
    description: descriptionOf(tool),
    schema: tool.inputSchema,
    kind: onlyReads ? 'read' : 'other',
    icon: 'plug',
    label: `${server} ${tool.title ?? tool.name}`,
    concurrent: onlyReads,
    sideEffects: () => !onlyReads,
    summary: (input: unknown) => summaryOf(input),
    target: async (input: unknown) => ({
      kind: 'undeclared',
      action: `use ${tool.name} of the MCP server ${server}`,
      text: JSON.stringify(input, null, 2),
      onlyReads,
    }),
    run: (input: Readonly<Record<string, unknown>>, context) =>
      connection.callTool({ tool: tool.name, name }, input, context),
  }
}

function descriptionOf({ name, title, description }: McpToolDefinition): string {
  const text = description?.trim() || title || name
  return text.length <= LONGEST_DESCRIPTION ? text : `${text.slice(0, LONGEST_DESCRIPTION)}…`
}

/** The first short values: enough to tell calls apart. */
function summaryOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return ''
  return Object.values(input)
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map((value) => String(value).split('\n')[0]?.slice(0, 80) ?? '')
    .slice(0, 3)
    .join(' · ')
}
