/** All verbs of a command line as one table: it finds the verb that is meant, and makes the help from the declarations. */
import { parseArgs } from 'node:util'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { type Option, type ParsedVerb, parserOptions, usage, type Verb } from './verb.ts'

/** What a command line asks for. */
export type Wanted<Root> =
  | ({ readonly kind: 'verb' } & ParsedVerb<Root>)
  /** `of`: the words that the user asks about; null: all. */
  | { readonly kind: 'help'; readonly of: string | null }
  | { readonly kind: 'version' }

/** Finds and parses the verb. The failure is `usage`; its message names the mistake. */
export function readCommandLine<Root>(
  verbs: readonly Verb<Root>[],
  args: readonly string[],
): Result<Wanted<Root>> {
  const [first, ...rest] = args
  // --help counts anywhere before `--`.
  const end = args.indexOf('--')
  if (args.slice(0, end < 0 ? undefined : end).some((arg) => arg === '--help' || arg === '-h')) {
    const words = args.slice(0, 2).join(' ')
    const named = verbs.some((verb) => verb.words === words) ? words : (first ?? '')
    return ok({ kind: 'help', of: named.startsWith('-') ? null : named })
  }
  if (first === 'help') return ok({ kind: 'help', of: rest.join(' ') || null })
  if (first === '--version' || first === '-v') return ok({ kind: 'version' })
  const found = verbFor(verbs, args)
  if (!found.ok) return found
  const parsed = found.value.verb.parse(found.value.args)
  return parsed.ok ? ok({ kind: 'verb', ...parsed.value }) : parsed
}

interface Found<Root> {
  readonly verb: Verb<Root>
  /** Without the words. */
  readonly args: readonly string[]
}

function verbFor<Root>(verbs: readonly Verb<Root>[], args: readonly string[]): Result<Found<Root>> {
  const [first, ...rest] = args
  const wordless = verbs.find(({ words }) => words === '')
  const group = verbs.filter(({ words }) => words !== '' && words.split(' ')[0] === first)
  if (first === undefined || group.length === 0) {
    const isPath = first === undefined || (!first.startsWith('-') && /[/\\.]/.test(first))
    const isOption = Object.keys(wordless?.options ?? {}).some((name) => isGiven(name, first))
    if (wordless && (isPath || isOption)) return ok({ verb: wordless, args })
    return usage(
      first?.startsWith('-')
        ? `Unknown option ${first}.`
        : `Unknown command "${first}". To open a folder, write ./${first}.`,
    )
  }
  const at = placeOfAction(group, rest)
  const action = group.find(({ words }) => words === `${first} ${rest[at]}`)
  if (action) return ok({ verb: action, args: rest.toSpliced(at, 1) })
  const plain = group.filter(({ words }) => words === first)
  const chosen =
    plain.find(({ chosenBy }) => chosenBy.some((name) => rest.some((arg) => isGiven(name, arg)))) ??
    plain.find(({ chosenBy }) => chosenBy.length === 0)
  if (chosen) return ok({ verb: chosen, args: rest })
  const actions = group.map(({ words }) => words.split(' ')[1] ?? '')
  const given = rest[Math.max(at, 0)]
  return usage(
    `Use troupe ${first} ${[actions.slice(0, -1).join(', '), actions.at(-1)].filter(Boolean).join(' or ')}${given === undefined ? '' : `, not "${given}"`}.`,
  )
}

const isGiven = (name: string, arg: string | undefined): boolean =>
  arg === `--${name}` || arg?.startsWith(`--${name}=`) === true

/** The place of the first word that is neither an option nor an option's value; -1: there is none. */
function placeOfAction<Root>(group: readonly Verb<Root>[], args: readonly string[]): number {
  const { tokens } = parseArgs({
    args: [...args],
    options: parserOptions(Object.assign({}, ...group.map(({ options }) => options))),
    ...{ allowPositionals: true, strict: false, tokens: true },
  })
  return tokens.find(({ kind }) => kind === 'positional')?.index ?? -1
}

const EXIT_CODES =
  'Exit codes: 0 done, 1 failed (agent failed, definition has an error, worktree not merged or removed), 2 wrong usage, 3 no access to a model, 4 a limit was reached, 5 the report has not the form of --output-schema, 6 the check of --until or the verification failed, 7 work of a coordinator is not merged, 130 interrupted.'

const NOTES = `A run has no user to ask: permission requests are denied, unless the permission mode or a rule allows the call.
Environment: ANTHROPIC_API_KEY (key), ANTHROPIC_BASE_URL (another API), TROUPE_HOME (data folder), TROUPE_COORDINATOR_MODE=1 (like --coordinator).
${EXIT_CODES}`

