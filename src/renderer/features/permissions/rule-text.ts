/** What a rule covers, and where it is from, in plain words. */

import type { ListedEntry } from '../../../shared/rules/contract.ts'
import type { EditableSource, PermissionList } from '../../../shared/rules/written-rule.ts'
import { readToolEntry } from '../../../shared/tools/tool-entry.ts'
import { toolFacts } from '../../../shared/tools/tool-facts.ts'
import { canonicalToolName } from '../../../shared/tools/tool-names.ts'

export const LIST_TEXT: Readonly<Record<PermissionList, { readonly title: string; readonly hint: string }>> =
  {
    deny: { title: 'Deny', hint: 'checked first' },
    ask: { title: 'Ask', hint: 'checked next, in every mode' },
    allow: { title: 'Allow', hint: 'checked last' },
    additionalDirectories: { title: 'More folders', hint: 'used by agents like their own' },
  }

export const RULE_SOURCE_TEXT: Readonly<Record<ListedEntry['source'], string>> = {
  managed: 'managed',
  'command-line': 'command line',
  local: 'local',
  project: 'project',
  own: 'Troupe',
  user: 'user',
  saved: 'your answer',
}

export const PLACE_TEXT: Readonly<Record<EditableSource, string>> = {
  own: 'All my folders',
  local: 'Only this folder',
  user: 'Shared with other programs',
}

/** "exactly this command", "git push with anything after it" */
export function coverText({ text, list }: Pick<ListedEntry, 'text' | 'list'>): string {
  if (list === 'additionalDirectories') return 'read, and written where the mode allows it'
  const { name, rule, isBroken } = readToolEntry(text)
  if (isBroken) return 'every call, because its brackets are wrong'
  const tool = canonicalToolName(name)
  const covers = toolFacts(tool)?.covers ?? []
  if (covers.includes('command')) return commandText(rule)
  if (covers.includes('write')) return rule === null ? 'changing any file' : `changing ${filesText(rule)}`
  if (covers.includes('search') || covers.includes('read'))
    return rule === null ? 'reading any file' : `reading ${filesText(rule)}`
  if (name.toLowerCase().startsWith('mcp__')) return serverText(name)
  const domain = /^domain:\s*(\S+)$/i.exec(rule ?? '')?.[1]
  if (domain !== undefined)
    return domain.startsWith('*.') ? `every host below ${domain.slice(2)}` : `pages of ${domain}`
  if (rule === null) return `every call of ${tool}`
  return rule.endsWith('*') ? `${tool} with names that begin like this` : `${tool} with exactly this name`
}

function commandText(rule: string | null): string {
  if (rule === null) return 'every command'
  const start = /^(.*?)(:\*|\s\*)$/s.exec(rule)?.[1]
  if (start !== undefined && !start.includes('*')) return `${start} with anything after it`
  return rule.includes('*') ? 'commands that match' : 'exactly this command'
}

function filesText(rule: string): string {
  const place = rule.startsWith('//') || rule.startsWith('~') ? '' : ' of the folder'
  const path = rule.replace(/^(\/\/|\.\/|\/)/, rule.startsWith('//') ? '/' : '')
  const folder = /^([^*?[{]+)\/(\*\*)?$/.exec(path)?.[1]
  if (folder !== undefined) return `every file in ${folder}`
  if (/[*?[{]/.test(path)) return `files${place} that match`
  return rule.includes('/') ? 'exactly this file' : 'files with this name, in every folder'
}

function serverText(name: string): string {
  const [, server = '', ...rest] = name.split('__')
  const tool = rest.join('__')
  return tool === '' || tool === '*' ? `every tool of ${server}` : `one tool of ${server}`
}

/** A command without a tool's name is one for Bash: `npm test && ls`. */
export function typedCall(typed: string): string {
  const text = typed.trim()
  return /^(mcp__[\w-]+|[A-Z][A-Za-z]*)\s*(\(.*\)\s*)?$/s.test(text) ? text : `Bash(${text})`
}
