/** The window's commands about MCP servers. */
import { z } from 'zod'
import { command, type PortOf, path } from '../kernel/command.ts'
import type { Result } from '../kernel/result.ts'
import type { McpAddition, McpPrompt, McpServerState, McpState } from './mcp.ts'

const server = z.object({ folder: path, name: z.string().min(1).max(200) })

export const mcpContract = {
  /** The servers of a folder. The delta `mcp` follows each change, for the folder that was asked about last. */
  'mcp.state': command<McpState>()(() => z.object({ folder: path })),
  /** Approves the present definition and starts the server. */
  'mcp.approve': command<void>()(() => server),
  /** Turns the server off until it is approved again. */
  'mcp.refuse': command<void>()(() => server),
  /** Writes a server, approves it as given and starts it. A server that does not start is written anyway. */
  'mcp.add': command<void>()(() =>
    server.extend({
      place: z.enum(['project', 'local', 'user']),
      definition: z.record(z.string(), z.unknown()),
      replace: z.boolean(),
      before: z.string().nullable(),
    }),
  ),
  /** Removes a server from its file; the answer adds it again. */
  'mcp.remove': command<McpAddition>()(() => server),
  /** Ends the connection, if any, and connects anew. */
  'mcp.reconnect': command<void>()(() => server),
  /** Connects and lists the tools; ends the connection again if no agent uses it. */
  'mcp.test': command<McpServerState>()(() => server),
  /** The resources of all connected servers. */
  'mcp.resources': command<
    readonly { readonly server: string; readonly uri: string; readonly name: string }[]
  >()(() => z.object({ folder: path })),
} as const

/** The servers of all folders. */
export interface McpServers
  extends Pick<
    PortOf<typeof mcpContract, 'mcp'>,
    'approve' | 'refuse' | 'add' | 'remove' | 'reconnect' | 'test'
  > {
  state(folder: string): Promise<McpState>
  /** Calls `changed` after each change of a server's state. @returns the function that stops watching */
  watch(folder: string, changed: (state: McpState) => void): () => void
  prompts(folder: string): Promise<readonly McpPrompt[]>
  /** The text of a prompt. */
  prompt(
    folder: string,
    prompt: {
      readonly server: string
      readonly name: string
      readonly arguments: Readonly<Record<string, string>>
    },
  ): Promise<Result<string>>
  /** The resources of all connected servers. */
  resources(
    folder: string,
  ): Promise<readonly { readonly server: string; readonly uri: string; readonly name: string }[]>
}
