/** Commands that run another command. The permission check judges the inner command. */
import type { ShellWord } from './shell-syntax.ts'

export interface Unwrapped {
  readonly words: readonly ShellWord[]
  /** `NAME=value` arguments of `env`. */
  readonly assignments: readonly ShellWord[]
  /** Further arguments come from the input (`xargs`). */
  readonly openEnded: boolean
  /** A file that the wrapper may write. */
  readonly writes: string | null
}

/** Removes `time`, `command`, `nohup`, `nice`, `timeout`, `env A=b` and `xargs` in their known forms. */
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
/** The words after the wrapper's own arguments; null if those are unknown. */
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
    const rest = withoutOptions(words, {
      alone: /^(--preserve-status|--foreground|-v|--verbose|--(signal|kill-after)=.*)$/,
      withNext: /^-[ks]$/,
    })
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
    const rest = withoutOptions(words, {
      alone: /^(-0|-r|--null|--no-run-if-empty|-[nPL][0-9]+|--max-(args|procs|lines)=[0-9]+)$/,
      withNext: /^-[nPL]$/,
    })
    return rest === null ? null : plain(rest)
  },
}

interface KnownOptions {
  /** Options without a value, or with the value in the same word. */
  readonly alone: RegExp
  /** Options whose value is the next word. A value with a dash is unknown. */
  readonly withNext: RegExp
}

/** Skips known options. Null at an unknown one. */
function withoutOptions(
  words: readonly ShellWord[],
  { alone, withNext }: KnownOptions,
): readonly ShellWord[] | null {
  let at = 0
  for (;;) {
    const word = words[at]
    if (word === undefined || !isOption(word)) return words.slice(at)
    const { value } = word
    if (value === null) return null
    if (alone.test(value)) at += 1
    else if (withNext.test(value) && /^[^-]/.test(words[at + 1]?.value ?? '')) at += 2
    else return null
  }
}

/** Whether a word is an option, or could become one. */
function isOption(word: ShellWord | undefined): boolean {
  return word !== undefined && (word.start === '' || word.start.startsWith('-'))
}
