/** Permission rules: `Tool`, or `Tool(pattern)`. */

import type { WrittenRule } from '../../../shared/rules/written-rule.ts'
import { alwaysAllowTools, type RuleTarget, toolFacts } from '../../../shared/tools/tool-facts.ts'
import { canonicalToolName } from '../../../shared/tools/tool-names.ts'
import { withSlashes } from '../paths/paths.ts'
import { isSecret } from '../paths/sensitive-files.ts'
import { matchesPattern, type PatternPath } from './path-pattern.ts'
import type { ShellWord } from './shell/shell-syntax.ts'

export interface PermissionRule {
  /** The tool's name in this program. */
  readonly tool: string
  /** Null matches every call of the tool. */
  readonly pattern: string | null
  /** As it was written. */
  readonly text: string
  /** Set for a rule of the settings or the command line; other rules that deny come from the agent's definition. */
  readonly isOfUser?: true
  /** Where the rule is written: `.claude/settings.json:12`. */
  readonly where?: string
  /** Set for a rule that asks. It counts like a rule that denies until the decision is turned into a request. */
  readonly asks?: true
  /** Set for rules that deny or ask, also those of definitions: of two readings of a path, either counts. */
  readonly forbids?: true
}

/** A rule with its place, or only its text. */
export type GivenRule = string | Pick<WrittenRule, 'text' | 'meaning' | 'alsoMeans' | 'where'>

/** Null if the text is not a rule. `Bash()` is none: `Bash` and `Bash(*)` cover every call. */
function parseRule(text: string): PermissionRule | null {
  const parts = /^\s*([A-Za-z_][\w-]*\*?)\s*(?:\((.*)\))?\s*$/s.exec(text)
  if (!parts?.[1]) return null
  const pattern = parts[2]?.trim() ?? null
  if (pattern === '' || pattern === ':*') return null
  return {
    tool: canonicalToolName(parts[1]),
    pattern: pattern === '*' ? null : pattern,
    text: text.trim(),
  }
}

/** Rules that can't be read are left out. `home`: the folder that `~/` in a path stands for. */
export function parseRules(
  given: readonly GivenRule[],
  home: string | null = null,
): readonly PermissionRule[] {
  return given.flatMap((rule) => {
    if (typeof rule === 'string') return inHome(parseRule(rule), home) ?? []
    const { text, meaning = text, alsoMeans = [], where } = rule
    return [meaning, ...alsoMeans].flatMap((one) => {
      const parsed = inHome(parseRule(one), home)
      return parsed === null ? [] : { ...parsed, text, where }
    })
  })
}

function inHome(rule: PermissionRule | null, home: string | null): PermissionRule | null {
  if (home === null || rule === null || !/^~(\/|$)/.test(rule.pattern ?? '') || covers(rule, 'command'))
    return rule
  return { ...rule, pattern: `/${escapeGlob(withSlashes(home))}${rule.pattern?.slice(1)}` }
}

/** "Bash(rm:*) in .claude/settings.json:12" */
export function ruleName({ text, where }: PermissionRule): string {
  return where === undefined ? text : `${text} in ${where}`
}

export function covers(rule: PermissionRule, target: RuleTarget): boolean {
  return toolFacts(rule.tool)?.covers.includes(target) ?? false
}

// ---- files -------------------------------------------------------------------------------------

/** The target of a tool's call. A rule for one writing tool applies to all writing tools. */
export function ruleTarget(tool: string, kind: 'read' | 'write'): RuleTarget {
  return kind === 'read' && toolFacts(tool)?.kind === 'search' ? 'search' : kind
}

/** `below` is the path relative to the agent's folder; null outside of it. */
interface RuleFile {
  readonly real: string
  readonly below: string | null
  /** See `LocatedPath`. */
  readonly others?: readonly PatternPath[]
}

/** The rule that covers a file, or null. */
export function ruleForFile(
  rules: readonly PermissionRule[],
  {
    target,
    file,
    precise = false,
    secret = false,
  }: {
    readonly target: RuleTarget
    readonly file: RuleFile
    /** Whether only rules with a pattern count. */
    readonly precise?: boolean
    /** Whether only rules count whose pattern itself names a secret: `Read(.env)`, not `Read(config/**)`. */
    readonly secret?: boolean
  },
): PermissionRule | null {
  const found = rules.find((rule) => {
    if (!covers(rule, target)) return false
    if (rule.pattern === null) return !precise && !secret
    return (!secret || namesSecret(rule.pattern)) && matchesPath(rule, rule.pattern, file)
  })
  return found ?? null
}

function namesSecret(pattern: string): boolean {
  return isSecret(pattern.replaceAll('*', ''))
}

