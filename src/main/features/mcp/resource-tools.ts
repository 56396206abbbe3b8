/** The tools that list and read the resources of connected servers. */
import { z } from 'zod'
import type { McpState } from '../../../shared/mcp/mcp.ts'
import { type AnyTool, type Tool, toolError } from '../../runtime/ports/tool.ts'
import type { McpConnection } from './connection.ts'
import { namesInTools } from './mcp-tools.ts'

const readInput = z
  .object({
    server: z.string().min(1).describe('The name of the MCP server.'),
    uri: z.string().min(1).describe('The resource’s address, as ListMcpResources gives it.'),
  })
  .strict()
const listInput = z.object({ server: z.string().min(1).optional().describe('Only this server.') }).strict()

export function createResourceTools(
  connection: (server: string) => McpConnection | null,
  state: () => McpState,
): readonly AnyTool[] {
  const servers = () => state().servers.map(({ name }) => name)
  const list: Tool<z.infer<typeof listInput>> = {
    ...shared,
    name: 'ListMcpResources',
    description: 'Lists the resources of the connected MCP servers: their server, address and name.',
    schema: listInput,
    summary: ({ server }) => server ?? '',
    target: async () => ({ kind: 'none' }),
    async run({ server }) {
      const all = state().servers.filter(({ name }) => server === undefined || name === server)
      const lines = all.flatMap(({ name, resources }) =>
        resources.map((one) => `${name}  ${one.uri}  ${one.name}`),
      )
      const note = `${lines.length} ${lines.length === 1 ? 'resource' : 'resources'}`
      return { isError: false, content: lines.length === 0 ? 'No resources.' : lines.join('\n'), note }
    },
  }
  const read: Tool<z.infer<typeof readInput>> = {
    ...shared,
    name: 'ReadMcpResource',
    description: 'Reads a resource of a connected MCP server.',
    schema: readInput,
    summary: ({ server, uri }) => `${server} ${uri}`,
    target: async ({ server, uri }) => ({
      kind: 'undeclared',
      action: `read a resource of the MCP server ${server}`,
      text: uri,
      onlyReads: true,
      // A rule for the server covers its resources.
      ruleName: `mcp__${namesInTools(servers()).get(server) ?? server}__ReadMcpResource`,
    }),
    run: async ({ server, uri }, call) =>
      (await connection(server)?.readResource(uri, call)) ??
      toolError(
        `There is no connected MCP server ${server}. Connected: ${
          state()
            .servers.filter(({ status }) => status.kind === 'connected')
            .map(({ name }) => name)
            .join(', ') || 'none'
        }.`,
      ),
  }
  return [list, read]
}

const shared = {
  aliases: [],
  kind: 'read',
  icon: 'plug',
  concurrent: true,
  sideEffects: () => false,
} as const
