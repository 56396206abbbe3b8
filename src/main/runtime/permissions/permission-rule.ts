/** Rules as people write them: `Tool`, or `Tool(pattern)`. */
import picomatch from 'picomatch'
import { canonicalToolName } from '../../../shared/agent-definition/tool-names.ts'
import type { ShellWord } from './shell/shell-syntax.ts'

export interface PermissionRule {
  /** The tool's name in this program. */
  readonly tool: string
  /** Null: every call of the tool. */
  readonly pattern: string | null
  /** As it was written. */
  readonly text: string
}

/** Null where the text is no rule; such a rule matches nothing. */
export function parseRule(text: string): PermissionRule | null {
  const parts = /^\s*([A-Za-z_][\w-]*)\s*(?:\((.*)\))?\s*$/s.exec(text)
  if (!parts?.[1]) return null
  const pattern = parts[2]?.trim() ?? null
  return {
    tool: canonicalToolName(parts[1]),
    pattern: pattern === '' || pattern === '*' ? null : pattern,
    text: text.trim(),
  }
}

export function parseRules(texts: readonly string[]): readonly PermissionRule[] {
  return texts.flatMap((text) => parseRule(text) ?? [])
}

// ---- files -------------------------------------------------------------------------------------

const READERS: ReadonlySet<string> = new Set(['Read'])
const WRITERS: ReadonlySet<string> = new Set(['Edit', 'Write', 'NotebookEdit'])
const SEARCHERS: ReadonlySet<string> = new Set(['Glob', 'Grep', 'Read'])

/** The tools whose rules speak for a call: a rule for one writing tool holds for all of them. */
export function ruleTools(tool: string, kind: 'read' | 'write'): ReadonlySet<string> {
  if (kind === 'write') return WRITERS
  return tool === 'Glob' || tool === 'Grep' ? SEARCHERS : READERS
}

/** A file as rules see it: its real path, and that below the agent's folder where it lies inside. */
interface RuleFile {
  readonly real: string
  readonly below: string | null
}

/**
 * The rule that covers a file, or null. Patterns count from the agent's folder (`src/**`, `./src/**`,
 * `/src/**`), from the file system's root with two slashes (`//etc/hosts`), and anywhere below the folder
 * where they have no slash (`*.md`). A folder covers what is in it. `precise`: a rule without a pattern
 * does not count.
 */
export function ruleForFile(
  rules: readonly PermissionRule[],
  tools: ReadonlySet<string>,
  file: RuleFile,
  precise: boolean,
): PermissionRule | null {
  const found = rules.find(
    (rule) => tools.has(rule.tool) && (rule.pattern === null ? !precise : matchesPath(rule.pattern, file)),
  )
  return found ?? null
}

function matchesPath(pattern: string, file: RuleFile): boolean {
  const absolute = pattern.startsWith('//')
  const path = absolute ? file.real.replace(/^\/+/, '') : file.below
  if (path === null) return false
  const glob = pattern.replace(/^(\/\/|\.\/|\/)/, '').replace(/\/$/, '/**')
  const anywhere = !absolute && !pattern.replace(/\/$/, '').includes('/')
  const globs = [glob, `${glob}/**`].flatMap((each) => (anywhere ? [each, `**/${each}`] : [each]))
  return globs.some((each) => picomatch.isMatch(path, each, { dot: true, windows: false }))
}

/** The rule that allows exactly this file. */
export function fileRule(tool: 'Read' | 'Edit', file: RuleFile): string {
  const path = file.below ?? `//${file.real.replace(/^\/+/, '')}`
  // A name without a slash would hold in every folder.
  const anchored = file.below !== null && !path.includes('/') ? `./${path}` : path
  return `${tool}(${escapeGlob(anchored)})`
}

/** The path as a pattern that matches nothing else. */
export function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{}()!+@|]/g, '\\$&')
}

// ---- commands ----------------------------------------------------------------------------------

/** Whether a rule names this whole command, to the letter. */
export function ruleForWholeCommand(
  rules: readonly PermissionRule[],
  command: string,
): PermissionRule | null {
  return (
    rules.find(
      (rule) => rule.tool === 'Bash' && (rule.pattern === null || rule.pattern === command.trim()),
    ) ?? null
  )
}

/**
 * The rule that covers one simple command: `npm test` exactly, or `npm run:*` (also `npm run *`) with
 * whatever follows. Words are compared after their quotes are gone, so `"npm" test` is `npm test`, and a
 * prefix ends where a word ends.
 */
export function ruleForCommand(
  rules: readonly PermissionRule[],
  words: readonly ShellWord[],
  openEnded: boolean,
): PermissionRule | null {
  const found = rules.find((rule) => {
    if (rule.tool !== 'Bash') return false
    if (rule.pattern === null) return true
    const prefix = prefixOf(rule.pattern)
    const wanted = (prefix ?? rule.pattern).split(/\s+/).filter((word) => word !== '')
    if (prefix === null && (openEnded || words.length !== wanted.length)) return false
    return wanted.length > 0 && wanted.every((word, index) => words[index]?.value === word)
  })
  return found ?? null
}

function prefixOf(pattern: string): string | null {
  const end = /(:\*|\s\*)$/.exec(pattern)
  return end ? pattern.slice(0, end.index) : null
}

/** The rule that allows exactly this command; null where a rule could mean more than the command does. */
export function commandRule(command: string): string | null {
  const text = command.trim()
  const misread = text === '' || text.length > 500 || /[\n\r]/.test(text) || /\*$/.test(text)
  return misread ? null : `Bash(${text})`
}

// ---- names -------------------------------------------------------------------------------------

/** The rule that names this very thing, or a beginning of it (`review:*`); case is ignored. */
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
    return wanted.endsWith('*') ? given.startsWith(wanted.slice(0, -1)) : given === wanted
  })
  return found ?? null
}
