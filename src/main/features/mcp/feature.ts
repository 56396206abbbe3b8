/**
 * Composes the MCP side. The client's code is loaded only where a folder has servers: other conversations start
 * without it.
 */
import { join } from 'node:path'
import { messageOf } from '../../../shared/kernel/result.ts'
import type { McpServers } from '../../../shared/mcp/contract.ts'
import { createApprovals } from '../../platform/approvals/approvals.ts'
import type { Clock, ServerTools } from '../../runtime/ports/ports.ts'
import type { ToolRegistry } from '../../runtime/tools/tool-registry.ts'
import type { McpSide } from './create-mcp-servers.ts'
import { readServers, type ServerSources } from './read-servers.ts'
import { createTokenFile } from './token-file.ts'

/** ms after which a folder without servers is looked at again. */
const RECHECK = 10_000

interface ComposeMcpOptions {
  readonly dataFolder: string
  readonly sources: ServerSources
  readonly isTrusted: (folder: string) => boolean
  /** The user's environment without the program's keys, for `${VAR}`. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The environment of the servers' processes. */
  readonly environment: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly newKey: () => string
  readonly version: string
  /** Read when the first server has connected. */
  readonly tools: () => Pick<ToolRegistry, 'add'>
  /** Whether the user lets this server ask a model. */
  readonly mayAskModel: (server: string) => boolean
  /** Opens an address in the user's browser, for a sign-in. */
  readonly openBrowser: (url: URL) => void | Promise<void>
  readonly onProblem: (message: string) => void
}

export interface ComposedMcp {
  readonly servers: McpServers
  readonly serverTools: ServerTools
  close(): Promise<void>
}

export function composeMcp(options: ComposeMcpOptions): ComposedMcp {
  const { dataFolder, sources, isTrusted, clock, tools } = options
  const approvals = createApprovals({ dataFolder })
  const onProblem = (thrown: unknown) => options.onProblem(`MCP servers: ${messageOf(thrown)}`)
  const checked = new Map<string, number>()
  let side: Promise<McpSide> | null = null
  let loaded: McpSide | null = null

  const load = (): Promise<McpSide> => {
    side ??= import('./create-mcp-servers.ts').then(({ createMcpServers }) =>
      createMcpServers({
        ...options,
        approvals,
        trusted: isTrusted,
        tokens: createTokenFile(join(dataFolder, 'mcp-tokens.json')),
        addTools: (source, added, folder) => tools().add(source, added, folder),
        onProblem,
      }),
    )
    void side.then(
      (made) => {
        loaded = made
      },
      () => {},
    )
    return side
  }

  const hasServers = async (folder: string): Promise<boolean> => {
    if (Object.keys(sources.given?.(folder) ?? {}).length > 0) return true
    const last = checked.get(folder)
    if (last !== undefined && clock.now() - last < RECHECK) return false
    checked.set(folder, clock.now())
    return (await readServers(folder, { trusted: isTrusted(folder) }, sources)).entries.length > 0
  }

  return {
    serverTools: {
      servers: (folder) => loaded?.serverTools.servers(folder) ?? [],
      async ready(folder, conversationId) {
        try {
          if (side !== null || (await hasServers(folder)))
            await (await load()).serverTools.ready(folder, conversationId)
        } catch (thrown) {
          onProblem(thrown)
        }
      },
      async need(folder, definition) {
        if (!definition.mcpServers?.some((server) => typeof server !== 'string')) return []
        try {
          return await (await load()).serverTools.need(folder, definition)
        } catch (thrown) {
          onProblem(thrown)
          return []
        }
      },
      released(folder, servers) {
        void side?.then(({ serverTools }) => serverTools.released(folder, servers), onProblem)
      },
      closed(conversationId) {
        void side?.then(({ serverTools }) => serverTools.closed(conversationId), onProblem)
      },
    },
    servers: {
      state: async (folder) => (await load()).servers.state(folder),
      watch(folder, changed) {
        let stop = () => {}
        let isStopped = false
        load().then(({ servers }) => {
          if (!isStopped) stop = servers.watch(folder, changed)
        }, onProblem)
        return () => {
          isStopped = true
          stop()
        }
      },
      approve: async (server) => (await load()).servers.approve(server),
      refuse: async (server) => (await load()).servers.refuse(server),
      add: async (server) => (await load()).servers.add(server),
      remove: async (server) => (await load()).servers.remove(server),
      reconnect: async (server) => (await load()).servers.reconnect(server),
      test: async (server) => (await load()).servers.test(server),
      // Only connected servers have these, so nothing is loaded for them.
      prompts: async (folder) => (side === null ? [] : (await side).servers.prompts(folder)),
      prompt: async (folder, prompt) => (await load()).servers.prompt(folder, prompt),
      resources: async (folder) => (side === null ? [] : (await side).servers.resources(folder)),
    },
    close: async () => (await side)?.close(),
  }
}