/** The help of one verb (`mcp add`), of all with the same first word (`mcp`), or of all, also for unknown words. */
export function helpText<Root>(verbs: readonly Verb<Root>[], of: string | null): string {
  const named = verbs.filter(({ words }) => words === of)
  const group = verbs.filter(({ words }) => words !== '' && words.split(' ')[0] === of)
  const own = named.length > 0 && of?.includes(' ') ? named : group
  if (own.length > 0)
    return [...groupLines(own, new Map()), '', EXIT_CODES, 'All commands: troupe --help'].join('\n')
  const known = new Map<Option<unknown>, string>()
  return [
    ...verbGroupsOf(verbs).flatMap((one) => groupLines(one, known)),
    'troupe --help, --version; troupe help TOPIC prints a page of the docs, troupe help topics lists them',
    '',
    NOTES,
  ].join('\n')
}

/** The verbs with the same first word together, in the order of the table. */
export function verbGroupsOf<Root>(verbs: readonly Verb<Root>[]): readonly (readonly Verb<Root>[])[] {
  return [...grouped(verbs, ({ words }) => words.split(' ')[0] ?? '').values()]
}

/** `troupe mcp add NAME -- COMMAND…` */
export const typed = <Root>({ words, arguments: forms, chosenBy, options }: Verb<Root>): string => {
  const [by] = chosenBy
  const choosing = by === undefined ? [] : [`--${by} ${options[by]?.value ?? ''}`.trim()]
  return ['troupe', ...(words === '' ? [] : [words]), ...choosing, ...forms].join(' ')
}

/** `--env NAME=V` */
export const optionText = (name: string, { value }: Option<unknown>): string =>
  `--${name}${value === '' ? '' : ` ${value}`}`

/** Options for the help, without those that only the program itself gives. */
export const listedOptions = <Root>({
  options,
}: Verb<Root>): readonly (readonly [string, Option<unknown>])[] =>
  Object.entries(options).filter(([, { help }]) => help !== '')

/** @param known the options that the help has explained already, with the first word of a verb; grows */
function groupLines<Root>(
  group: readonly Verb<Root>[],
  known: Map<Option<unknown>, string>,
): readonly string[] {
  const names = new Map(group.flatMap(listedOptions).map(([name, option]) => [option, name]))
  const users = (option: Option<unknown>) =>
    group.filter((verb) => Object.values(verb.options).includes(option))
  /** The verbs that have the option, if not all have it. */
  const prefix = (option: Option<unknown>) =>
    users(option).length === group.length ? '' : `${users(option).map(actionOf).join(', ')}: `
  const explained = (option: Option<unknown>, before = prefix(option)) =>
    row(`    ${optionText(names.get(option) ?? '', option)}`, `${before}${meaningOf(option)}`)
  const repeated = [...names.keys()].filter((one) => known.has(one))
  const fresh = [...names.keys()].filter((one) => !known.has(one))
  const lines = group.flatMap((verb) => [
    ...row(typed(verb), verb.summary),
    ...fresh.filter((one) => only(users(one)) === verb).flatMap((one) => explained(one, '')),
  ])
  const shared = fresh.filter((one) => users(one).length > 1).flatMap((one) => explained(one))
  const again = [...grouped(repeated, (one) => `${prefix(one)}as with ${known.get(one)}`)]
  const word = group[0]?.words.split(' ')[0] ?? ''
  if (word !== '') for (const one of fresh) known.set(one, word)
  return [
    ...lines,
    ...shared,
    ...again.flatMap(([meaning, [one, ...more]]) =>
      one !== undefined && more.length === 0
        ? explained(one)
        : row(`    ${[one, ...more].map((each) => `--${each && names.get(each)}`).join(', ')}`, meaning),
    ),
  ]
}

/** What an option does, as a sentence in the help. */
export const meaningOf = ({ kind, help }: Option<unknown>): string =>
  kind === 'texts' ? `${help}; repeatable` : help

const only = <T>(list: readonly T[]): T | null => (list.length === 1 ? (list[0] ?? null) : null)

const actionOf = <Root>({ words }: Verb<Root>): string => words.split(' ').slice(1).join(' ') || words

/** The column of the texts. */
const COLUMN = 31

function row(left: string, summary: string): readonly string[] {
  const [first = '', ...rest] = summary.split('\n')
  const indent = ' '.repeat(COLUMN)
  const begin = left.length < COLUMN ? [`${left.padEnd(COLUMN)}${first}`] : [left, `${indent}${first}`]
  return [...begin, ...rest.map((line) => `${indent}${line}`)]
}

/** In the order of the first of each. */
function grouped<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return groups
}
