/** Parses `troupe hooks …`. */
import { type HookEvent, hookEvents } from '../../../shared/hooks/hooks.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { type OptionKinds, readOptions, usage } from '../../platform/command-line/read-options.ts'

interface HooksTarget {
  readonly cwd: string | null
  readonly trust: boolean
  readonly json: boolean
}

export type HooksArguments = HooksTarget &
  (
    | { readonly verb: 'hooks-list' }
    /** `number`: the hook's place in the list, from 1. */
    | { readonly verb: 'hooks-approve' | 'hooks-refuse'; readonly number: number }
    | {
        readonly verb: 'hooks-test'
        readonly event: HookEvent
        readonly tool: string
        readonly input: unknown
      }
  )

/** The options of each command. */
export const HOOKS_OPTIONS = {
  cwd: 'text',
  trust: 'flag',
  json: 'flag',
  tool: 'text',
  input: 'text',
} as const satisfies OptionKinds

export function parseHooks([action, ...args]: readonly string[]): Result<HooksArguments> {
  const read = readOptions(args, HOOKS_OPTIONS)
  if (!read.ok) return read
  const { text, flag, positionals } = read.value
  const target = { cwd: text('cwd'), trust: flag('trust'), json: flag('json') }
  const [given, extra] = positionals
  if (extra !== undefined) return usage(`Unexpected argument "${extra}".`)
  switch (action) {
    case 'list':
      return given === undefined
        ? ok({ verb: 'hooks-list', ...target })
        : usage(`Unexpected argument "${given}": troupe hooks list takes none.`)
    case 'approve':
    case 'refuse':
      return /^[1-9]\d*$/.test(given ?? '')
        ? ok({ verb: `hooks-${action}`, ...target, number: Number(given) })
        : usage(`Give the number of a hook from troupe hooks list: troupe hooks ${action} 1`)
    case 'test': {
      const event = hookEvents.find((one) => one === given)
      if (event === undefined) return usage(`Give an event: ${hookEvents.join(', ')}.`)
      const input = jsonOf(text('input') ?? '{}')
      return input === null
        ? usage('--input must be a JSON object: --input \'{"command":"ls"}\'')
        : ok({ verb: 'hooks-test', ...target, event, tool: text('tool') ?? 'Bash', input })
    }
    default:
      return usage(
        `Use troupe hooks list, test, approve or refuse${action === undefined ? '' : `, not "${action}"`}.`,
      )
  }
}

function jsonOf(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
