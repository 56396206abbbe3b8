/** Finds the tools, MCP servers and skills that a definition names but that do not exist. */

import { checkRule, refusalText } from '../rules/rule-form.ts'
import { isTypo, nearestName } from '../tools/nearest-name.ts'
import { isToolOfOtherProgram } from '../tools/other-programs-tools.ts'
import { isMcp, readToolEntry, splitRule } from '../tools/tool-entry.ts'
import { canonicalToolName, startsAgents } from '../tools/tool-names.ts'
import type { AgentSource } from './agent-catalog.ts'
import type { AgentDefinition, Diagnostic, Fix } from './agent-definition.ts'
import { resolveTools } from './resolve-tools.ts'
import {
  LONGEST_FRONTMATTER,
  type ScannedField,
  type ScannedName,
  scanFrontmatter,
  scanNames,
} from './scan-frontmatter.ts'
import { sourcePositions } from './source-positions.ts'
import { setField } from './write-definition.ts'

export interface KnownNames {
  /** The names of all tools, including those of MCP servers. */
  readonly tools: readonly string[]
  /** Null: unknown, so skills are not checked. */
  readonly skills: readonly string[] | null
  /** The connected MCP servers; null: unknown, so servers are not checked. */
  readonly servers: readonly string[] | null
}

type Naming = Pick<AgentDefinition, 'tools' | 'disallowedTools' | 'skills'> & { readonly source: AgentSource }
type ListKey = 'tools' | 'disallowedTools' | 'skills'

/**
 * @param text the file's text, for positions; empty without a file
 * @param options.fixes false: without them. Each fix reads the file again
 */
export function missingNames(
  text: string,
  definition: Naming,
  { fixes = true, ...known }: KnownNames & { readonly fixes?: boolean },
): readonly Diagnostic[] {
  return (['tools', 'disallowedTools', 'skills'] as const).flatMap((key) => {
    const names = definition[key] ?? []
    const why = key === 'skills' ? whySkill(known) : whyTool(key, definition, known)
    const missing = new Map(names.flatMap((name) => [[name, why(name)] as const]))
    const found = namesAt(text, key, missing)
    return oneForAll(found).map(
      (location): Diagnostic => diagnosticOf(text, location, { key, names: fixes ? names : null }),
    )
  })
}

/** One for all names of other programs, and one for each server, at the first name. The others stay. */
function oneForAll(missing: readonly MissingName[]): readonly MissingName[] {
  const groups = new Map<string, readonly MissingName[]>()
  for (const [at, each] of missing.entries()) {
    const group = each.missing.group ?? `name ${at}`
    groups.set(group, [...(groups.get(group) ?? []), each])
  }
  return [...groups.values()].flatMap((group): readonly MissingName[] => {
    const [first, ...rest] = group
    if (first === undefined || rest.length === 0) return group
    const together = [...new Set(group.map(({ name }) => name.name))]
    const bare = [...new Set(together.map(bareName))]
    const shown = bare.length > MOST_NAMES ? [...bare.slice(0, MOST_NAMES), '…'] : bare
    const message = first.missing.messageOf?.(shown) ?? first.missing.message
    return [{ ...first, missing: { ...first.missing, message, nearest: null }, together }]
  })
}

/** Names in one message. */
const MOST_NAMES = 30

/** Whether an entry names a tool that a later version will have. */
export function isForeseen(entry: string): boolean {
  const { name, isBroken } = readToolEntry(entry)
  return !isBroken && canonicalToolName(name.toLowerCase()) !== name.toLowerCase()
}

/** The missing skills, ignoring case. */
export function missingSkills(
  { skills: named }: Pick<AgentDefinition, 'skills'>,
  skills: KnownNames['skills'],
): readonly string[] {
  const existing = new Set(skills?.map((name) => name.toLowerCase()))
  return skills === null ? [] : named.filter((name) => !existing.has(name.toLowerCase()))
}

interface Missing extends Pick<Diagnostic, 'code' | 'severity' | 'message'> {
  readonly nearest: string | null
  /** Names with the same group are told once. */
  readonly group?: string
  readonly messageOf?: (names: readonly string[]) => string
}

type Why = (name: string) => Missing | null

function whySkill({ skills }: KnownNames): Why {
  return (name) => {
    if (missingSkills({ skills: [name] }, skills).length === 0) return null
    const near = nearestName(name, skills ?? [])
    const message = `Skill ${name} not found, so its text is not in the prompt.${didYouMean(near)}`
    return warning('missing-skill', message, near)
  }
}

function whyTool(key: ListKey, definition: Naming, { tools, servers }: KnownNames): Why {
  const { unknown } = resolveTools(definition, { tools, depth: 1 })
  const nearest = new Map(unknown.map((each) => [each.entry, each.nearest]))
  return (name) => {
    const near = nearest.get(name)
    if (near === undefined) return whyRule(name, key) ?? whyServer(name, tools, servers)
    if (readToolEntry(name).isBroken) return warning('unknown-tool', brokenText(name, key))
    if (isToolOfOtherProgram(bareName(name))) return key === 'disallowedTools' ? null : ofOtherProgram(name)
    if (!isForeseen(name)) return warning('unknown-tool', `Unknown tool ${name}.${didYouMean(near)}`, near)
    // Denying a missing tool does no harm, and the built-in agents name tools of later versions.
    if (key === 'disallowedTools' || definition.source === 'built-in') return null
    const message = `The tool ${bareName(name)} is not available in this version.`
    return { code: 'missing-tool', severity: 'notice', message, nearest: null }
  }
}

