/** The agents that have a window of their own. A folder's window comes first: without it they close too. */
import type { AgentRef } from '../../shared/commands/agent-page.ts'

/** A window that shows one agent, as this registry needs it. */
export interface OpenAgentWindow {
  /** The real path of the agent's folder. */
  readonly folder: string | null
  focus(): void
  close(): void
}

export interface AgentWindows<W extends OpenAgentWindow> {
  readonly all: readonly W[]
  /** The agents in windows of their own, in the order of opening. */
  readonly agentIds: readonly string[]
  /** Opens a window for the agent, or brings its window to the front. */
  show(agent: AgentRef, folder: string): void
  /** Closes the agent's window, if it has one. */
  close(agentId: string): void
  /** Closes the windows of a folder's agents; null: of all agents. */
  closeIn(folder: string | null): void
  /** Call this when a window has closed. */
  remove(window: W): void
}

interface AgentWindowsOptions<W> {
  readonly open: (agent: AgentRef, folder: string) => W
  /** Called after each change of `agentIds`. */
  readonly onChange: (agentIds: readonly string[]) => void
}

export function createAgentWindows<W extends OpenAgentWindow>(
  options: AgentWindowsOptions<W>,
): AgentWindows<W> {
  const windows = new Map<string, W>()
  const changed = (): void => options.onChange([...windows.keys()])
  return {
    get all() {
      return [...windows.values()]
    },
    get agentIds() {
      return [...windows.keys()]
    },
    show(agent, folder) {
      const there = windows.get(agent.agentId)
      if (there !== undefined) return there.focus()
      windows.set(agent.agentId, options.open(agent, folder))
      changed()
    },
    close: (agentId) => windows.get(agentId)?.close(),
    closeIn(folder) {
      for (const window of windows.values()) if (folder === null || window.folder === folder) window.close()
    },
    remove(window) {
      for (const [agentId, other] of windows) if (other === window) windows.delete(agentId)
      changed()
    },
  }
}
