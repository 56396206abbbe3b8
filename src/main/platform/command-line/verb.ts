/**
 * A verb of the command line as one declaration: its words, arguments, options and what it runs. Parsing, help and docs
 * come from it, and so do the types of the values that it runs with.
 */
import { parseArgs } from 'node:util'
import { fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'

/** An option of a verb. */
export interface Option<Value> {
  /** `texts`: repeatable. */
  readonly kind: 'flag' | 'text' | 'texts'
  /** The name of its value in the help, in capitals; empty for a flag. */
  readonly value: string
  /** Empty: an option that only the program itself gives. */
  readonly help: string
  /** The value, from what was given; fails with a sentence for the user. */
  readonly read: (given: string | boolean | (string | boolean)[] | undefined) => Result<Value>
}

export type Options = Readonly<Record<string, Option<unknown>>>

/** True if given. */
export const flag = (help: string): Option<boolean> => ({
  ...{ kind: 'flag', value: '', help },
  read: (given) => ok(given === true),
})

/** Null if not given. */
export const valued = (value: string, help: string): Option<string | null> =>
  checked(value, help, (given) => ok(given))

/** A text that `read` checks or changes. Null if not given. */
export const checked = <Value>(
  value: string,
  help: string,
  read: (given: string) => Result<Value>,
): Option<Value | null> => ({
  ...{ kind: 'text', value, help },
  read: (given) => (typeof given === 'string' ? read(given) : ok(null)),
})

/** One of some words. Null if not given. @param what the noun of the sentence for another word */
export const choice = <const Word extends string>(
  value: string,
  help: string,
  { what, words }: { readonly what: string; readonly words: readonly Word[] },
): Option<Word | null> =>
  checked(value, help, (given) => {
    const word = words.find((one) => one === given)
    return word === undefined
      ? usage(`Unknown ${what} "${given}". Use one of: ${words.join(', ')}.`)
      : ok(word)
  })

/** All values of a repeatable option. */
export const repeatable = (value: string, help: string): Option<readonly string[]> => ({
  ...{ kind: 'texts', value, help },
  read: (given) =>
    ok(Array.isArray(given) ? given.filter((one): one is string => typeof one === 'string') : []),
})

/** The option of most verbs. */
export const asJson = { json: flag('print JSON') }

/** The options of verbs for a folder. */
export const ofFolder = {
  ...asJson,
  cwd: valued('DIR', 'the working folder (default: the current one)'),
  trust: flag('trust the folder, for this command'),
}

/** The arguments by their name in the values: `ID`, `[FOLDER]` (may be missing), `FILE…` or `[FILE…]` (several). */
type Arguments = Readonly<Record<string, string>>

type None = Readonly<Record<never, never>>

type ArgumentValue<Form> = Form extends `${string}…` | `${string}…]`
  ? readonly string[]
  : Form extends `[${string}`
    ? string | null
    : string

type Joined<Words> = Words extends `${infer First} ${infer Rest}` ? `${First}-${Joined<Rest>}` : Words
type Camel<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name

/** What a verb runs with: `mcp add --cwd a` is `{ verb: 'mcp-add', cwd: 'a', … }`; `--agent-file` is `agentFile`. */
type Values<Words, A, O> = { readonly verb: Joined<Words> } & {
  readonly [Name in keyof A]: ArgumentValue<A[Name]>
} & {
  readonly [Name in keyof O as Camel<Name>]: O[Name] extends Option<infer Value> ? Value : never
}

interface Declaration<Words extends string, A extends Arguments, O extends Options> {
  /** `mcp add`; empty: the verb of a command line without one. */
  readonly words: Words
  /** For the help; a line break begins a new line. */
  readonly summary: string
  readonly arguments?: A
  readonly options?: O
  /** Of several verbs with the same words, the one for a command line with one of these options. */
  readonly chosenBy?: readonly string[]
  /** The sentence for a wrong number of arguments. @param given the arguments @param args all words */
  readonly misuse?: string | ((given: readonly string[], args: readonly string[]) => string)
}

/** Declares a verb. `refine` checks and changes the values before they are run; it fails with a sentence. */
export interface DeclareVerb<Root> {
  <const Words extends string, const A extends Arguments = None, O extends Options = None, Refined = unknown>(
    declaration: Declaration<Words, A, O> & {
      readonly refine: (values: Values<Words, A, O>) => Result<Refined>
      readonly run: (root: Root, values: Refined) => Promise<number>
    },
  ): Verb<Root>
  <const Words extends string, const A extends Arguments = None, O extends Options = None>(
    declaration: Declaration<Words, A, O> & {
      readonly run: (root: Root, values: Values<Words, A, O>) => Promise<number>
    },
  ): Verb<Root>
}

export interface Verb<Root> {
  readonly words: string
  readonly summary: string
  /** As in the help. */
  readonly arguments: readonly string[]
  readonly options: Options
  readonly chosenBy: readonly string[]
  /** @param args without the words. The failure is `usage`; its message names the mistake. */
  readonly parse: (args: readonly string[]) => Result<ParsedVerb<Root>>
}

export interface ParsedVerb<Root> {
  readonly values: unknown
  /** @returns the exit code */
  readonly run: (root: Root) => Promise<number>
}

/** Declares a verb that runs with a root. */
export const declareVerb = <Root>(): DeclareVerb<Root> => declare

interface AnyDeclaration<Root> extends Declaration<string, Arguments, Options> {
  readonly refine?: (values: never) => Result<unknown>
  readonly run: (root: Root, values: never) => Promise<number>
}

function declare<Root>(declaration: AnyDeclaration<Root>): Verb<Root> {
  const { words, summary, options = {}, chosenBy = [], refine, run } = declaration
  return {
    ...{ words, summary, options, chosenBy },
    arguments: Object.values(declaration.arguments ?? {}),
    parse: (args) => {
      const read = readValues(args, declaration)
      if (!read.ok) return read
      // The values have the types of the declaration.
      const refined = refine?.(read.value as never) ?? read
      return refined.ok
        ? ok({ values: refined.value, run: (root) => run(root, refined.value as never) })
        : refined
    },
  }
}

function readValues(
  args: readonly string[],
  declaration: Declaration<string, Arguments, Options>,
): Result<Readonly<Record<string, unknown>>> {
  const options = Object.entries(declaration.options ?? {})
  const parsed = parse(args, declaration.options ?? {})
  if (!parsed.ok) return parsed
  const { positionals, values: given } = parsed.value
  const values: Record<string, unknown> = { verb: declaration.words.replaceAll(' ', '-') }
  const forms = Object.entries(declaration.arguments ?? {})
  const isMany = /…\]?$/.test(forms.at(-1)?.[1] ?? '')
  const fewest = forms.filter(([, form]) => !form.startsWith('[')).length
  if (positionals.length < fewest || (positionals.length > forms.length && !isMany))
    return usage(misuse(declaration, positionals, args))
  for (const [at, [name, form]] of forms.entries())
    values[name] = /…\]?$/.test(form) ? positionals.slice(at) : (positionals[at] ?? null)
  for (const [name, option] of options) {
    const value = option.read(given[name])
    if (!value.ok) return value
    values[name.replaceAll(/-(.)/g, (_, first: string) => first.toUpperCase())] = value.value
  }
  return ok(values)
}

