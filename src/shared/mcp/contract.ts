/** The window's commands about MCP servers. */
import { z } from 'zod'
import { command, path } from '../kernel/command.ts'
import type { McpAddition, McpServerState, McpState } from './mcp.ts'

const server = z.object({ folder: path, name: z.string().min(1).max(200) })

export const mcpContract = {
  /** The servers of a folder. The delta `mcp` follows each change, for the folder that was asked about last. */
  'mcp.state': command<McpState>()(z.object({ folder: path })),
  /** Approves the present definition and starts the server. */
  'mcp.approve': command<void>()(server),
  /** Turns the server off until it is approved again. */
  'mcp.refuse': command<void>()(server),
  /** Writes a server, approves it as given and starts it. */
  'mcp.add': command<void>()(
    server.extend({
      place: z.enum(['project', 'local', 'user']),
      definition: z.record(z.string(), z.unknown()),
      replace: z.boolean(),
      before: z.string().nullable(),
    }),
  ),
  /** Removes a server from its file; the answer adds it again. */
  'mcp.remove': command<McpAddition>()(server),
  'mcp.reconnect': command<void>()(server),
  /** Connects and lists the tools. */
  'mcp.test': command<McpServerState>()(server),
  /** The resources of all connected servers. */
  'mcp.resources': command<
    readonly { readonly server: string; readonly uri: string; readonly name: string }[]
  >()(z.object({ folder: path })),
} as const
