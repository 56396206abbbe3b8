/** Handlers for the MCP servers of a folder. */

import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { McpServers } from '../../../shared/mcp/mcp.ts'
import type { McpWatch } from '../mcp-watch.ts'
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface McpDeps {
  readonly program: () => Promise<Program>
  readonly mcpWatch: McpWatch
}

export function mcpCommands({ program, mcpWatch }: McpDeps): HandlersOf<'mcp'> {
  const withServers = async <T>(act: (servers: McpServers) => Promise<Result<T>>): Promise<Result<T>> => {
    const { mcp } = await program()
    return mcp === undefined ? fail(NONE) : act(mcp)
  }
  return {
    'mcp.state': async ({ folder }) => ok(await mcpWatch.follow(folder)),
    'mcp.approve': ({ folder, name }) => withServers((servers) => servers.approve(folder, name)),
    'mcp.refuse': ({ folder, name }) => withServers((servers) => servers.refuse(folder, name)),
    'mcp.add': ({ folder, ...addition }) => withServers((servers) => servers.add(folder, addition)),
    'mcp.remove': ({ folder, name }) => withServers((servers) => servers.remove(folder, name)),
    'mcp.reconnect': ({ folder, name }) => withServers((servers) => servers.reconnect(folder, name)),
    'mcp.test': ({ folder, name }) => withServers((servers) => servers.test(folder, name)),
    'mcp.resources': async ({ folder }) => ok((await (await program()).mcp?.resources(folder)) ?? []),
  }
}

const NONE = { type: 'no-mcp', message: 'This program has no MCP servers.' }
