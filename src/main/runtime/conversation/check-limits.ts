/** What holds for a command of the user that checks what an agent made. */
import type { Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { PermitDeps } from '../permissions/decide-call.ts'
import { limitsOfUserCommand } from '../permissions/user-command-limits.ts'
import type { Ports } from '../ports/ports.ts'
import type { CommandLimits } from '../ports/sandbox.ts'
import type { ConversationFile } from './conversation-file.ts'

interface Home {
  readonly ports: Ports
  readonly loop: PermitDeps
  readonly file: ConversationFile
}

interface Check {
  /** The agent whose work is checked. */
  readonly state: AgentState
  readonly command: string
}

/**
 * The limits of the sandbox for a check; null where there is none. The user gave the command, so a call that would be
 * asked about runs. It starts files that the agent wrote, so the sandbox and rules that deny hold as for the agent. Fails
 * with `denied`.
 */
export async function checkLimits(
  { ports, loop, file }: Home,
  { state, command }: Check,
  signal: AbortSignal,
): Promise<Result<CommandLimits | null>> {
  const { cwd, worktree, definition, permissionMode } = state
  return limitsOfUserCommand(
    loop,
    {
      ...{ command, cwd, project: file.record.folder, agentId: state.id, permissionMode },
      worktree: worktree && { ...worktree, environment: ports.worktrees.environment(worktree) },
      readFolders: definition.readFolders,
      definition,
    },
    signal,
  )
}
