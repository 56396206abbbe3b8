/** Parses `troupe doctor`. */
import { ok, type Result } from '../../shared/result.ts'
import { type OptionKinds, readOptions, usage } from './read-options.ts'

export type DoctorArguments = {
  readonly cwd: string | null
  readonly trust: boolean
  readonly json: boolean
} & (
  | { readonly verb: 'doctor' }
  /** `file`: as given. */
  | { readonly verb: 'doctor-import'; readonly file: string }
)

export const DOCTOR_OPTIONS = { cwd: 'text', trust: 'flag', json: 'flag' } as const satisfies OptionKinds

export function parseDoctor(args: readonly string[]): Result<DoctorArguments> {
  const read = readOptions(args, DOCTOR_OPTIONS)
  if (!read.ok) return read
  const { text, flag, positionals } = read.value
  const options = { cwd: text('cwd'), trust: flag('trust'), json: flag('json') }
  const [action, file, extra] = positionals
  if (action === undefined) return ok({ verb: 'doctor', ...options })
  return action === 'import' && file !== undefined && extra === undefined
    ? ok({ verb: 'doctor-import', file, ...options })
    : usage('Use troupe doctor, or troupe doctor import FILE.')
}
