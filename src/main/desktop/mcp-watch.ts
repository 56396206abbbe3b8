/** Follows the MCP servers of the folder that a window shows. */

import type { McpServers } from '../../shared/mcp/contract.ts'
import type { McpState } from '../../shared/mcp/mcp.ts'

export interface McpWatch {
  /** The servers of a folder; their changes follow until another folder is followed. */
  follow(folder: string): Promise<McpState>
  stop(): void
}

export function createMcpWatch(
  servers: () => Promise<Pick<McpServers, 'state' | 'watch'>>,
  push: (state: McpState) => void,
): McpWatch {
  let followed: { readonly folder: string; readonly stop: () => void } | null = null
  let isStopped = false
  const unfollow = (): void => {
    followed?.stop()
    followed = null
  }
  return {
    async follow(folder) {
      const mcp = await servers()
      if (!isStopped && followed?.folder !== folder) {
        unfollow()
        followed = { folder, stop: mcp.watch(folder, push) }
      }
      return mcp.state(folder)
    },
    stop() {
      isStopped = true
      unfollow()
    },
  }
}
