/** Parses `troupe permissions …`. */

import { ok, type Result } from '../../../shared/kernel/result.ts'
import { type PermissionMode, permissionModes } from '../../../shared/permissions/permission-modes.ts'
import { type OptionKinds, readOptions, usage } from '../../platform/command-line/read-options.ts'
import { GIVEN_AGENTS, type GivenAgents, givenAgents } from '../definitions/command-line/parse-agents.ts'
import type { RunRules } from '../run/run-rules.ts'

interface PermissionsTarget {
  readonly cwd: string | null
  readonly trust: boolean
  readonly rules: RunRules
  readonly json: boolean
}

export interface ExplainPermission extends PermissionsTarget {
  readonly verb: 'permissions-explain'
  /** Whether the exit code is the decision: `troupe permissions test`. */
  readonly tests: boolean
  /** `Bash(npm test)` */
  readonly call: string
  readonly agent: string
  /** Null: the mode of new conversations. */
  readonly mode: PermissionMode | null
  readonly agents: GivenAgents
}

interface ListPermissions extends PermissionsTarget {
  readonly verb: 'permissions-list'
}

interface ApprovePermissions extends PermissionsTarget {
  readonly verb: 'permissions-approve'
}

export type PermissionsArguments = ExplainPermission | ListPermissions | ApprovePermissions

const TARGET = { cwd: 'text', trust: 'flag', allow: 'texts', deny: 'texts', json: 'flag' } as const

const EXPLAIN = { ...TARGET, agent: 'text', mode: 'text', ...GIVEN_AGENTS } as const

/** The options of each command. */
export const PERMISSIONS_OPTIONS = {
  test: EXPLAIN,
  explain: EXPLAIN,
  list: TARGET,
  approve: TARGET,
} as const satisfies Record<string, OptionKinds>

export function parsePermissions([action, ...args]: readonly string[]): Result<PermissionsArguments> {
  if (action !== 'list' && action !== 'approve' && action !== 'explain' && action !== 'test')
    return usage(
      `Use troupe permissions list, or troupe permissions test 'Bash(npm test)'${action === undefined ? '' : `, not "${action}"`}.`,
    )
  const read = readOptions(args, PERMISSIONS_OPTIONS[action])
  if (!read.ok) return read
  const { text, texts, flag, positionals } = read.value
  const target = {
    cwd: text('cwd'),
    trust: flag('trust'),
    rules: { allow: texts('allow'), deny: texts('deny') },
    json: flag('json'),
  }
  const [call, extra] = positionals
  if (action === 'list' || action === 'approve')
    return call === undefined
      ? ok({ verb: `permissions-${action}`, ...target })
      : usage(`Unexpected argument "${call}": troupe permissions ${action} takes none.`)
  if (call === undefined || extra !== undefined)
    return usage(`Give one call in quotes: troupe permissions ${action} 'Bash(npm test && rm -rf x)'`)
  const wanted = text('mode')
  const mode = permissionModes.find((one) => one === wanted) ?? null
  if (wanted !== null && mode === null)
    return usage(`Unknown permission mode "${wanted}". Use one of: ${permissionModes.join(', ')}.`)
  const agents = givenAgents(read.value)
  if (!agents.ok) return agents
  return ok({
    verb: 'permissions-explain',
    tests: action === 'test',
    ...target,
    call,
    agent: text('agent') ?? 'main',
    mode,
    agents: agents.value,
  })
}
