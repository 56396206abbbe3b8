/**
 * The meanings of a path with one slash at its start. As elsewhere, `/src/**` in a project's settings starts at the
 * project's folder, and in the user's settings at the folder of the settings file. People often mean something else, so a
 * rule that denies or asks holds for each reading, and the user is told.
 */
import { readToolEntry } from '../tools/tool-entry.ts'
import { toolFacts } from '../tools/tool-facts.ts'
import type { RuleList } from './rule-form.ts'
import type { WrittenRule } from './written-rule.ts'

interface RuleMeanings {
  readonly rule: Pick<WrittenRule, 'meaning' | 'alsoMeans'>
  /** A sentence for the user; null: the meaning is clear. */
  readonly note: string | null
}

export function ruleMeanings(
  text: string,
  {
    list,
    base,
  }: {
    readonly list: RuleList
    /** The folder of the settings file; null: the patterns start at the project's folder. */
    readonly base: string | null
  },
): RuleMeanings {
  const { name, rule: pattern } = readToolEntry(text)
  const covers = toolFacts(name)?.covers ?? []
  const isPath = covers.length > 0 && !covers.includes('command')
  if (!isPath || pattern === null || !/^\/[^/]/.test(pattern)) return { rule: {}, note: null }
  const rule = (path: string) => `${name}(/${path})`
  const inBase = base === null ? null : rule(`${escaped(base)}${pattern}`)
  const fromRoot = SYSTEM_FOLDER.test(pattern) ? rule(pattern) : null
  const start = `The path ${pattern} starts at ${base ?? "the project's folder"}.`
  const note =
    fromRoot === null
      ? null
      : list === 'allow'
        ? `${start} For the folder of the system, write "${fromRoot}".`
        : `${start} The rule also holds for the folder of the system; for that folder only, write "${fromRoot}".`
  if (list === 'allow') return { rule: inBase === null ? {} : { meaning: inBase }, note }
  const others = [inBase, fromRoot].filter((one) => one !== null)
  return { rule: others.length === 0 ? {} : { alsoMeans: others }, note }
}

/** Folders that are at the root of a file system, and hardly ever in a project. */
const SYSTEM_FOLDER =
  /^\/(home|Users|root|etc|usr|var|tmp|opt|mnt|media|srv|private|Volumes|proc|sys|dev|boot|Library|System|Applications)(\/|$)/

function escaped(folder: string): string {
  return folder.replaceAll('\\', '/').replace(/[*?[\]{}]/g, '\\$&')
}
