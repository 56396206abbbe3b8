/**
 * Whether a text is a permission rule that can count. A rule that looks right and covers nothing is worse than none, so
 * each unknown form is refused with the reason and with what to write instead.
 */

import { makeVisible } from '../kernel/visible-text.ts'
import { nearestName } from '../tools/nearest-name.ts'
import { PROGRAM_CALL } from '../tools/row-for-name.ts'
import { isMcp, readToolEntry } from '../tools/tool-entry.ts'
import { ownToolNames, type ToolFacts, toolFacts } from '../tools/tool-facts.ts'

/** The list that the rule stands in. */
export type RuleList = 'deny' | 'ask' | 'allow'

type RuleForm =
  /** `note`: a sentence for the user about a rule that probably covers less than it seems to. */
  { readonly ok: true; readonly note: string | null } | RefusedForm

interface RefusedForm {
  readonly ok: false
  /** The end of a sentence that begins with the rule: "has empty brackets". */
  readonly because: string
  /** The rule to write instead; null if it is unclear. */
  readonly instead: string | null
  /**
   * The rule that the text at least seems to mean; null if it names no tool. A refused rule of the lists deny and ask
   * makes such calls ask, so that a mistake doesn't open what was meant to be closed.
   */
  readonly asks: string | null
}

export function checkRule(text: string, list: RuleList): RuleForm {
  const { name, rule, isBroken } = readToolEntry(text)
  if (makeVisible(text) !== text || /[\r\n\t]/.test(text.trim()))
    return refused('contains an invisible character', clean(text))
  if (!/^[A-Za-z_][\w-]*\*?$/.test(name)) return isMcp(name) ? mcpCharacters(name) : withoutTool(text.trim())
  if (isMcp(name)) return mcpForm(name, rule !== null || isBroken)
  const facts = toolFacts(name)
  if (facts === null) return unknownTool(text, { name, list })
  if (isBroken) return { ...refused('has brackets that are empty or not balanced', null), asks: name }
  if (rule === null) return RIGHT
  return partForm({ name, part: rule, list }, facts)
}

/** A sentence for the user, and what to do. */
export function refusalText(text: string, { because, instead }: RefusedForm): string {
  const advice = instead === null ? '' : ` Write ${JSON.stringify(instead)}.`
  return `The rule ${JSON.stringify(makeVisible(text))} ${because}.${advice}`
}

const RIGHT: RuleForm = { ok: true, note: null }

/** `instead` is also what the text seems to mean. */
function refused(because: string, instead: string | null): RefusedForm {
  return { ok: false, because, instead, asks: instead }
}

// ---- tools -------------------------------------------------------------------------------------

