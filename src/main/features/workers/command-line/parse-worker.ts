/** Parses `troupe worker`. */
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import { type OptionKinds, readOptions, usage } from '../../../platform/command-line/read-options.ts'

export interface WorkerArguments {
  readonly verb: 'worker'
  /** The agent to carry out: by its id, or as a member of a team. */
  readonly agent: { readonly id: string } | { readonly team: string; readonly name: string }
  /** Where the access to a model comes from: `-` or a file. Null: from the environment. */
  readonly access: string | null
  /** ms without work after which the worker ends; null: it stays. */
  readonly idleMs: number | null
}

/** The options of `troupe worker` for a team member. */
export const WORKER_OPTIONS = {
  agent: 'text',
  team: 'text',
  name: 'text',
  access: 'text',
  idle: 'text',
} as const satisfies OptionKinds

export function parseWorker(args: readonly string[]): Result<WorkerArguments> {
  const read = readOptions(args, WORKER_OPTIONS)
  if (!read.ok) return read
  const { text, positionals } = read.value
  if (positionals.length > 0) return usage(`Unknown argument "${positionals.join(' ')}". ${EXAMPLE}`)
  const [id, team, name, idle] = [text('agent'), text('team'), text('name'), text('idle')]
  if (idle !== null && !/^\d{1,6}$/.test(idle))
    return usage(`--idle must be a whole number of seconds, not "${idle}".`)
  if (id !== null && (team !== null || name !== null))
    return usage('--agent and --team with --name exclude each other. Give only one.')
  if (id === null && (team === null || name === null))
    return usage(`Which team member to carry out is missing. ${EXAMPLE}`)
  return ok({
    verb: 'worker',
    agent: id !== null ? { id } : { team: team ?? '', name: name ?? '' },
    access: text('access'),
    idleMs: idle === null ? null : Number(idle) * 1000,
  })
}

const EXAMPLE = 'Example: troupe worker --team payments --name tester'