/** A rule that denies or asks counts for each of the file's paths. */
function matchesPath(rule: PermissionRule, pattern: string, { real, below, others = [] }: RuleFile): boolean {
  const paths = [{ absolute: real, below }, ...(rule.forbids ? others : [])]
  return paths.some((path) => matchesPattern(pattern, path, { lenient: rule.forbids === true }))
}

/** The rule for exactly this file. */
export function fileRule(kind: 'read' | 'write', file: RuleFile): string {
  const path = file.below ?? `//${file.real.replace(/^\/+/, '')}`
  // A pattern without a slash would match in every folder, and some characters at the start have a meaning.
  const anchored = file.below !== null && !/^[^~$%!:]+\//.test(path) ? `./${path}` : path
  return `${alwaysAllowTools[kind]}(${escapeGlob(anchored)})`
}

/** A pattern that matches only this path. */
export function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{}()!+@|]/g, '\\$&')
}

// ---- commands ----------------------------------------------------------------------------------

/** The rule whose pattern is exactly this command line, or null. */
export function ruleForWholeCommand(
  rules: readonly PermissionRule[],
  command: string,
): PermissionRule | null {
  return (
    rules.find(
      (rule) => covers(rule, 'command') && (rule.pattern === null || rule.pattern === command.trim()),
    ) ?? null
  )
}

/**
 * The rule that covers one simple command: `npm test` matches exactly, `npm run:*` (also `npm run *`) matches any
 * further words. Quotes are removed before the comparison, so `"npm" test` is `npm test`. Prefixes match whole words.
 */
export function ruleForCommand(
  rules: readonly PermissionRule[],
  words: readonly ShellWord[],
  openEnded: boolean,
): PermissionRule | null {
  const found = rules.find((rule) => {
    if (!covers(rule, 'command')) return false
    if (rule.pattern === null) return true
    const inner = wildcardOf(rule.pattern)
    if (inner !== null) return !openEnded && matchesWildcard(inner, words)
    const prefix = prefixOf(rule.pattern)
    const wanted = (prefix ?? rule.pattern).split(/\s+/).filter((word) => word !== '')
    if (prefix === null && (openEnded || words.length !== wanted.length)) return false
    return wanted.length > 0 && wanted.every((word, index) => words[index]?.value === word)
  })
  return found ?? null
}

/** Whether the rule covers a command for some value of its unknown words. */
export function mayCoverCommand({ pattern }: PermissionRule, words: readonly ShellWord[]): boolean {
  if (wildcardOf(pattern ?? '') !== null && words.some(({ value }) => value === null)) return true
  const wanted = (prefixOf(pattern ?? '') ?? pattern ?? '').split(/\s+/).filter((word) => word !== '')
  for (const [index, word] of wanted.entries()) {
    const given = words[index]
    if (given?.value === null) return true
    if (given?.value !== word) return false
  }
  return false
}

/** The pattern if it has a `*` before its end, or within its last word: `git * main`, `npm*`. */
function wildcardOf(pattern: string): string | null {
  return (prefixOf(pattern) ?? pattern).includes('*') ? pattern : null
}

/** A `*` matches any text, over several words too. Words with unknown values match nothing. */
function matchesWildcard(pattern: string, words: readonly ShellWord[]): boolean {
  const values = words.map(({ value }) => value)
  if (values.includes(null)) return false
  const wanted = pattern.replace(/:\*$/, ' *').trim().replaceAll(/\s+/g, ' ')
  const anyEnd = wanted.endsWith(' *')
  const source = (anyEnd ? wanted.slice(0, -2) : wanted)
    .split('*')
    .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
    .join('.*')
  return new RegExp(`^${source}${anyEnd ? '( .*)?' : ''}$`, 's').test(values.join(' '))
}

function prefixOf(pattern: string): string | null {
  const end = /(:\*|\s\*)$/.exec(pattern)
  return end ? pattern.slice(0, end.index) : null
}

/** The rule for exactly this command; null if the rule would match other commands too. */
export function commandRule(command: string): string | null {
  const text = command.trim()
  const misread = text === '' || text.length > 500 || /[\n\r*]/.test(text)
  return misread ? null : `${alwaysAllowTools.command}(${text})`
}

// ---- names -------------------------------------------------------------------------------------

/** The rule whose pattern is this name, or a beginning of it: `review*`; `review:*` is `review` and all of a plugin. */
export function ruleForName(
  rules: readonly PermissionRule[],
  tool: string,
  name: string,
): PermissionRule | null {
  const given = name.trim().toLowerCase()
  const found = rules.find((rule) => {
    if (rule.tool !== tool) return false
    if (rule.pattern === null) return true
    const wanted = rule.pattern.toLowerCase()
    const base = /^(.+?)(:| )\*$/.exec(wanted)?.[1]
    if (base !== undefined) return given === base || given.startsWith(`${base}:`)
    return wanted.endsWith('*') ? given.startsWith(wanted.slice(0, -1)) : given === wanted
  })
  return found ?? null
}
