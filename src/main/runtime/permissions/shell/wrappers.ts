/** Commands that run another command: what they run is what is judged. */
import type { ShellWord } from './shell-syntax.ts'

export interface Unwrapped {
  readonly words: readonly ShellWord[]
  /** `NAME=value` that came with `env`. */
  readonly assignments: readonly ShellWord[]
  /** More arguments come from elsewhere (`xargs`). */
  readonly openEnded: boolean
  /** A file that the wrapper itself may write. */
  readonly writes: string | null
}

/** Takes off `time`, `command`, `nohup`, `nice`, `timeout`, `env A=b` and `xargs`, in the forms that are understood. */
export function unwrap(words: readonly ShellWord[]): Unwrapped {
  let result: Unwrapped = { words, assignments: [], openEnded: false, writes: null }
  for (;;) {
    const name = result.words[0]?.value
    const wrapper = typeof name === 'string' && Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined
    const inner = wrapper?.(result.words.slice(1))
    if (!inner || inner.words.length === 0) return result
    result = {
      words: inner.words,
      assignments: [...result.assignments, ...(inner.assignments ?? [])],
      openEnded: result.openEnded || name === 'xargs',
      writes: name === 'nohup' ? 'nohup.out' : result.writes,
    }
  }
}

type Inner = { readonly words: readonly ShellWord[]; readonly assignments?: readonly ShellWord[] }
/** What is left of the words after the wrapper's own; null where they are not understood. */
type Wrapper = (words: readonly ShellWord[]) => Inner | null

const plain: Wrapper = (words) => (isOption(words[0]) ? null : { words })

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  time: (words) => plain(words[0]?.value === '-p' ? words.slice(1) : words),
  command: plain,
  nohup: plain,
  nice: (words) => {
    if (words[0]?.value === '-n' && /^-?[0-9]+$/.test(words[1]?.value ?? '')) return plain(words.slice(2))
    return plain(words)
  },
  timeout: (words) => {
    const rest = withoutOptions(
      words,
      /^(--preserve-status|--foreground|-v|--verbose)$/,
      /^-[ks]$/,
      /^--(signal|kill-after)=/,
    )
    if (rest === null || !/^[0-9.]+[smhd]?$/.test(rest[0]?.value ?? '')) return null
    return plain(rest.slice(1))
  },
  env: (words) => {
    const end = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word.text))
    if (end < 0) return null
    const inner = plain(words.slice(end))
    return inner && { ...inner, assignments: words.slice(0, end) }
  },
  xargs: (words) => {
    const rest = withoutOptions(
      words,
      /^(-0|-r|--null|--no-run-if-empty)$/,
      /^-[nPL]$/,
      /^(-[nPL][0-9]+|--max-(args|procs|lines)=[0-9]+)$/,
    )
    return rest === null ? null : plain(rest)
  },
}

/** Steps over options that stand alone, that take the next word (a value without a dash), or that carry their value. */
function withoutOptions(
  words: readonly ShellWord[],
  alone: RegExp,
  withNext: RegExp,
  carrying: RegExp,
): readonly ShellWord[] | null {
  let at = 0
  for (;;) {
    const word = words[at]
    if (word === undefined || !isOption(word)) return words.slice(at)
    const { value } = word
    if (value === null) return null
    if (alone.test(value) || carrying.test(value)) at += 1
    else if (withNext.test(value) && /^[^-]/.test(words[at + 1]?.value ?? '')) at += 2
    else return null
  }
}

/** Whether a word is an option or could become one. */
function isOption(word: ShellWord | undefined): boolean {
  return word !== undefined && (word.start === '' || word.start.startsWith('-'))
}
