/** The window's commands about commands that begin with a slash. */
import { z } from 'zod'
import { permissionMode } from '../events/agent-event.ts'
import { command, id, path } from '../kernel/command.ts'
import type { ExpandedCommand, SlashCommand } from './slash-command.ts'

export const slashContract = {
  'slash.list': command<readonly SlashCommand[]>()(() => z.object({ folder: path })),
  /** The text of a command, or the shell commands that the user must allow first. Fails as SlashCommands says. */
  'slash.expand': command<
    | { readonly kind: 'expanded'; readonly command: ExpandedCommand }
    | { readonly kind: 'needs-permission'; readonly commands: readonly string[] }
  >()(() =>
    z.object({
      folder: path,
      line: z.string().max(1_000_000),
      agent: z.object({ conversationId: id, agentId: id.nullable() }).nullable(),
      mode: permissionMode.optional(),
      approved: z.array(z.string().max(100_000)).max(100),
    }),
  ),
} as const
