/** MCP servers: those that an editor hands to a session in the form of `.mcp.json`, and those for an external agent. */
import type { McpServer } from '@agentclientprotocol/sdk'
import type { McpServer as AnyMcpServer } from '@agentclientprotocol/sdk/unstable'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'

/** Fails with `unsupported` for a server that is not reached by a command or an address. */
export function givenServers(servers: readonly AnyMcpServer[]): Result<Readonly<Record<string, object>>> {
  const known = servers.filter(isReachable)
  const other = servers.find((server) => !isReachable(server))
  if (other !== undefined)
    return fail({
      type: 'unsupported',
      message: `The MCP server ${other.name} can’t be used: Troupe reaches servers by a command, HTTP or SSE.`,
    })
  return ok(Object.fromEntries(known.map((server) => [server.name, definitionOf(server)])))
}

const isReachable = (server: AnyMcpServer): server is McpServer => 'command' in server || 'url' in server

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

/** A server that is reached by a command or an address. */
type ReachedServer =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'http' | 'sse'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
    }

/** A server for the session of an external agent. */
export function serverFor(name: string, server: ReachedServer): McpServer {
  if (server.kind === 'stdio')
    return { name, command: server.command, args: [...server.args], env: listed(server.env) }
  return { type: server.kind, name, url: server.url, headers: listed(server.headers) }
}

const listed = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([name, value]) => ({ name, value }))