function ofOtherProgram(name: string): Missing {
  const messageOf = (names: readonly string[]) => `Not available in Troupe: ${names.join(', ')}.`
  const message = messageOf([bareName(name)])
  return { code: 'missing-tool', severity: 'notice', message, nearest: null, group: 'other', messageOf }
}

/** A rule such as `Bash(git:* push)` covers nothing. Lists of agent types are no rules. */
function whyRule(entry: string, key: ListKey): Missing | null {
  const { name, rule } = readToolEntry(entry)
  if (rule === null || startsAgents(name)) return null
  const parts = splitRule(rule).map((part) => `${name}(${part})`)
  for (const part of parts) {
    const form = checkRule(part, key === 'tools' ? 'allow' : 'deny')
    if (!form.ok)
      return warning('unusable-rule', refusalText(part, form), parts.length > 1 ? null : form.instead)
  }
  return null
}

function whyServer(name: string, tools: readonly string[], servers: KnownNames['servers']): Missing | null {
  const server = /^mcp__((?:(?!__).)+)/.exec(name)?.[1]
  if (server === undefined || servers === null || servers.includes(server)) return null
  if (tools.some((tool) => tool.startsWith(`mcp__${server}__`))) return null
  const near = nearestName(server, servers)
  const messageOf = (names: readonly string[]) =>
    `MCP server ${server} is not connected, so ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} left out.${didYouMean(near)}`
  const nearest = near === null ? null : bareName(name).replace(`mcp__${server}`, () => `mcp__${near}`)
  const missing = warning('unknown-server', messageOf([bareName(name)]), nearest)
  return { ...missing, group: `server ${server}`, messageOf }
}

const didYouMean = (near: string | null): string => (near === null ? '' : ` Did you mean ${near}?`)

const warning = (code: string, message: string, nearest: string | null = null): Missing => {
  return { code, severity: 'warning', message, nearest }
}

function brokenText(entry: string, key: ListKey): string {
  const { name } = readToolEntry(entry)
  const effect = key === 'disallowedTools' ? `denies all of ${name}` : 'allows nothing'
  return name !== '*' && entry.trim().endsWith(')')
    ? `The rule of ${entry} is empty, so it ${effect}. Write ${name} for every call, or a rule in the brackets.`
    : `The brackets of ${entry} are not balanced, so it ${effect}.`
}

// ---- Positions ----

interface MissingName {
  readonly missing: Missing
  readonly name: ScannedName
  /** False for a name that is written differently from its value: then the key's position is used. */
  readonly isFound: boolean
  /** All names that the message tells of; missing: only this one. */
  readonly together?: readonly string[]
}

function namesAt(
  text: string,
  key: ListKey,
  missing: ReadonlyMap<string, Missing | null>,
): readonly MissingName[] {
  const wrong = [...missing].flatMap(([name, why]) => (why === null ? [] : [{ name, why }]))
  if (wrong.length === 0) return []
  const head = text.slice(0, LONGEST_FRONTMATTER)
  const field = scanFrontmatter(head)?.fields.find((each) => each.key === key)
  const written = field === undefined ? [] : scanNames(head, field)
  return wrong.flatMap(({ name, why }): readonly MissingName[] => {
    const scanned = written.filter((each) => each.name === name)
    const found = scanned.length > 0 || field === undefined ? scanned : searchName(head, name, field)
    if (found.length > 0) return found.map((location) => ({ missing: why, name: location, isFound: true }))
    const atKey = { name, from: field?.keyFrom ?? 0, to: field?.keyTo ?? 0 }
    return [{ missing: why, name: atKey, isFound: false }]
  })
}

/** A name with unclosed brackets swallows the text behind it, so it is searched for literally. */
function searchName(text: string, name: string, { from, to }: ScannedField): readonly ScannedName[] {
  const at = text.slice(from, to).search(new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`))
  return at === -1 ? [] : [{ name, from: from + at, to: from + at + name.length }]
}

function diagnosticOf(
  text: string,
  { missing, name, isFound, together = [name.name] }: MissingName,
  { key, names }: { readonly key: ListKey; readonly names: readonly string[] | null },
): Diagnostic {
  const { nearest, group: _, messageOf: __, ...rest } = missing
  const diagnostic = { ...rest, about: { name: name.name, nearest } }
  const to = isFound ? endOfName(name) : name.to
  const fixes: Fix[] = []
  if (names === null) return { ...diagnostic, ...sourcePositions(text).at(name.from, to), fixes }
  const others = names.filter((each) => !together.includes(each))
  const without = setField(text, key, others)
  // Without its rule, an entry would allow or deny something else.
  if (key !== 'skills' && readToolEntry(name.name).isBroken)
    return { ...diagnostic, ...sourcePositions(text).at(name.from, to), fixes }
  if (nearest !== null && isFound) {
    const isCertain = !isMcp(name.name) && isTypo(bareName(name.name), nearest)
    fixes.push({ label: `Use ${nearest}`, edits: [{ from: name.from, to, insert: nearest }], isCertain })
  }
  // Another program may have the tool, or the name may exist later.
  if (without.length > 0)
    fixes.push({
      label: together.length > 1 ? `Remove ${together.length} names` : `Remove ${bareName(name.name)}`,
      edits: without,
      isCertain: false,
    })
  return { ...diagnostic, ...sourcePositions(text).at(name.from, to), fixes }
}

/** The name without its rule: `Bash` of `Bash(git diff:*)`. */
function endOfName({ name, from }: ScannedName): number {
  const bare = /^[^(]*/.exec(name)?.[0].trimEnd() ?? name
  return from + (bare === '' ? name.length : bare.length)
}

const bareName = (name: string): string => name.replace(/\(.*$/s, '').trim()

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
