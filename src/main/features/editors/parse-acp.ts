/** Parses `troupe acp …`. */

import { ok, type Result } from '../../../shared/kernel/result.ts'
import { type PermissionMode, permissionModes } from '../../../shared/permissions/permission-modes.ts'
import { type OptionKinds, readOptions, usage } from '../../platform/command-line/read-options.ts'
import { GIVEN_AGENTS, type GivenAgents, givenAgents } from '../definitions/command-line/parse-agents.ts'
import type { RunRules } from '../run/run-rules.ts'

export interface AcpArguments {
  readonly verb: 'acp'
  readonly agent: string | null
  readonly model: string | null
  readonly permissionMode: PermissionMode | null
  readonly trust: boolean
  readonly rules: RunRules
  readonly mcpConfig: readonly string[]
  readonly rehearsal: boolean
  readonly scenario: string | null
  readonly agents: GivenAgents
}

export const ACP_OPTIONS = {
  agent: 'text',
  model: 'text',
  'permission-mode': 'text',
  trust: 'flag',
  allow: 'texts',
  deny: 'texts',
  'mcp-config': 'texts',
  rehearsal: 'flag',
  scenario: 'text',
  ...GIVEN_AGENTS,
} as const satisfies OptionKinds

export function parseAcp(args: readonly string[]): Result<AcpArguments> {
  const read = readOptions(args, ACP_OPTIONS)
  if (!read.ok) return read
  const { text, texts, flag, positionals } = read.value
  if (positionals.length > 0)
    return usage('troupe acp takes no task and no folder: the editor sends them. See docs/using/editors.md.')
  const agents = givenAgents(read.value)
  if (!agents.ok) return agents
  const mode = text('permission-mode')
  const known = permissionModes.find((candidate) => candidate === mode)
  if (mode !== null && known === undefined)
    return usage(`Unknown permission mode "${mode}". Use one of: ${permissionModes.join(', ')}.`)
  if (flag('rehearsal') && text('scenario') !== null)
    return usage('--rehearsal and --scenario exclude each other. Give only one.')
  return ok({
    verb: 'acp',
    agent: text('agent'),
    model: text('model'),
    permissionMode: known ?? null,
    trust: flag('trust'),
    rules: { allow: texts('allow'), deny: texts('deny') },
    mcpConfig: texts('mcp-config'),
    rehearsal: flag('rehearsal'),
    scenario: text('scenario'),
    agents: agents.value,
  })
}
