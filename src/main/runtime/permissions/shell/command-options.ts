/** Parses a command's options. Options that are not in the table are refused. */
import type { ShellWord } from './shell-syntax.ts'

export interface OptionTable {
  /** Letters as in getopt: `a` has no value, `b:` requires one, `c::` may have one. */
  readonly short?: string
  /** Names separated by spaces, with the same colons. */
  readonly long?: string
  /** `-5` is a number of lines. */
  readonly numeric?: boolean
  /**
   * The worst option that an unknown argument could become: `harmless` if no option reads another file, `reads` if
   * some do. Left out if some option changes or runs something.
   */
  readonly unknown?: 'harmless' | 'reads'
}

export interface ReadOptions {
  readonly ok: true
  readonly options: readonly { readonly name: string; readonly value: string | null }[]
  readonly operands: readonly ShellWord[]
  /** An operand may become an option that reads another file. */
  readonly unclear: boolean
}

type CommandOptions = ReadOptions | { readonly ok: false; readonly because: string }

/** Options may follow operands, as in GNU programs and git. */
export function readOptions(words: readonly ShellWord[], table: OptionTable): CommandOptions {
  const long = longOptions(table.long ?? '')
  const options: { name: string; value: string | null }[] = []
  const operands: ShellWord[] = []
  let unclear = false
  let ended = false
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]
    if (word === undefined) break
    const mayBeOption = !ended && isPattern(word) && (word.start === '' || word.start.startsWith('-'))
    if (mayBeOption && (table.unknown === undefined || word.start !== '')) return refused(mayExpand(word))
    if (word.value === null) {
      unclear ||= mayBeOption && table.unknown === 'reads'
      operands.push(word)
      continue
    }
    const { value } = word
    if (!value.startsWith('-') || value === '-') {
      operands.push(word)
      continue
    }
    // Some programs still read an option after `--`.
    if (ended) return refused(`${value} follows --`)
    if (value === '--') {
      ended = true
      continue
    }
    const read = value.startsWith('--')
      ? readLong(value, long)
      : table.numeric && /^-[0-9]+$/.test(value)
        ? { options: [], needs: null }
        : readShort(value, table.short ?? '')
    if (read === null) return refused(`${value} is not known to be safe`)
    options.push(...read.options)
    if (read.needs === null) continue
    const next = words[at + 1]
    // A value with a dash could be an option to another version of the program.
    if (next === undefined || next.value === null || next.glob || next.value.startsWith('-'))
      return refused(`${value} has an unknown value`)
    options.push({ name: read.needs, value: next.value })
    at += 1
  }
  return { ok: true, options, operands, unclear }
}

/** Whether the word can become another one. The pattern in `--include=*.ts` stays the value of that option. */
function isPattern({ value, start, glob }: ShellWord): boolean {
  return value === null || (glob && !/^--[\w-]+=/.test(start))
}

interface ReadOption {
  readonly options: readonly { readonly name: string; readonly value: string | null }[]
  /** The option whose value is the next word. */
  readonly needs: string | null
}

function readLong(word: string, known: ReadonlyMap<string, string>): ReadOption | null {
  const equals = word.indexOf('=')
  const name = equals < 0 ? word.slice(2) : word.slice(2, equals)
  const kind = known.get(name)
  if (kind === undefined) return null
  if (equals >= 0)
    return kind === '' ? null : { options: [{ name, value: word.slice(equals + 1) }], needs: null }
  return kind === ':' ? { options: [], needs: name } : { options: [{ name, value: null }], needs: null }
}

function readShort(word: string, known: string): ReadOption | null {
  const options: { name: string; value: string | null }[] = []
  for (let at = 1; at < word.length; at += 1) {
    const name = word[at] ?? ''
    const position = name === ':' ? -1 : known.indexOf(name)
    if (position < 0) return null
    const rest = word.slice(at + 1)
    if (known[position + 1] !== ':') options.push({ name, value: null })
    else if (rest !== '') return { options: [...options, { name, value: rest }], needs: null }
    else if (known[position + 2] === ':') return { options: [...options, { name, value: null }], needs: null }
    else return { options, needs: name }
  }
  return { options, needs: null }
}

function longOptions(list: string): ReadonlyMap<string, string> {
  const known = new Map<string, string>()
  for (const entry of list.split(' ')) {
    const name = entry.replace(/:+$/, '')
    if (name !== '') known.set(name, entry.slice(name.length))
  }
  return known
}

function refused(because: string): CommandOptions {
  return { ok: false, because }
}

/** The reason for an argument that could become an option. */
export function mayExpand(word: ShellWord): string {
  return `${word.text} could become an option when it runs (write ./ or -- before a pattern)`
}
