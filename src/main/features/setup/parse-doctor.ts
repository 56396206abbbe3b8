/** Parses `troupe doctor`. */
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { type OptionKinds, readOptions, usage } from '../../platform/command-line/read-options.ts'

export type DoctorArguments = {
  readonly cwd: string | null
  readonly trust: boolean
  readonly json: boolean
} & (
  | { readonly verb: 'doctor' }
  /** `file`: as given; null: all files. `yes`: the user has agreed already. */
  | { readonly verb: 'doctor-import'; readonly file: string | null; readonly yes: boolean }
  | { readonly verb: 'doctor-undo'; readonly file: string }
)

export const DOCTOR_OPTIONS = {
  ...{ cwd: 'text', trust: 'flag', json: 'flag' },
  ...{ all: 'flag', yes: 'flag' },
} as const satisfies OptionKinds

/** Fails with `usage`. */
export function parseDoctor(args: readonly string[]): Result<DoctorArguments> {
  const read = readOptions(args, DOCTOR_OPTIONS)
  if (!read.ok) return read
  const { text, flag, positionals } = read.value
  const options = { cwd: text('cwd'), trust: flag('trust'), json: flag('json') }
  const [action, file = null, extra] = positionals
  const isImport = action === 'import' && (file === null) === flag('all')
  if (extra === undefined && isImport)
    return ok({ verb: 'doctor-import', file, yes: flag('yes'), ...options })
  if (!flag('all') && !flag('yes') && extra === undefined) {
    if (action === undefined) return ok({ verb: 'doctor', ...options })
    if (action === 'undo' && file !== null) return ok({ verb: 'doctor-undo', file, ...options })
  }
  return usage('Use troupe doctor, troupe doctor import FILE (or --all), or troupe doctor undo FILE.')
}
