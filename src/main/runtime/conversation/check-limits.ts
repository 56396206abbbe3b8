/** What holds for a command of the user that checks what an agent made. */
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { decideCall, type PermitDeps } from '../permissions/decide-call.ts'
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
  const judged = {
    tool: 'Bash',
    target: { kind: 'command' as const, command },
    // A mode that refuses what it would ask about is not meant for the user's own command.
    mode: {
      permissionMode: permissionMode === 'dontAsk' ? ('default' as const) : permissionMode,
      neverAsks: false,
    },
    session: {
      root: cwd,
      project: file.record.folder,
      cwd,
      worktree: worktree && { ...worktree, environment: ports.worktrees.environment(worktree) },
      readFolders: new Set(definition.readFolders),
    },
    // What the definition may run is about the agent, not about the user.
    definition: { ...definition, rules: { denied: [], only: [] } },
    readOnly: false,
  }
  const decision = await decideCall(loop, judged, signal)
  if (decision.kind === 'deny') return fail({ type: 'denied', message: decision.because })
  return ok(decision.limits === undefined ? null : { ...decision.limits, agentId: state.id })
}
