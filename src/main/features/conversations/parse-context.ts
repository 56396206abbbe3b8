/** Parses `troupe context …`. */
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { type OptionKinds, readOptions, usage } from '../../platform/command-line/read-options.ts'

export interface ContextArguments {
  readonly verb: 'context'
  /** A conversation's id. */
  readonly id: string
  /** An agent's id or name. Null: the main agent. */
  readonly agent: string | null
  readonly json: boolean
}

export const CONTEXT_OPTIONS = { agent: 'text', json: 'flag' } as const satisfies OptionKinds

export function parseContext(args: readonly string[]): Result<ContextArguments> {
  const read = readOptions(args, CONTEXT_OPTIONS)
  if (!read.ok) return read
  const { text, flag, positionals } = read.value
  const [id, extra] = positionals
  if (id === undefined || extra !== undefined)
    return usage('Give one conversation: troupe context ID. See the ids with: troupe conversations list')
  return ok({ verb: 'context', id, agent: text('agent'), json: flag('json') })
}
