/** Parses `troupe programs …`. */
import { type ProgramId, programIds } from '../../../shared/external-agents/outside-program.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { type OptionKinds, readOptions, usage } from '../../platform/command-line/read-options.ts'

export interface CustomProgram {
  readonly name: string
  readonly description: string
  readonly command: string
  readonly args: readonly string[]
  /** The names of the variables that it gets. */
  readonly env: readonly string[]
}

export type ProgramsArguments =
  | { readonly verb: 'programs-list'; readonly json: boolean }
  | {
      readonly verb: 'programs-install'
      readonly id: ProgramId
      /** Whether the user has agreed already. */
      readonly yes: boolean
      readonly json: boolean
    }
  | {
      readonly verb: 'programs-update'
      /** Null: all that Troupe installed. */
      readonly id: ProgramId | null
      readonly yes: boolean
      readonly json: boolean
    }
  | {
      readonly verb: 'programs-remove' | 'programs-check' | 'programs-enable' | 'programs-disable'
      readonly id: ProgramId
      readonly json: boolean
    }
  | { readonly verb: 'programs-add'; readonly program: CustomProgram; readonly json: boolean }

const OPTIONS = { json: 'flag' } as const satisfies OptionKinds
export const PROGRAMS_OPTIONS = { ...OPTIONS, yes: 'flag' } as const satisfies OptionKinds
export const PROGRAMS_ADD_OPTIONS = {
  ...OPTIONS,
  description: 'text',
  env: 'texts',
} as const satisfies OptionKinds

const ACTIONS = ['install', 'update', 'remove', 'check', 'enable', 'disable'] as const

export function parsePrograms([action, ...args]: readonly string[]): Result<ProgramsArguments> {
  if (action === 'add') return parseAdd(args)
  const known = ACTIONS.find((one) => one === action)
  if (action !== 'list' && known === undefined)
    return usage(
      `Use troupe programs list, install, update, remove, check, enable, disable or add${action === undefined ? '' : `, not "${action}"`}.`,
    )
  const asks = known === 'install' || known === 'update'
  const read = readOptions(args, asks ? PROGRAMS_OPTIONS : OPTIONS)
  if (!read.ok) return read
  const { flag, positionals } = read.value
  const [name, extra] = positionals
  const json = flag('json')
  if (known === undefined)
    return name === undefined
      ? ok({ verb: 'programs-list', json })
      : usage(`Unexpected argument "${name}": troupe programs list takes none.`)
  const id = programIds.find((one) => one === name)
  const isAll = known === 'update' && name === undefined
  if (extra !== undefined || (id === undefined && !isAll))
    return usage(`Give one program: troupe programs ${known} NAME. NAME is one of: ${programIds.join(', ')}.`)
  if (known === 'update') return ok({ verb: 'programs-update', id: id ?? null, yes: flag('yes'), json })
  if (id === undefined) return usage(`Give one program: troupe programs ${known} NAME.`)
  return known === 'install'
    ? ok({ verb: 'programs-install', id, yes: flag('yes'), json })
    : ok({ verb: `programs-${known}`, id, json })
}

/** `troupe programs add NAME -- COMMAND [ARG…]` */
function parseAdd(args: readonly string[]): Result<ProgramsArguments> {
  const read = readOptions(args, PROGRAMS_ADD_OPTIONS)
  if (!read.ok) return read
  const { text, texts, flag, positionals } = read.value
  const [name, command, ...rest] = positionals
  if (name === undefined || command === undefined)
    return usage('Use troupe programs add NAME --description TEXT -- COMMAND ARGUMENTS')
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$/.test(name))
    return usage(`"${name}" can't be the name of an agent. Use letters, digits, - and _.`)
  const description = text('description')?.trim() ?? ''
  if (description === '')
    return usage('Say when to use it, for the main agent that chooses: --description "TEXT".')
  const env = texts('env')
  const wrong = env.find((each) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(each))
  if (wrong !== undefined)
    return usage(`--env takes the name of a variable, without a value, not "${wrong}".`)
  return ok({
    verb: 'programs-add',
    program: { name, description, command, args: rest, env },
    json: flag('json'),
  })
}
