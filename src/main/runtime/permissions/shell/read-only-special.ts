/** Commands whose arguments are a small language, and which are read-only in some of their forms. */
import picomatch from 'picomatch'
import type { CommandEffect } from './command-effect.ts'
import { both, changes, readsContents, readsNames, readsNothing } from './command-effect.ts'
import { mayExpand, readOptions } from './command-options.ts'
import type { ShellWord } from './shell-syntax.ts'

// ---- find --------------------------------------------------------------------------------------

/** Read-only tests and actions of `find`, each with its number of arguments. */
const FIND_WORDS = new Map<string, number>(
  [
    'empty print print0 not a and o or prune depth xdev mount ls quit true false daystart executable readable writable noleaf'
      .split(' ')
      .map((name) => [`-${name}`, 0] as const),
    'name iname path ipath wholename iwholename regex iregex regextype type xtype maxdepth mindepth size mtime mmin atime amin ctime cmin newer perm user group uid gid links inum printf lname'
      .split(' ')
      .map((name) => [`-${name}`, 1] as const),
    ['!', '(', ')', ','].map((name) => [name, 0] as const),
  ].flat(),
)

/** Words of an expression that can only leave files out, so that `-type f` holds for all that are found. */
const NARROWING = /^-(name|iname|path|type|maxdepth|mindepth|size|mtime|mmin|newer|print|print0|empty)$/

type EffectOf = (words: readonly ShellWord[]) => CommandEffect

