/**
 * The rules that deny or ask of a settings file that can't be read as a whole. A guard must not go away because its file
 * is broken: the rules that its text still shows hold, and where some may be lost, Troupe asks about everything.
 */

import type { WrittenRule } from '../../../shared/rules/written-rule.ts'
import type { BrokenLayer } from '../../../shared/settings/settings-layers.ts'
import { isRecord, valueInBroken } from '../../platform/json/json-text.ts'
import { layerPermissions, type PermissionContext, placeOf } from './permission-settings.ts'

interface BrokenRules {
  readonly deny: readonly WrittenRule[]
  readonly ask: readonly WrittenRule[]
  /** A sentence for the user; null: the file has no such rules. */
  readonly problem: string | null
}

/** What may change something or carry something out, and what reads. */
const EVERYTHING = ['Bash', 'Read', 'Edit', 'WebFetch', 'WebSearch'] as const

export function brokenRules({ source, file, text }: BrokenLayer, context: PermissionContext): BrokenRules {
  const written = text === null ? null : (text.match(/"(deny|ask)"/g)?.length ?? 0)
  if (written === 0) return { deny: [], ask: [], problem: null }
  const value = text === null ? undefined : valueInBroken(text)
  const raw = isRecord(value) ? value : {}
  const { deny, ask } = layerPermissions({ source, file, raw }, { ...context, mayLoosen: false })
  const where = placeOf(file, null, context)
  // Each list that the text names must be found, up to its end.
  const lists = isRecord(raw['permissions']) ? raw['permissions'] : {}
  const found = ['deny', 'ask'].filter((key) => Array.isArray(lists[key])).length
  const isWhole = text !== null && found === written && texts(lists) === quotedIn(text)
  const all = EVERYTHING.map(
    (tool): WrittenRule => ({ text: tool, source, file, line: null, where, isRefused: true }),
  )
  return {
    deny,
    ask: isWhole ? ask : [...ask, ...all],
    problem: isWhole
      ? `${where} is broken. The rules that deny or ask in it hold.`
      : `${where} can't be read, and rules that deny or ask may be lost, so Troupe asks about every command, file and page until it can be read.`,
  }
}

/** How many entries the lists have. */
const texts = (lists: Readonly<Record<string, unknown>>): number =>
  ['deny', 'ask'].flatMap((key) => (Array.isArray(lists[key]) ? lists[key] : [])).length

/** How many texts stand in the lists of a text, up to the bracket that ends each. */
function quotedIn(text: string): number {
  const lists = text.match(/"(?:deny|ask)"\s*:\s*\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\]/g) ?? []
  return lists.reduce((sum, list) => sum + (list.match(/"(?:[^"\\]|\\.)*"/g)?.length ?? 1) - 1, 0)
}
