/** One entry of `tools` or `disallowedTools`: a tool, a server of tools, or a part of a tool. */
import { canonicalToolName } from './tool-names.ts'

export interface ToolEntry {
  /** The entry as written. */
  readonly text: string
  /** This program's name for the tool; an MCP tool's name as written. */
  readonly name: string
  /** The text in parentheses: `git diff:*`. Null if there is none, or `*`. */
  readonly rule: string | null
  /**
   * Whether a parenthesis is unclosed, is empty or follows `*`. A broken entry allows nothing and denies the whole tool.
   */
  readonly isBroken: boolean
}

export function readToolEntry(text: string): ToolEntry {
  const trimmed = text.trim()
  const open = trimmed.indexOf('(')
  const name = canonicalToolName((open === -1 ? trimmed : trimmed.slice(0, open)).trim())
  const hasNoEnd = open === -1 ? trimmed.includes(')') : !trimmed.endsWith(')')
  const inside = open === -1 || hasNoEnd ? '' : trimmed.slice(open + 1, -1).trim()
  const isEmpty = open !== -1 && !hasNoEnd && hasEmptyPart(inside)
  const rule = inside === '' || inside === '*' ? null : inside
  // A rule behind `*` has no meaning.
  const isBroken = hasNoEnd || isEmpty || (name === '*' && rule !== null)
  return { text, name, rule: isBroken ? null : rule, isBroken }
}

/** Whether a rule, or a part of it, matches no call by mistake: `Bash()`, `Bash(:*)`. */
function hasEmptyPart(rule: string): boolean {
  return rule.split(/,\s+/).some((part) => /^(:\*)?$/.test(part.trim()))
}

/** Whether the entry names the tool or a part of it. `mcp__github` and `mcp__github__*` name all tools of the server. */
export function isAbout({ name }: ToolEntry, tool: string): boolean {
  if (name === '*' || name === tool) return true
  if (!isMcp(name) || !isMcp(tool)) return false
  const [wanted, given] = [name.toLowerCase(), tool.toLowerCase()]
  if (wanted.endsWith('*')) return given.startsWith(wanted.slice(0, -1))
  return given === wanted || given.startsWith(`${wanted}__`)
}

/**
 * Whether an entry that denies names the tool. Troupe changes names of servers that could stand for another one
 * (`mcpServerName`); an entry with the name as it is written in the settings counts too.
 */
export function isDenied(entry: ToolEntry, tool: string): boolean {
  if (isAbout(entry, tool)) return true
  const [, server = '', ...rest] = tool.toLowerCase().split('__')
  const changed = /^(.*)-[0-9a-f]{6}$/.exec(server)?.[1]
  if (changed === undefined || !isMcp(entry.name) || !isMcp(tool)) return false
  const wanted = plainly(entry.name.replace(/^mcp__/i, '').replace(/\*$/, ''))
  return wanted === changed || wanted === plainly(`${changed}_${rest.join('_')}`)
}

const plainly = (name: string): string =>
  name
    .toLowerCase()
    .replace(/_{2,}/g, '_')
    .replace(/^_+|_+$/g, '')

/** Whether an entry that allows names the tool: `mcp__GOOD` is another server than `mcp__good`. */
export function isGiven(entry: ToolEntry, tool: string): boolean {
  return isAbout(entry, tool) && (entry.name === '*' || tool.startsWith(entry.name.replace(/\*$/, '')))
}

export function isMcp(name: string): boolean {
  return /^mcp__/i.test(name)
}

/** The server of `mcp__server__tool`, in lower case. */
export function serverOf(name: string): string {
  return name.toLowerCase().split('__')[1] ?? ''
}

/** `git diff:*, git log:*` is two rules. */
export function splitRule(rule: string): readonly string[] {
  return rule
    .split(/,\s+/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
