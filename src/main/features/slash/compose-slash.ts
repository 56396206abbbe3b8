/** Composes the commands that begin with a slash. */
import type { PermissionMode } from '../../../shared/events/agent-event.ts'
import type { SlashCommands } from '../../../shared/slash/slash-command.ts'
import type { CommandSource } from '../../runtime/command-source.ts'
import type { Ports } from '../../runtime/ports.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { createSlashCommands } from '../../runtime/slash/create-slash-commands.ts'
import type { ComposedMcp } from '../mcp/compose-mcp.ts'

interface ComposeSlashOptions {
  readonly commands: CommandSource
  readonly ports: Ports
  readonly mcp: ComposedMcp
  readonly runtime: Pick<Runtime, 'state' | 'snapshot'>
  /** The mode of a new conversation. */
  readonly newMode: () => PermissionMode
}

export function composeSlash({ commands, ports, mcp, runtime, newMode }: ComposeSlashOptions): SlashCommands {
  return createSlashCommands({
    ...ports,
    commands,
    mcp: mcp.servers,
    outside: mcp.outside,
    newMode,
    async agentState({ conversationId, agentId }) {
      const snapshot = await runtime.snapshot(conversationId)
      if (!snapshot.ok) return null
      const wanted = agentId ?? snapshot.value.record.mainAgentId
      return snapshot.value.agents.find(({ id }) => id === wanted) ?? null
    },
  })
}