function misuse(
  { words, arguments: forms = {}, misuse: sentence }: Declaration<string, Arguments, Options>,
  given: readonly string[],
  args: readonly string[],
): string {
  if (typeof sentence === 'function') return sentence(given, args)
  if (sentence !== undefined) return sentence
  const all = Object.values(forms)
  return all.length === 0
    ? `Unexpected argument "${given[0]}": troupe ${words} takes none.`
    : `Use troupe ${words} ${all.join(' ')}.`
}

function parse(args: readonly string[], options: Options) {
  try {
    return ok(parseArgs({ args: [...args], options: parserOptions(options), allowPositionals: true }))
  } catch (thrown) {
    return usage(messageOf(thrown).split('. To specify')[0] ?? 'The options are not valid.')
  }
}

/** The options as Node's parser takes them. */
export const parserOptions = (options: Options) =>
  Object.fromEntries(
    Object.entries(options).map(([name, { kind }]) => [
      name,
      { type: kind === 'flag' ? ('boolean' as const) : ('string' as const), multiple: kind === 'texts' },
    ]),
  )

/** Reads a JSON object. The failure is a sentence. */
export function readObject(text: string): Result<object> {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? ok(value) : usage('It is not an object.')
  } catch (thrown) {
    return usage(sentence(messageOf(thrown)))
  }
}

/** The failure for a wrong command line. @param message a sentence */
export const usage = (message: string): Result<never> => fail({ type: 'usage', message })
