/** Why a part of a command line needs permission. */
import { sentence } from '../../../shared/kernel/result.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { pathBelow } from '../paths/paths.ts'
import { expandWords, pathConcern, readConcerns } from './command-reads.ts'
import { type Concern, locate } from './concern.ts'
import { dataFolderDenied, holdsTroupeData, isTroupeData } from './data-folder.ts'
import { isProtectedFile, named } from './decide-file.ts'
import { deniedFile, deniedWords } from './denied-files.ts'
import { knownEndConcern } from './known-end.ts'
import type { LocatedPath } from './locate-path.ts'
import type { PermissionConcern } from './permission-concern.ts'
import {
  covers,
  fileRule,
  mayCoverCommand,
  type PermissionRule,
  ruleForCommand,
  ruleForFile,
  ruleName,
} from './permission-rule.ts'
import { forbiddenByRule } from './refusals.ts'
import { secretWords } from './secret-words.ts'
import { type ChangeEffect, type CommandEffect, changes, readsNothing } from './shell/command-effect.ts'
import { findGitCalls } from './shell/find-git-calls.ts'
import { gitOptions } from './shell/git-options.ts'
import { nestedCommands } from './shell/nested-commands.ts'
import { effectOf, type Feed, openEndedEffect } from './shell/read-only-commands.ts'
import { isOwnVariable } from './shell/read-only-special.ts'
import type { ShellRedirect, ShellWord } from './shell/shell-syntax.ts'
import type { CommandPart } from './shell/walk-commands.ts'
import { type Unwrapped, unwrap } from './shell/wrappers.ts'
import { isOwnCommit } from './worktree-git.ts'

export interface JudgedPart {
  /** Whether the part is known to be read-only. */
  readonly readOnly: boolean
  /** Why the part is not read-only. */
  readonly because: string
  readonly concerns: readonly Concern[]
  /** The rule that allows the command, apart from its redirects. */
  readonly rule: PermissionRule | null
  readonly forbidden: Forbidden | null
  /** Whether the part pushes with git, for which the sandbox has neither keys nor, as a rule, the host. */
  readonly pushes: boolean
}

export async function judgePart(question: PermissionConcern, part: CommandPart): Promise<JudgedPart> {
  const inner = unwrap(part.command.words)
  const redirects = await redirectConcerns(question, part)
  const { rules, definitionRules } = question
  const covering = (candidates: readonly PermissionRule[]) =>
    ruleForCommand(candidates, part.command.words, false) ??
    (inner.assignments.every(isSafeAssignment)
      ? ruleForCommand(candidates, inner.words, inner.openEnded)
      : null)
  const assigns = !part.command.assignments.every(isSafeAssignment)
  const rule = assigns || part.command.words.length === 0 ? null : covering(rules)
  const concerns: Concern[] = []
  let changing: ChangeEffect | null = null
  for (const folder of part.folders ?? [null]) {
    const words = folder === null ? inner.words : await expandWords(question, inner.words, folder)
    const effect = wholeEffect(part, { ...inner, words })
    if (effect.kind === 'changes') changing ??= effect
    else concerns.push(...(await readConcerns(question, { effect, words, folder, shown: shown(part) })))
    const kinds = effect.kind === 'changes' ? (['read', 'write'] as const) : (['read'] as const)
    const nested = nestedCommands(part.command.words).commands.map((command) => command.words)
    const named = [...words, ...nested.flat()]
    const at = folder ?? question.cwd
    concerns.push(...(await deniedWords(question, named, { folder: at, kinds })))
    if (namesItExactly(rule, part)) continue
    const onlyHome = effect.kind === 'reads'
    for (const one of [words, ...nested.slice(1)])
      concerns.push(...(await secretWords(question, { words: one, folder: at, onlyHome })))
  }
  const pushes = changing !== null && isPush(part)
  if (changing && !isOwnCommit(question, part))
    concerns.push(
      ...(await operandConcerns(question, part, inner.words)),
      pushes ? PUSH : { because: changeText(part, changing.because), weight: 'plain' },
    )
  return {
    readOnly: changing === null && !redirects.writes,
    because: changing?.because ?? 'it writes a file',
    concerns: [
      ...concerns.filter(({ weight }) => rule === null || weight !== 'plain'),
      ...redirects.concerns,
    ],
    rule,
    forbidden: forbiddenCommand(definitionRules, part),
    pushes,
  }
}

