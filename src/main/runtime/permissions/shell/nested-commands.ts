/**
 * Sees through wrappers: finds the commands that a command runs, for the rules that deny commands. It may find too many:
 * the value of a wrapper's option counts as a command too.
 */
import { NON_RUNNERS, SHELLS } from './find-git-calls.ts'
import { parseShell } from './parse-shell.ts'
import type { ShellWord } from './shell-syntax.ts'
import { commandParts } from './walk-commands.ts'

interface NestedCommand {
  /** The program's name is without its folder. */
  readonly words: readonly ShellWord[]
  /** False if the program before these words may not run them. */
  readonly sure: boolean
}

interface NestedCommands {
  /** All commands, the outer one included. */
  readonly commands: readonly NestedCommand[]
  /** Whether further commands may run that are unknown before. */
  readonly hidden: boolean
}

/** Further commands are not looked at. */
const MOST_COMMANDS = 2000
/** Wrappers nested deeper are not seen through. */
const DEEPEST = 8

export function nestedCommands(words: readonly ShellWord[]): NestedCommands {
  const found: Found = { commands: [], hidden: false }
  seeCommand(found, words, { depth: 0, sure: true })
  return found
}

interface Found {
  readonly commands: NestedCommand[]
  hidden: boolean
}

interface Position {
  readonly depth: number
  readonly sure: boolean
  /** The words may start with a value of the wrapper, and the command follows. */
  readonly mayBeValue?: boolean
}

/** Programs that run the command in their arguments, with the number of operands before it. */
const RUNNERS: ReadonlyMap<string, number> = new Map([
  ...(
    'env command nohup nice time xargs sudo doas exec builtin stdbuf setsid ionice parallel watch script ' +
    'unbuffer chronic caffeinate busybox toybox entr strace ltrace valgrind unshare nsenter setpriv systemd-run ' +
    'fakeroot eatmydata xvfb-run dbus-run-session rlwrap tini dumb-init prlimit linux32 linux64 numactl pkexec npx'
  )
    .split(' ')
    .map((name) => [name, 0] as const),
  ...'timeout flock taskset chrt chroot setarch faketime su runuser'
    .split(' ')
    .map((name) => [name, 1] as const),
])

/** Options whose value is text for people. */
const TEXT_OPTION = /^(-[a-zA-Z]*m|--(message|title|body|description|subject|author|grep))$/

/** Programs whose first argument is a command of their own: `git rm`. */
const WITH_SUBCOMMANDS: ReadonlySet<string> = new Set(
  'git hg svn npm yarn pnpm bun cargo go docker podman kubectl helm gh aws gcloud az pip pip3 gem bundle make'.split(
    ' ',
  ),
)

/** Shell commands that change which program a later name runs, or that run a file. */
const HIDING: ReadonlySet<string> = new Set(['source', '.', 'alias', 'hash', 'enable', 'coproc'])

function seeCommand(found: Found, words: readonly ShellWord[], at: Position): void {
  const [first, ...rest] = words
  if (first === undefined) return
  const name = (first.value ?? '').replace(/^.*[\\/]/, '').replace(/\.exe$/i, '')
  found.commands.push({
    words: [{ ...first, value: first.value === null ? null : name }, ...rest],
    sure: at.sure,
  })
  const inner = { sure: at.sure, depth: at.depth + 1 }
  const operands = RUNNERS.get(name)
  if (HIDING.has(name)) found.hidden = true
  else if (name === 'eval') seeScript(found, rest, inner)
  else if (name === 'trap') seeScript(found, rest.slice(0, 1), inner)
  else if (SHELLS.has(name)) seeShell(found, rest, inner)
  else if (name === 'find') seeFind(found, rest, inner)
  else if (operands !== undefined) seeRunner(found, { name, rest, operands }, inner)
  else if (at.sure && !at.mayBeValue && first.value !== null && !NON_RUNNERS.has(name))
    seeUnknown(found, { name, rest }, inner)
}

function seeInner(found: Found, words: readonly ShellWord[], at: Position): void {
  if (at.depth > DEEPEST || found.commands.length > MOST_COMMANDS) found.hidden = true
  else seeCommand(found, words, at)
}

/** The words as one script. */
function seeScript(found: Found, words: readonly ShellWord[], at: Position): void {
  const values = words.flatMap(({ value }) => value ?? [])
  const parsed = values.length === words.length && at.depth <= DEEPEST ? parseShell(values.join(' ')) : null
  if (!parsed?.ok) found.hidden = true
  else for (const { command } of commandParts(parsed.list, '/')) seeCommand(found, command.words, at)
}

