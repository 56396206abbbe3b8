/** Parses a command's options, and makes the failure for invalid ones. */
import { parseArgs } from 'node:util'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'

export interface ReadOptions {
  readonly positionals: readonly string[]
  /** Null if the option is not given. */
  text(name: string): string | null
  /** All values of a repeatable option. */
  texts(name: string): readonly string[]
  flag(name: string): boolean
}

/** `texts`: a repeatable option with a value. */
export type OptionKinds = Readonly<Record<string, 'text' | 'texts' | 'flag'>>

export function readOptions(args: readonly string[], kinds: OptionKinds): Result<ReadOptions> {
  const options = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      { type: kind === 'flag' ? ('boolean' as const) : ('string' as const), multiple: kind === 'texts' },
    ]),
  )
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: true,
    })
    return ok({
      positionals,
      text: (name) => {
        const value = values[name]
        return typeof value === 'string' ? value : null
      },
      texts: (name) => {
        const value = values[name]
        return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
      },
      flag: (name) => values[name] === true,
    })
  } catch (thrown) {
    return usage(messageOf(thrown).split('. To specify')[0] ?? 'The options are not valid.')
  }
}

export const usage = <T>(message: string): Result<T> => fail({ type: 'usage', message })
