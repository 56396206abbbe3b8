/** Parses `troupe trust …`. */
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { readOptions, usage } from '../../platform/command-line/read-options.ts'

export type TrustArguments =
  | { readonly verb: 'trust-list'; readonly json: boolean }
  | {
      readonly verb: 'trust-add' | 'trust-revoke'
      /** As given; null: the current folder. */
      readonly folder: string | null
      readonly json: boolean
    }

export const TRUST_OPTIONS = { json: 'flag' } as const

export function parseTrust([action, ...args]: readonly string[]): Result<TrustArguments> {
  if (action !== 'list' && action !== 'add' && action !== 'revoke')
    return usage(
      `Use troupe trust list, troupe trust add [FOLDER], or troupe trust revoke [FOLDER]${action === undefined ? '' : `, not "${action}"`}.`,
    )
  const read = readOptions(args, TRUST_OPTIONS)
  if (!read.ok) return read
  const { positionals, flag } = read.value
  const [folder = null, extra] = positionals
  const json = flag('json')
  if (action === 'list')
    return folder === null
      ? ok({ verb: 'trust-list', json })
      : usage(`Unexpected argument "${folder}": troupe trust list takes none.`)
  if (extra !== undefined) return usage(`Give one folder: troupe trust ${action} ${folder}`)
  return ok({ verb: `trust-${action}`, folder, json })
}
