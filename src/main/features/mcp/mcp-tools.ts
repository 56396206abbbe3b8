/** The tools of a connected server, as the runtime's tools. */

import type { Tool as McpToolDefinition } from '@modelcontextprotocol/client'
import { sentence } from '../../../shared/kernel/result.ts'
import { definitionDigest } from '../../platform/approvals/approvals.ts'
import { type AnyTool, toolError } from '../../runtime/ports/tool.ts'
import { type ApiSchema, apiSchemaOf } from './api-schema.ts'
import type { McpConnection } from './connection.ts'
import { renamedKeys } from './renamed-keys.ts'

/** Longer names are shortened. The API takes 128 characters today, and took 64. */
const LONGEST_NAME = 64
/** Longer descriptions are cut: they are part of every request. */
const LONGEST_DESCRIPTION = 4000
/**
 * @param toolServer the server's name in the names of its tools, see `namesInTools`
 * @returns the tools, those that no agent can have among them; and as sentences which are not used
 */
export function toolsOf(
  { name: server, toolServer = namesInTools([server]).get(server) ?? server }: NamedServer,
  connection: Pick<McpConnection, 'callTool'>,
  list: readonly McpToolDefinition[],
): {
  readonly tools: readonly AnyTool[]
  readonly problems: readonly string[]
  /** By the server's name of a tool. */
  readonly unusable: ReadonlyMap<string, string>
} {
  const unusable = new Map<string, string>()
  const tools = new Map<string, AnyTool>()
  const problems: string[] = []
  const prefix = `mcp__${toolServer}__`
  const names = namesOf(prefix, list)
  for (const tool of list) {
    const name = names.get(tool.name)
    if (name === undefined || tools.has(name)) {
      problems.push(`The tool ${tool.name} is not used: the server lists it twice.`)
      continue
    }
    const schema = apiSchemaOf(tool.inputSchema)
    if (!schema.ok) {
      const because = `its schema ${schema.failure.message}`
      problems.push(`The tool ${tool.name} is not used: ${sentence(because)}`)
      unusable.set(tool.name, because)
      tools.set(name, unusableTool(name, because))
      continue
    }
    const full = prefix + plainName(tool.name)
    tools.set(name, toolOf({ name, full, server }, { tool, connection, input: schema.value }))
  }
  return { tools: [...tools.values()].sort(byName), problems, unusable }
}

/** Requests begin with the tools, so their order must not depend on the server. */
const byName = (one: AnyTool, other: AnyTool): number => (one.name < other.name ? -1 : 1)

/**
 * By the server's name of a tool: the name for agents. The API takes fewer characters than servers use, so two tools could
 * get one name: then the one that has it anyway keeps it, and the others get a hash of their own name.
 */
function namesOf(prefix: string, list: readonly McpToolDefinition[]): ReadonlyMap<string, string> {
  const plain = new Map(
    [...new Set(list.map(({ name }) => name))].map((name) => [name, prefix + plainName(name)]),
  )
  const users = new Map<string, string[]>()
  for (const [name, agents] of plain) users.set(agents, [...(users.get(agents) ?? []), name])
  return new Map(
    [...plain].map(([name, agents]) => {
      const others = users.get(agents) ?? []
      const isOwn = others.length === 1 || prefix + name === agents
      return [name, isOwn && agents.length <= LONGEST_NAME ? agents : withHash(agents, prefix + name)]
    }),
  )
}

function withHash(name: string, full: string): string {
  const hash = definitionDigest(full).slice(0, 6)
  return `${name.slice(0, LONGEST_NAME - hash.length - 1)}-${hash}`
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
      return [name, isTaken || isChanged ? `${clear}-${definitionDigest(name).slice(0, 6)}` : clear]
    }),
  )
}

interface NamedServer {
  readonly name: string
  readonly toolServer?: string | undefined
}

const clearName = (name: string): string =>
  plainName(name)
    .replace(/_{2,}/g, '_')
    .replace(/^_+|_+$/g, '')

function toolOf(
  // `full`: the name before it was shortened.
  { name, full, server }: { readonly name: string; readonly full: string; readonly server: string },
  {
    tool,
    connection,
    input,
  }: {
    readonly tool: McpToolDefinition
    readonly connection: Pick<McpConnection, 'callTool'>
    readonly input: ApiSchema
  },
): AnyTool {
  const shown = renamedKeys(input.schema)
  const onlyReads = tool.annotations?.readOnlyHint === true
  return {
    name,
    // Rules of the user may have the name that was too long.
    aliases: full.length > LONGEST_NAME ? [full] : [],
    description: [descriptionOf(tool), input.note].filter(Boolean).join(' '),
    schema: input.schema,
    deferrable: true,
    ...(shown && { shown }),
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

/** A call of it does nothing: no agent has it, but one may know its name. */
function unusableTool(name: string, because: string): AnyTool {
  return {
    name,
    aliases: [],
    description: `Can't be used: ${because}`,
    schema: { type: 'object', properties: {} },
    unusable: because,
    kind: 'other',
    icon: 'plug',
    concurrent: true,
    sideEffects: () => false,
    summary: () => '',
    target: async () => ({ kind: 'none' }),
    run: async () =>
      toolError(
        `${name} can't be used: ${sentence(because)} Continue without it, and tell the user.`,
        'not usable',
      ),
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