/** In a worktree no rule settles it: see worktree-git.ts. */
const PUSH: Concern = {
  because: 'git push publishes commits, so it needs permission.',
  weight: 'plain',
  inSandbox: 'fails',
}

function isPush({ command: { words } }: CommandPart): boolean {
  return findGitCalls(words).calls.some(({ words, sure }) => sure && gitOptions(words).verb === 'push')
}

/** Whether a rule is for exactly this part, so that the user has seen the files in it. */
function namesItExactly(rule: PermissionRule | null, part: CommandPart): boolean {
  return rule !== null && rule.pattern === part.command.text.trim()
}

/** Whether a part is known to change nothing, as far as its words tell. */
export function onlyReads(part: CommandPart): boolean {
  const writes = part.command.redirects.some((redirect) => redirectKind(redirect) === 'write')
  return !writes && wholeEffect(part, unwrap(part.command.words)).kind !== 'changes'
}

/** "npm can change files or run code." Other reasons name the part first. */
function changeText(part: CommandPart, because: string): string {
  const program = part.command.words[0]?.value ?? null
  const reason = makeVisible(because)
  return program !== null && because.startsWith(`${program} `)
    ? sentence(reason)
    : `${shown(part)} may not be read-only: ${sentence(reason)}`
}

/** The part as a subject of a sentence. */
function shown(part: CommandPart): string {
  const { text } = part.command
  return makeVisible(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}

// ---- effects ------------------------------------------------------------------------------------

function wholeEffect(part: CommandPart, inner: Unwrapped): CommandEffect {
  const { assignments, words } = part.command
  if (words.length === 0 && assignments.length > 0 && assignments.every(isOwnVariable)) return readsNothing
  const unsafe = [...assignments, ...inner.assignments].find(
    (word) => !isSafeAssignment(word) && !(word.text === 'IFS=' && words[0]?.value === 'read'),
  )
  if (unsafe) return changes(`${unsafe.text.split('=')[0]}=… can change what runs`)
  if (words.length === 0 && assignments.length > 0) return changes('it sets a variable')
  if (inner.writes) return changes(`it may write ${inner.writes}`)
  return inner.openEnded ? openEndedEffect(inner.words, feedOf(part, inner)) : effectOf(inner.words)
}

/** The input of a part that is `xargs` itself. */
function feedOf({ command: { words }, feed }: CommandPart, inner: Unwrapped): Feed | null {
  if (feed === undefined || words[0]?.value !== 'xargs') return null
  const options = words.slice(1, words.length - inner.words.length)
  return { words: feed, endsWithZero: options.some(({ value }) => value === '-0' || value === '--null') }
}

/** Whether a variable only affects how a program prints. */
function isSafeAssignment(word: ShellWord): boolean {
  return /^(LC_[A-Z]+|LANG|NO_COLOR|FORCE_COLOR|COLUMNS|CI|NODE_ENV)=[\w.-]*$/.test(word.text)
}

// ---- written files ------------------------------------------------------------------------------

/** Commands whose operands are files to change. */
const FILE_CHANGERS: ReadonlySet<string> = new Set(
  'rm mv cp ln install touch truncate tee dd chmod chown chgrp rmdir mkdir unlink shred rsync sed perl ed patch'.split(
    ' ',
  ),
)

/** Commands that change everything below a folder. */
const TREE_CHANGERS: ReadonlySet<string> = new Set(['rm', 'mv', 'chmod', 'chown', 'chgrp'])

/** Protected files among the operands of a command that changes files. */
async function operandConcerns(
  question: PermissionConcern,
  part: CommandPart,
  words: readonly ShellWord[],
): Promise<readonly Concern[]> {
  const name = words[0]?.value ?? ''
  if (name === 'git' && words.some(({ value }) => value === 'config'))
    return [
      {
        because: 'git config changes what git runs, so it always needs permission.',
        weight: 'sensitive',
        inSandbox: 'fails',
      },
    ]
  if (!FILE_CHANGERS.has(name)) return []
  const paths = changedOperands(name, words).flatMap((word) => {
    const text = word.value ?? word.start
    // `of=.git/config`, `--target-directory=.git/hooks`
    const value = text.replace(/^-*[\w-]+=/, '')
    return value === '' || value.startsWith('-') ? [] : [value]
  })
  const wholeTree = TREE_CHANGERS.has(name)
  const unknown = { dataFolder: question.dataFolder, wholeTree }
  const concerns: Concern[] = changedOperands(name, words)
    .filter(({ value }) => value === null || part.folders === null)
    .flatMap((word) => knownEndConcern(word, unknown) ?? [])
  for (const folder of part.folders ?? [question.cwd])
    for (const path of paths) {
      const file = await locate(question, path, folder)
      if (typeof file === 'string') continue
      if ((await isTroupeData(question, file)) || (wholeTree && (await holdsTroupeData(question, file))))
        concerns.push({ because: dataFolderDenied, weight: 'denied' })
      else if (isProtectedFile(file)) concerns.push(protectedConcern(file))
    }
  return concerns
}

/**
 * The operands that a command may change. The sources of a copy and what a symbolic link points to stay as they are;
 * whether they may be read is judged by itself.
 */
function changedOperands(name: string, words: readonly ShellWord[]): readonly ShellWord[] {
  const operands = words.slice(1)
  const isPlain = operands.every(({ value }) => value !== null)
  const options = operands.filter(({ value }) => value?.startsWith('-'))
  const rest = operands.filter(({ value }) => !value?.startsWith('-'))
  const isLink = name === 'ln' && options.some(({ value }) => /^(-[a-zA-Z]*s|--symbolic$)/.test(value ?? ''))
  // With a target folder (`-t DIR`) or unclear words, every operand counts.
  const isKnown = options.every(({ value }) =>
    /^(-[a-su-zA-SU-Z]+|--(archive|recursive|symbolic|force|verbose))$/.test(value ?? ''),
  )
  if (!isPlain || !isKnown || rest.length < 2 || (name !== 'cp' && !isLink)) return operands
  return rest.slice(-1)
}

async function redirectConcerns(
  question: PermissionConcern,
  part: CommandPart,
): Promise<{ readonly concerns: readonly Concern[]; readonly writes: boolean }> {
  const concerns: Concern[] = []
  let writes = false
  for (const redirect of part.command.redirects) {
    const kind = redirectKind(redirect)
    if (kind === 'none' || redirect.target === null) continue
    writes ||= kind === 'write'
    const { value, text } = redirect.target
    if (value === null || part.folders === null) {
      const { dataFolder } = question
      const known =
        kind === 'write' ? knownEndConcern(redirect.target, { dataFolder, wholeTree: false }) : null
      concerns.push(
        known ?? {
          because: `Troupe can't tell which file "${makeVisible(text)}" is.`,
          weight: 'plain',
        },
      )
      continue
    }
    for (const folder of part.folders) {
      const file = await locate(question, value, folder)
      const denied = deniedFile(question, file, [kind])
      if (denied) concerns.push(denied)
      else if (kind === 'read') concerns.push(...pathConcern(question, file, true))
      else concerns.push(...(await writeConcern(question, file)))
    }
  }
  return { concerns, writes }
}

async function writeConcern(
  question: PermissionConcern,
  file: LocatedPath | string,
): Promise<readonly Concern[]> {
  if (typeof file === 'string') return [{ because: file, weight: 'plain' }]
  if (await isTroupeData(question, file)) return [{ because: dataFolderDenied, weight: 'denied' }]
  if (isProtectedFile(file)) return [protectedConcern(file)]
  if (ruleForFile(question.rules, { target: 'redirect', file })) return []
  return [
    {
      because: `The command writes to ${named(file)}.`,
      weight: 'plain',
      rule: fileRule('write', file),
      ...(!isWritable(question, file) && { inSandbox: 'fails' }),
    },
  ]
}

/** Whether the sandbox lets a command of the agent write the file. */
function isWritable({ agent, sandbox }: PermissionConcern, { below, real }: LocatedPath): boolean {
  const folders = [
    ...(agent.additionalFolders ?? []),
    ...(agent.writeFolders ?? []),
    ...(sandbox?.alsoWrites ?? []),
  ]
  return below !== null || folders.some((folder) => pathBelow(folder, real) !== null)
}

function protectedConcern(file: LocatedPath): Concern {
  return {
    because: `${named(file)} controls what runs or is allowed later, so every change needs permission.`,
    weight: 'sensitive',
    inSandbox: 'fails',
  }
}

function redirectKind({ operator, target }: ShellRedirect): 'none' | 'read' | 'write' {
  const value = target?.value ?? ''
  if (operator === '<<' || operator === '<<<') return 'none'
  if (operator === '<') return 'read'
  const duplicates = operator === '>&' || operator === '<&'
  if (duplicates && /^([0-9]+-?|-)$/.test(value)) return 'none'
  return value === '/dev/null' ? 'none' : 'write'
}

interface Forbidden {
  /** `ask`: the part may run a denied command, so no rule and no mode allows it. */
  readonly kind: 'deny' | 'ask'
  /** A whole sentence. */
  readonly because: string
}

/**
 * The rules of a definition, and the denying rules of the user, for one part of a command line. Null if no rule forbids the
 * part.  A denied command is denied behind wrappers too.
 */
function forbiddenCommand(
  { denied, only }: PermissionConcern['definitionRules'],
  part: CommandPart,
): Forbidden | null {
  const { words } = part.command
  const narrowed = only.filter((rule) => covers(rule, 'command'))
  if (narrowed.length > 0 && words.length > 0 && !ruleForCommand(narrowed, words, false))
    return {
      kind: 'deny',
      because: `This agent's definition allows only ${narrowed.map(({ text }) => text).join(', ')}.`,
    }
  const rules = denied.filter((rule) => covers(rule, 'command'))
  // A rule that denies counts before a rule that asks.
  const denying = rules.filter(({ asks }) => !asks)
  return [denying, rules].reduce<Forbidden | null>(
    (found, some) => found ?? (some.length === 0 ? null : deniedCommand(some, part)),
    null,
  )
}

function deniedCommand(rules: readonly PermissionRule[], { command }: CommandPart): Forbidden | null {
  const { commands, hidden } = nestedCommands(command.words)
  let possible: PermissionRule | null = null
  for (const { words, sure } of commands) {
    const rule = ruleForCommand(rules, words, false)
    if (rule && sure) return { kind: 'deny', because: forbiddenByRule(rule) }
    possible ??= rule ?? rules.find((each) => mayCoverCommand(each, words)) ?? null
  }
  if (possible)
    return {
      kind: 'ask',
      because: `Troupe can't tell whether this runs a command that the rule ${ruleName(possible)} ${possible.asks ? 'asks about' : 'denies'}.`,
    }
  if (!hidden) return null
  const texts = rules.map(ruleName).join(', ')
  return {
    kind: 'ask',
    because: `Troupe can't tell which commands this runs, and some are denied: ${texts}.`,
  }
}