function withoutTool(text: string): RefusedForm {
  const parts = /^([A-Za-z]+)[:\s]\s*(\S.*)$/.exec(text)
  const tool = parts?.[1] === undefined ? null : toolNamed(parts[1])
  if (tool !== null) return refused('has no brackets', `${tool}(${parts?.[2]})`)
  if (/^[~.]?\//.test(text) || text.includes('**')) return refused('names no tool', `Read(${text})`)
  if (/^[a-z][\w.-]*\s+\S/.test(text))
    return refused('names no tool', `Bash(${text.replace(/[\s:*]+$/, '')}:*)`)
  return refused('names no tool', null)
}

/** In the names of tools, other characters of a server's name are underscores. */
function mcpCharacters(name: string): RefusedForm {
  const plain = name.slice(5).replaceAll(/[^\w*-]/g, '_')
  const form = mcpForm(`mcp__${plain}`, false)
  const instead = form.ok ? `mcp__${plain}` : form.instead
  return refused('has characters that names of tools do not have', instead)
}

function mcpForm(name: string, hasPart: boolean): RuleForm {
  if (hasPart) return refused('has brackets, but a rule covers every call of an MCP tool', name)
  const [, server = '', ...tool] = name.split('__')
  if (server === '' || server.startsWith('*')) return { ...refused('names no MCP server', null), asks: null }
  if (name.slice(0, -1).includes('*') || tool.includes(''))
    return refused('has a star or __ at a wrong place', `mcp__${server}`)
  return RIGHT
}

function unknownTool(
  text: string,
  { name, list }: { readonly name: string; readonly list: RuleList },
): RuleForm {
  const mcp = /^mcp_+(\w[\w-]*)$/i.exec(name)?.[1]
  if (mcp !== undefined) return refused('names an MCP server with one underscore', `mcp__${mcp}`)
  if (list === 'allow' && name.startsWith(PROGRAM_CALL))
    return refused("names calls that Troupe can't read, which are asked about each time", null)
  const near = toolNamed(name)
  const part = readToolEntry(text).rule
  if (near !== null)
    return refused(`names the unknown tool ${name}`, part === null ? near : `${near}(${part})`)
  if (part !== null) return refused(`has brackets, but a rule covers every call of ${name}`, name)
  return { ok: true, note: `Troupe has no tool ${name}, so the rule counts only for a tool of a plugin.` }
}

/** The tool with this name, or with nearly this name. */
function toolNamed(name: string): string | null {
  const known = readToolEntry(name).name
  return toolFacts(known) === null ? nearestName(name, ownToolNames) : known
}

// ---- parts of tools ----------------------------------------------------------------------------

interface Part {
  readonly name: string
  /** The text in brackets. */
  readonly part: string
  readonly list: RuleList
}

function partForm(rule: Part, { hasParts, covers }: ToolFacts): RuleForm {
  const { name, part } = rule
  if (!hasParts) return refused(`has brackets, but a rule covers every call of ${name}`, name)
  if (covers.includes('command')) return commandForm(rule)
  if (covers.length > 0) return fileForm(rule)
  if (name === 'WebFetch') return domainForm(rule)
  if (part.includes(','))
    return { ...refused('names several at once: write a rule for each', null), asks: name }
  return RIGHT
}

function commandForm({ name, part, list }: Part): RuleForm {
  const inner = part.replace(/:\*$/, '')
  if (inner.includes(':*'))
    return refused(
      'has :* before its end, where it has no meaning',
      `${name}(${inner.replaceAll(':*', ' *')})`,
    )
  // Quotes may hold an operator: such a rule is left as it is.
  const parts = /["'\\]/.test(inner) ? [inner] : inner.split(/&&|\|\||[;|]/)
  const last = parts.at(-1)?.trim() ?? ''
  if (parts.length > 1 && (list !== 'allow' || inner.includes('*') || inner !== part))
    return last === ''
      ? { ...refused('covers nothing, because each command of a line is judged by itself', null), asks: name }
      : refused('covers nothing, because each command of a line is judged by itself', `${name}(${last}:*)`)
  if (list !== 'allow' && inner === part && /^[\w.-]+$/.test(part))
    return {
      ok: true,
      note: `The rule ${name}(${part}) covers only "${part}" without arguments. For every call of ${part}, write "${name}(${part}:*)".`,
    }
  return RIGHT
}

function fileForm({ name, part }: Part): RuleForm {
  const rule = (pattern: string) => `${name}(${pattern})`
  if (part.startsWith('!'))
    return {
      ...refused('starts with !, but rules have no exceptions: write narrower rules instead', null),
      asks: name,
    }
  if (part.endsWith(':*'))
    return refused('has :*, which is for commands', rule(`${part.slice(0, -2).replace(/\/$/, '')}/**`))
  const home = /^(\$HOME|\$\{HOME\}|%USERPROFILE%)[\\/]/i
  if (home.test(part)) return refused('has a variable, which is not expanded', rule(part.replace(home, '~/')))
  if (/^\$\{?\w|^%\w+%/.test(part))
    return { ...refused('has a variable, which is not expanded', null), asks: name }
  if (/^~[^/]/.test(part))
    return {
      ...refused('names the home folder of another user: write its absolute path with // at its start', null),
      asks: name,
    }
  if (/^[A-Za-z]:[\\/]/.test(part))
    return refused(
      'is a path with a drive: absolute paths start with //',
      rule(`//${part.replaceAll('\\', '/')}`),
    )
  if (/\\[\w.]/.test(part.replaceAll('\\\\', '')))
    return refused('has backslashes: paths have slashes', rule(part.replaceAll('\\', '/')))
  const open = part.replace(/\\./g, '').replace(/\[[^\]]+\]/g, '')
  if (/[[\]]/.test(open))
    return refused('has a bracket [ without its partner', rule(part.replace(/(?<!\\)[[\]]/g, '\\$&')))
  return RIGHT
}

function domainForm({ name, part, list }: Part): RuleForm {
  const domain = /^domain:\s*(.+)$/i.exec(part)?.[1]?.trim().toLowerCase()
  const host = hostIn(domain ?? part)
  const right = host === null ? null : `${name}(domain:${host})`
  if (domain === undefined)
    return { ...refused('needs domain: and the name of a host', right), asks: right ?? name }
  if (domain === '*') return refused('covers every host', name)
  if (host === null) return { ...refused('names no host', null), asks: name }
  if (host.slice(2).includes('*') || (host.includes('*') && !host.startsWith('*.')))
    return {
      ...refused('has a star that does not stand for all hosts below a domain, as in *.example.com', null),
      asks: name,
    }
  if (host !== domain.replace(/\.$/, '') && !/[^\x20-\x7e]/.test(domain))
    return refused('has more than the name of a host', right)
  if (list === 'allow' && /^\*\.[^.]+$/.test(host))
    return {
      ok: true,
      note: `The rule ${name}(domain:${host}) covers every host that ends in ${host.slice(1)}.`,
    }
  return RIGHT
}

/** The host of an address, without a port and a path. */
function hostIn(text: string): string | null {
  const plain = text
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/[/?#].*$/, '')
    .replace(/^[^@]*@/, '')
    .replace(/:\d*$/, '')
    .replace(/\.$/, '')
  const named = plain.replaceAll('*', 'x')
  return plain !== '' && !/[\s/\\]/.test(plain) && URL.canParse(`http://${named}/`) ? plain : null
}

// ---- text --------------------------------------------------------------------------------------

/** The rule without invisible characters; null if it is no rule then either. */
function clean(text: string): string | null {
  const visible = [...text]
    .filter((character) => makeVisible(character) === character)
    .join('')
    .replace(/\s+/g, ' ')
    .trim()
  return visible !== text && /^[A-Za-z_][\w-]*\*?(\(.+\))?$/.test(visible) ? visible : null
}
