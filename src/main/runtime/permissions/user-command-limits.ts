/** The limits of a command that the user gave or approved, and that no agent asked for. */
import type { PermissionMode } from '../../../shared/events/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { CommandLimits } from '../ports/sandbox.ts'
import type { ToolSession } from '../ports/tool.ts'
import { isExcluded } from './confine-command.ts'
import { decideCall, type JudgedCall, type PermitDeps } from './decide-call.ts'

interface UserCommand {
  readonly command: string
  readonly cwd: string
  /** The folder whose rules and trust count. */
  readonly project: string
  readonly worktree: ToolSession['worktree']
  readonly readFolders: readonly string[]
  readonly agentId: string
  readonly permissionMode: PermissionMode
  readonly definition: JudgedCall['definition']
}

/**
 * A call that would be asked about may run, and rules that deny it hold. Null: there is no sandbox, or the command runs
 * outside of it. Fails with `denied`.
 */
export async function limitsOfUserCommand(
  deps: PermitDeps,
  given: UserCommand,
  signal: AbortSignal,
): Promise<Result<CommandLimits | null>> {
  const { command, cwd, project, worktree, readFolders, agentId, permissionMode, definition } = given
  const decision = await decideCall(
    deps,
    {
      tool: 'Bash',
      target: { kind: 'command' as const, command },
      // A mode that refuses what it would ask about is not meant for the user's own command.
      mode: {
        permissionMode: permissionMode === 'dontAsk' ? ('default' as const) : permissionMode,
        neverAsks: false,
      },
      session: { root: cwd, project, cwd, worktree, readFolders: new Set(readFolders) },
      // What the definition may run is about the agent, not about the user.
      definition: { ...definition, rules: { denied: [], only: [] } },
      readOnly: false,
    },
    signal,
  )
  if (decision.kind === 'deny') return fail({ type: 'denied', message: decision.because })
  return ok(decision.limits === undefined ? null : { ...decision.limits, agentId })
}

/** A command of a worktree's environment. */
interface EnvironmentCommand extends Pick<UserCommand, 'command' | 'cwd' | 'project' | 'agentId'> {
  readonly worktree: NonNullable<ToolSession['worktree']>
  /** Hosts that it reaches besides those of the settings, unless a rule refuses them. */
  readonly hosts: readonly string[]
}

/**
 * As `limitsOfUserCommand`, but a command stays in the sandbox also where that keeps it from what it is known to do: a
 * repository wrote it. Only commands that the user's settings exclude run outside.
 */
export async function limitsOfEnvironmentCommand(
  deps: PermitDeps,
  { hosts, ...given }: EnvironmentCommand,
  signal: AbortSignal,
): Promise<Result<CommandLimits | null>> {
  const { sandbox } = deps
  const policy = (await sandbox?.policy(given.project)) ?? null
  const wider: PermitDeps =
    sandbox === undefined || policy === null
      ? deps
      : {
          ...deps,
          sandbox: {
            ...sandbox,
            policy: async () => ({ ...policy, domains: [...policy.domains, ...hosts] }),
          },
        }
  const asked = { ...given, ...OF_NO_AGENT, readFolders: [] }
  const limits = await limitsOfUserCommand(wider, asked, signal)
  const isOutside = limits.ok && limits.value === null && policy !== null
  if (!isOutside || isExcluded(given.command, policy)) return limits
  return limitsOfUserCommand(wider, { ...asked, command: 'true' }, signal)
}

const OF_NO_AGENT = {
  permissionMode: 'default' as const,
  definition: {
    writeFolders: [],
    rules: { denied: [], only: [] },
    source: 'built-in' as const,
    name: 'environment',
  },
}
