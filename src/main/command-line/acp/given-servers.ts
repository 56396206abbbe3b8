/** The MCP servers that an editor hands to a session, in the form of `.mcp.json`. */
import type { McpServer } from '@agentclientprotocol/sdk'

export function givenServers(servers: readonly McpServer[]): Readonly<Record<string, object>> {
  return Object.fromEntries(servers.map((server) => [server.name, definitionOf(server)]))
}

function definitionOf(server: McpServer): object {
  if ('command' in server) {
    const { command, args, env } = server
    return { type: 'stdio', command, args, env: pairs(env) }
  }
  const { type, url, headers } = server
  return { type, url, headers: pairs(headers) }
}

const pairs = (list: readonly { readonly name: string; readonly value: string }[]) =>
  Object.fromEntries(list.map(({ name, value }) => [name, value]))