/** `sh -c SCRIPT`. Other calls run a file or the input. */
function seeShell(found: Found, words: readonly ShellWord[], at: Position): void {
  if (words.length === 1 && /^--?(version|help)$/.test(words[0]?.value ?? '')) return
  const option = words.findIndex(({ value }) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(value ?? ''))
  const after = words.slice(option + 1)
  const script = after[after[0]?.value === '--' ? 1 : 0]
  if (option < 0 || script === undefined || /^[-+]/.test(script.value ?? '')) found.hidden = true
  else seeScript(found, [script], at)
}

/** The commands of `find -exec`. An unknown word may be that option. */
function seeFind(found: Found, words: readonly ShellWord[], at: Position): void {
  for (const [index, { value }] of words.entries()) {
    if (value !== null && !/^-(exec|ok)(dir)?$/.test(value)) continue
    const rest = words.slice(index + 1)
    const end = rest.findIndex((word) => word.value === ';' || word.value === '+')
    seeInner(found, end < 0 ? rest : rest.slice(0, end), { ...at, sure: at.sure && value !== null })
  }
}

interface Wrapped {
  readonly name: string
  /** The words after the program's name. */
  readonly rest: readonly ShellWord[]
}

function seeRunner(
  found: Found,
  { name, rest, operands }: Wrapped & { operands: number },
  at: Position,
): void {
  if (name === 'command' && /^-[vV]/.test(rest[0]?.value ?? '')) return
  let left = operands
  let mayBeValue = false
  for (const [index, word] of rest.entries()) {
    const { value } = word
    const suffix = rest.slice(index)
    const split = name === 'env' ? /^(?:-[a-zA-Z0]*?S|--s[a-z-]*=)(.*)$/s.exec(value ?? '') : null
    if (split) {
      seeScript(found, [{ ...word, value: split[1] ?? '' }, ...suffix.slice(1)], at)
      return
    }
    if (value?.startsWith('-')) mayBeValue = takesValue(name, value)
    else if (value === null || !/^[A-Za-z_]\w*=/.test(value)) {
      if (/\s/.test(value ?? '')) seeScript(found, [word], at)
      else seeInner(found, suffix, { ...at, mayBeValue: mayBeValue || left > 0 })
      if (mayBeValue) mayBeValue = false
      else if (left > 0 && (name !== 'timeout' || /^[\d.]/.test(value ?? ''))) left -= 1
      else return
    }
  }
}

/** Letters of options without a value. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ['command', 'p'],
  ['doas', 'Lns'],
  ['env', 'iv0'],
  ['exec', 'cl'],
  ['flock', 'eFnosux'],
  ['parallel', '0kqrtuvX'],
  ['setsid', 'cfw'],
  ['strace', 'CdfFiknqrtTvwxyZ'],
  ['sudo', 'ABbEeHiKklnPSsV'],
  ['time', 'alpqvV'],
  ['timeout', 'v'],
  ['watch', 'bcdegrtwx'],
  ['xargs', '0oprtx'],
])
const LONG_FLAGS =
  /^--(null|no-run-if-empty|interactive|verbose|exit|open-tty|ignore-environment|debug|preserve-status|foreground|wait|fork|ctty|preserve-env|non-interactive|portability|append|quiet|exclusive|shared|nonblock|no-fork|close|follow-forks)?$/

/** Whether the next word is the value of an option. A value may follow its letter: `-n5`. */
function takesValue(name: string, option: string): boolean {
  if (option.startsWith('--')) return !option.includes('=') && !LONG_FLAGS.test(option)
  const flags = FLAGS.get(name) ?? ''
  const letters = option.slice(1)
  const first = [...letters].findIndex((letter) => !flags.includes(letter))
  return first >= 0 && first === letters.length - 1
}

/** Any argument of a program that is not known may be a command that it runs. */
function seeUnknown(found: Found, { name, rest }: Wrapped, at: Position): void {
  const hasSubcommands = WITH_SUBCOMMANDS.has(name)
  const unsure = { ...at, sure: false }
  for (const [index, word] of rest.entries()) {
    if (word.value === null || (hasSubcommands && index === 0)) continue
    if (!/\s/.test(word.value)) seeInner(found, rest.slice(index), unsure)
    else if (!TEXT_OPTION.test(rest[index - 1]?.value ?? '')) {
      // `git -c alias.x='!rm y'`
      const parsed = parseShell(word.value.replace(/^[\w.-]+=!/, ''))
      const parts = parsed.ok ? commandParts(parsed.list, '/') : []
      for (const { command } of parts) seeInner(found, command.words, unsure)
    }
  }
}