export function findEffect(words: readonly ShellWord[], effectOf: EffectOf): CommandEffect {
  const rest = words[0]?.value === '-P' ? words.slice(1) : words
  const isExpression = (word: ShellWord) => /^[-(!,]/.test(word.start) || word.start === ''
  const first = rest.findIndex(isExpression)
  const starts = first < 0 ? rest : rest.slice(0, first)
  const expression = first < 0 ? [] : rest.slice(first)
  const before: (readonly [string, string])[] = []
  let named: ShellWord[] = []
  for (let at = 0; at < expression.length; at += 1) {
    const word = expression[at]
    if (word === undefined) break
    if (word.value === null || word.glob) return changes(mayExpand(word))
    if (word.value === '-exec')
      return both(readsNames(named), execEffect({ starts, before, rest: expression.slice(at + 1) }, effectOf))
    const takes = FIND_WORDS.get(word.value)
    if (takes === undefined) return changes(`find ${word.value} is not known to be safe`)
    const next = expression[at + 1]
    before.push([word.value, takes === 0 ? '' : (next?.value ?? '')])
    if (takes === 0) continue
    if (next === undefined || next.value === null || next.glob)
      return changes(`find ${word.value} has an unknown value`)
    if (word.value === '-newer') named = [...named, next]
    at += 1
  }
  return both(readsNames(starts), readsNames(named))
}

interface FindExec {
  readonly starts: readonly ShellWord[]
  /** The words of the expression before `-exec`, each with its value. */
  readonly before: readonly (readonly [string, string])[]
  readonly rest: readonly ShellWord[]
}

/**
 * `find START -type f -exec COMMAND {} +`, for a command that only reads: it reads all files below START. Without
 * `-type f` also links, of which a command may only show names, sizes or counts.
 */
function execEffect({ starts, before, rest }: FindExec, effectOf: EffectOf): CommandEffect {
  const unsafe = changes('find -exec is not known to be safe')
  const end = rest.findIndex(({ value }) => value === ';' || value === '+')
  const command = rest.slice(0, end)
  const files = command.filter(({ text }) => text === '{}' || text === "'{}'" || text === '"{}"')
  const isPlain = before.every(([name]) => NARROWING.test(name))
  const onlyFiles = before.some(([name, value]) => name === '-type' && value === 'f')
  const others = command.filter((word) => !files.includes(word))
  if (end < 0 || end < rest.length - 1 || !isPlain || starts.length === 0) return unsafe
  if (files.length !== 1 || others.some(({ value, glob }) => value === null || glob || value.includes('{}')))
    return unsafe
  // A path that find gives begins with a start, so it is no option where the start is none.
  if (starts.some(({ value, glob }) => value === null || glob)) return unsafe
  const effects = starts.map((start) =>
    effectOf(command.map((word) => (files.includes(word) ? start : word))),
  )
  if (!onlyFiles && effects.some((effect) => effect.kind === 'reads' && effect.contents.length > 0))
    return unsafe
  return effects.map((effect) => withFilesBelow(effect, namesOf(before))).reduce(both, readsNothing)
}

/** Every path that is read stands for the files below it, too. */
function withFilesBelow(effect: CommandEffect, shows: (path: string) => boolean): CommandEffect {
  if (effect.kind === 'changes') return effect
  const below = effect.contents.map((path) => ({ path, hidden: true, ignored: true, filters: [], shows }))
  return { ...effect, trees: [...effect.trees, ...below] }
}

/** The files that plain `-name` patterns let through. */
function namesOf(before: FindExec['before']): (path: string) => boolean {
  const patterns = before.flatMap(([name, value]) => (name === '-name' ? [value] : []))
  if (!patterns.every((pattern) => /^[\w.*-]+$/.test(pattern))) return () => true
  const tests = patterns.map((pattern) => picomatch(pattern, { dot: true, windows: false }))
  return (path) => tests.every((test) => test(path.split('/').at(-1) ?? ''))
}

// ---- sed ---------------------------------------------------------------------------------------

/**
 * One command of a script that only prints: addresses, then `p`, `d`, `q`, `=`, or a plain `s/…/…/`
 * without the flags `w` (writes) and `e` (runs). Brackets are left out because programs differ in
 * whether a slash inside them ends the pattern.
 */
const SED_ADDRESS = '(?:[0-9]+(?:~[0-9]+)?|\\$|/(?:[^/\\\\\\n[]|\\\\[^\\n])*/I?)'
const SED_COMMAND = new RegExp(
  `[ \\t]*(?:${SED_ADDRESS}(?:,[ \\t]*(?:${SED_ADDRESS}|[+~][0-9]+))?[ \\t]*!?[ \\t]*)?` +
    '(?:[pdq=]|s/(?:[^/\\\\\\n[]|\\\\[^\\n])*/(?:[^/\\\\\\n]|\\\\[^\\n])*/[gpiI0-9]*)[ \\t]*(?:[;\\n]+|$)',
  'y',
)

export function sedEffect(words: readonly ShellWord[]): CommandEffect {
  const read = readOptions(words, {
    short: 'nErsuze:',
    long: 'quiet silent expression: regexp-extended null-data separate unbuffered posix',
  })
  if (!read.ok) return changes(`sed ${read.because}`)
  const given = read.options.filter(({ name }) => name === 'e' || name === 'expression')
  const scripts = given.length > 0 ? given.map(({ value }) => value) : [knownValue(read.operands[0])]
  const files = given.length > 0 ? read.operands : read.operands.slice(1)
  if (!scripts.every((script) => script !== null && onlyPrints(script)))
    return changes('its script may do more than print lines')
  return readsContents(files)
}

/** A pattern could match another name by the time the command runs. */
function knownValue(word: ShellWord | undefined): string | null {
  return word === undefined || word.glob ? null : word.value
}

/** Longer scripts are not checked: backtracking could take long. */
const LONGEST_SCRIPT = 500

function onlyPrints(script: string): boolean {
  if (script.length > LONGEST_SCRIPT) return false
  SED_COMMAND.lastIndex = 0
  while (SED_COMMAND.lastIndex < script.length) {
    const at = SED_COMMAND.lastIndex
    if (!SED_COMMAND.test(script) || SED_COMMAND.lastIndex === at) return false
  }
  return script !== ''
}

// ---- date, printf, jq, test --------------------------------------------------------------------

export function dateEffect(words: readonly ShellWord[]): CommandEffect {
  const read = readOptions(words, {
    short: 'uRI::d:',
    long: 'utc universal rfc-3339: iso-8601:: rfc-email date:',
  })
  if (!read.ok) return changes(`date ${read.because}`)
  const formats = read.operands.every((word) => word.start.startsWith('+'))
  return formats ? readsNothing : changes('date can set the clock')
}

export function printfEffect(words: readonly ShellWord[]): CommandEffect {
  const format = knownValue(words[0])
  if (format === null || format.startsWith('-')) return changes('printf can set variables')
  // %n stores a count in a variable; its name could run a command.
  return format.replace(PRINTING, '').includes('%')
    ? changes('its format has a directive that may set a variable')
    : readsNothing
}

/** The directives of printf that only print. */
const PRINTING = /%(?:%|[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?[diouxXfFeEgGaAcsbq])/g

export function jqEffect(words: readonly ShellWord[]): CommandEffect {
  const read = readOptions(words, {
    short: 'rcesnMSjaC',
    long:
      'raw-output compact-output exit-status slurp null-input monochrome-output sort-keys join-output ascii-output ' +
      'color-output tab indent: raw-input seq stream',
  })
  if (!read.ok) return changes(`jq ${read.because}`)
  const [filter, ...files] = read.operands
  const script = knownValue(filter)
  if (script === null) return changes('its filter is unknown until it runs')
  if (/import|include|modulemeta|search|env|input_line|\$__prog/i.test(script))
    return changes('its filter may read other files or the environment')
  return readsContents(files, read.unclear)
}

const FILE_TESTS = /^-[edfhLrswx]$/
const TEXT_TESTS = /^-[nz]$/
const TEXT_COMPARISONS = /^(=|==|!=)$/
const NUMBER_COMPARISONS = /^-(eq|ne|lt|le|gt|ge)$/

/** Only simple conditions: `-v` and joined conditions can run code. */
export function testEffect(words: readonly ShellWord[]): CommandEffect {
  const rest = words[0]?.value === '!' ? words.slice(1) : words
  const [a, b, c] = rest
  const unsafe = changes('this test is not known to be safe')
  // A pattern may stand for several files.
  const isPattern = rest.length > 2 && rest.slice(1).every((word) => word.glob && word.value !== null)
  if (isPattern && FILE_TESTS.test(a?.value ?? '')) return readsNames(rest.slice(1))
  if (rest.some((word) => !isOneWord(word))) return changes('its condition is unknown until it runs')
  if (rest.length === 2 && b && TEXT_TESTS.test(a?.value ?? '')) return readsNothing
  if (rest.length === 2 && b && FILE_TESTS.test(a?.value ?? '')) return readsNames([b])
  if (rest.length !== 3 || !c) return unsafe
  return TEXT_COMPARISONS.test(b?.value ?? '') || NUMBER_COMPARISONS.test(b?.value ?? '')
    ? readsNothing
    : unsafe
}

/** Whether the shell can't make several words of it. */
function isOneWord({ value, glob, text }: ShellWord): boolean {
  return value === null ? !glob && /^"[^"]*"$/.test(text) : !glob
}

/** `[[ … ]]`: conditions joined by `&&` and `||`. Its words are not split, and its numbers are expressions. */
export function conditionEffect(words: readonly ShellWord[]): CommandEffect {
  if (words.at(-1)?.value !== ']]') return changes('its closing brackets are missing')
  const conditions: ShellWord[][] = [[]]
  for (const word of words.slice(0, -1))
    if (/^(&&|\|\||\(|\))$/.test(word.text)) conditions.push([])
    else conditions.at(-1)?.push(word)
  return conditions
    .filter((condition) => condition.length > 0)
    .map(oneCondition)
    .reduce(both, readsNothing)
}

function oneCondition(words: readonly ShellWord[]): CommandEffect {
  const [a, b, c] = words[0]?.text === '!' ? words.slice(1) : words
  const count = words.length - (words[0]?.text === '!' ? 1 : 0)
  if (count === 2 && b && TEXT_TESTS.test(a?.text ?? '')) return readsNothing
  if (count === 2 && b && FILE_TESTS.test(a?.text ?? '')) return readsNames([b])
  if (count === 3 && /^(=|==|!=|=~|<|>)$/.test(b?.text ?? '')) return readsNothing
  const isNumber = (word: ShellWord | undefined) => /^-?[0-9]+$/.test(word?.value ?? '')
  if (count === 3 && NUMBER_COMPARISONS.test(b?.text ?? '') && isNumber(a) && isNumber(c)) return readsNothing
  return count === 1 && !a?.text.startsWith('-')
    ? readsNothing
    : changes('this condition is not known to be safe')
}

// ---- variables -----------------------------------------------------------------------------------

/** A name without a meaning to the shell or to a tool, as far as is known. zsh has `path` for PATH, and more such names. */
const OWN_NAME =
  /^[A-Z]$|^(?!(no|all|https?|ftp|rsync)_?proxy|npm_|pip_|git_|ld_|dyld_|(histchars|auto_resume|argv|status|prompt|signals|[a-z_]*path|fignore)$)[a-z][a-z0-9_]*$/

/** `name=value` as a command of its own, or `for name`, which set a variable of the shell only. */
export function isOwnVariable(assignment: ShellWord): boolean {
  const [name = ''] = assignment.text.split(/\+?=/)
  return OWN_NAME.test(name)
}

/** `read` sets variables from its input. */
export function readEffect(words: readonly ShellWord[]): CommandEffect {
  const read = readOptions(words, { short: 'rsd:n:N:p:t:' })
  if (!read.ok) return changes(`read ${read.because}`)
  return read.operands.every(({ value, glob }) => !glob && value !== null && OWN_NAME.test(value))
    ? readsNothing
    : changes('read can set a variable that changes what runs')
}
