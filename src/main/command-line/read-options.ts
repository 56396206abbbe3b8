/** Options behind a command's words, and the failure that says what is wrong with them. */
import { parseArgs } from 'node:util'
import { fail, messageOf, ok, type Result } from '../../shared/result.ts'

export interface ReadOptions {
  readonly positionals: readonly string[]
  /** Null where it is not given. */
  text(name: string): string | null
  /** Of an option that may be given again and again. */
  texts(name: string): readonly string[]
  flag(name: string): boolean
}

/** `texts`: an option that takes a text each time it is given. */
export type OptionKinds = Readonly<Record<string, 'text' | 'texts' | 'flag'>>

export function readOptions(words: readonly string[], kinds: OptionKinds): Result<ReadOptions> {
  const options = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      { type: kind === 'flag' ? ('boolean' as const) : ('string' as const), multiple: kind === 'texts' },
    ]),
  )
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
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
    return usage(messageOf(thrown).split('. To specify')[0] ?? 'The options could not be read.')
  }
}

export const usage = <T>(message: string): Result<T> => fail({ type: 'usage', message })
