/** Finds rules that never count, because a rule of an earlier list covers all their calls. */

import {
  type FolderRules,
  type RuleKind,
  ruleKinds,
  type WrittenRule,
} from '../../../shared/rules/written-rule.ts'
import { isAbout } from '../../../shared/tools/tool-entry.ts'
import { toolFacts } from '../../../shared/tools/tool-facts.ts'
import {
  type PermissionRule,
  parseRules,
  ruleForCommand,
  ruleForFile,
  ruleForName,
} from './permission-rule.ts'
import type { ShellWord } from './shell/shell-syntax.ts'

interface Shadowing {
  readonly kind: Exclude<RuleKind, 'allow'>
  readonly rule: WrittenRule
}

/**
 * The rule that makes each shadowed rule useless. Finds no false ones: a rule with a pattern that is hard to compare
 * counts as reachable.
 */
export function shadowedRules(rules: Pick<FolderRules, RuleKind>): ReadonlyMap<WrittenRule, Shadowing> {
  const found = new Map<WrittenRule, Shadowing>()
  const before: (Shadowing & { readonly parsed: PermissionRule })[] = []
  for (const kind of ruleKinds) {
    const own = rules[kind].flatMap((rule) =>
      parseRules([rule]).map((one) => ({
        rule,
        parsed: kind === 'allow' ? one : ({ ...one, forbids: true } as const),
      })),
    )
    for (const { rule, parsed } of own) {
      const first = before.find((one) => coversAll(one.parsed, parsed))
      if (first) found.set(rule, { kind: first.kind, rule: first.rule })
    }
    if (kind !== 'allow') before.push(...own.map((one) => ({ ...one, kind })))
  }
  return found
}

/** Whether every call that `rule` covers is covered by `over`. */
function coversAll(over: PermissionRule, rule: PermissionRule): boolean {
  const targets = toolFacts(rule.tool)?.covers ?? []
  if (targets.length === 0) return coversNamed(over, rule)
  const wide = toolFacts(over.tool)?.covers ?? []
  if (!targets.every((target) => wide.includes(target))) return false
  if (over.pattern === null || over.pattern === rule.pattern) return true
  if (rule.pattern === null) return false
  if (targets.includes('command')) return coversCommand(over, rule.pattern)
  const paths = samplePaths(rule.pattern, rule.forbids === true)
  const isCovered = (file: RuleFile) =>
    targets.every((target) => ruleForFile([over], { target, file }) !== null)
  return paths?.every(isCovered) ?? false
}

function coversNamed(over: PermissionRule, rule: PermissionRule): boolean {
  if (over.pattern === null)
    return isAbout({ text: over.text, name: over.tool, rule: null, isBroken: false }, rule.tool)
  if (over.tool !== rule.tool || rule.pattern === null) return false
  if (over.pattern === rule.pattern) return true
  const [wide, narrow] = [domainIn(over.pattern), domainIn(rule.pattern)]
  // A rule that denies or asks about a domain covers the hosts below it.
  if (wide !== null && narrow !== null)
    return (
      narrow.endsWith(`.${wide.replace(/^\*\./, '')}`) && !(wide.startsWith('*.') && narrow === wide.slice(2))
    )
  if (wide !== null || narrow !== null || rule.pattern.endsWith('*')) return false
  return ruleForName([over], rule.tool, rule.pattern) !== null
}

const domainIn = (pattern: string): string | null =>
  /^domain:\s*(\S+)$/i.exec(pattern)?.[1]?.toLowerCase() ?? null

/** `git push --dry-run:*` below `git push:*`. */
function coversCommand(over: PermissionRule, pattern: string): boolean {
  const start = /^(.*?)(:\*|\s\*)$/s.exec(pattern)?.[1] ?? null
  const text = start ?? pattern
  if (/["'\\$`*?[{]/.test(text)) return false
  const words = text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word): ShellWord => ({ text: word, value: word, start: word, glob: false }))
  return words.length > 0 && ruleForCommand([over], words, start !== null) !== null
}

/** A name that no pattern spells out, so that only a wildcard matches it. */
const NAME = 'zqxv-any'
/** What `*` stands for within a name, and what `**` stands for. */
const PARTS = [NAME, '', 'z', '.z']
const WAYS = ['', NAME, `.${NAME}`, `${NAME}/${NAME}.${NAME}`]

type RuleFile = Parameters<typeof ruleForFile>[1]['file']

/** Paths that stand for all that a pattern matches; null: the pattern is hard to compare. */
function samplePaths(pattern: string, isLenient: boolean): readonly RuleFile[] | null {
  if (/[?[\]{}()!\\]/.test(pattern)) return null
  const isAbsolute = pattern.startsWith('//')
  const glob = pattern.replace(/^(\/\/|\.\/|\/)/, '').replace(/\/$/, '')
  // A rule that denies or asks about `secrets/**` covers that folder at any depth.
  const isAnywhere = !isAbsolute && !(isLenient ? glob.replace(/\/\*\*$/, '') : glob).includes('/')
  const globs = [glob, ...(isAnywhere ? [`${NAME}/${glob}`] : [])]
  const paths = globs.flatMap((one) => WAYS.flatMap((way) => PARTS.map((part) => filled(one, way, part))))
  // A rule for a folder covers its content.
  return [...new Set(paths.flatMap((path) => [path, `${path}/${NAME}`]))]
    .filter((path) => path !== '')
    .map((path) => ({ real: isAbsolute ? `/${path}` : `/${NAME}/${path}`, below: isAbsolute ? null : path }))
}

function filled(glob: string, way: string, part: string): string {
  return glob
    .split('/')
    .filter((name, index, names) => name !== '**' || names[index - 1] !== '**')
    .map((name) => (name === '**' ? way : name === '*' ? part || NAME : name.replaceAll(/\*+/g, part)))
    .filter((name) => name !== '')
    .join('/')
}
