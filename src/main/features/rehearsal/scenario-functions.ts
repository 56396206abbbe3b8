/** The functions that a scenario's expressions may call, by their names; docs/scenarios.md describes each. */

import { formatText } from '../../../shared/agent-definition/format-value.ts'
import { countOf } from '../../../shared/kernel/amounts.ts'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { quotedWord } from '../../platform/shell/quoted-word.ts'
import { NO_ANSWER, type ScenarioCallResult } from './scenario-scene.ts'
import { namePartsOf, patternOf, taskWords } from './task-words.ts'
import {
  commandAnswer,
  commandLines,
  foundCounts,
  foundLines,
  foundLinesIn,
  foundPaths,
  readLines,
  reasonOf,
} from './tool-answers.ts'

type Maybe<Value> = Value | null | undefined
const given = (answer: Maybe<ScenarioCallResult>): ScenarioCallResult => answer ?? NO_ANSWER

export const scenarioFunctions: Readonly<Record<string, unknown>> = {
  // Results of tools
  lines: (answer: Maybe<ScenarioCallResult>, path?: string) =>
    (path === undefined ? foundLines(given(answer)) : foundLinesIn(path, given(answer))).items,
  paths: (answer: Maybe<ScenarioCallResult>) => foundPaths(given(answer)).items,
  counts: (answer: Maybe<ScenarioCallResult>) => foundCounts(given(answer)).items,
  more: (answer: Maybe<ScenarioCallResult>) => foundPaths(given(answer)).more,
  total: (answer: Maybe<ScenarioCallResult>) => foundPaths(given(answer)).total ?? null,
  read: (answer: Maybe<ScenarioCallResult>) => readLines(given(answer)),
  output: (answer: Maybe<ScenarioCallResult>) => commandLines(given(answer)),
  command: (answer: Maybe<ScenarioCallResult>) => commandAnswer(given(answer)),
  reason: (answer: Maybe<ScenarioCallResult>) => reasonOf(given(answer)),
  // Texts
  clip,
  code,
  counted: countOf,
  joined,
  plain,
  shell: quotedWord,
  yaml: (text: string) => formatText(text, { style: 'plain', inFlow: false }),
  repeat: (text: string, times: number) => text.repeat(Math.min(times, 1000)),
  regex: (source: string, flags = '') => new RegExp(source, flags),
  /** The parsed JSON; null if the text is none. */
  json: (text: string): unknown => jsonOrUndefined(text) ?? null,
  number: (text: Maybe<string>) => Number(text?.trim() || Number.NaN) || 0,
  // Words to search for
  words: taskWords,
  parts: namePartsOf,
  pattern: patternOf,
  // Lists and tables
  /** The item at this number, from 0; after its end the list begins again. */
  around: (list: readonly unknown[], number: number) => list[number % list.length],
  keys: (table: Maybe<object>) => Object.keys(table ?? {}),
  max: Math.max,
  min: Math.min,
  sum: (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0),
  sorted,
  tally,
  unique,
  // Reports
  report,
  reported,
}

// ---- texts --------------------------------------------------------------------------------------

/** Escapes names and messages from the folder, so that they cannot pass for report syntax or start a line. */
function plain(text: string): string {
  return makeVisible(text.replace(/\s*[\r\n]+\s*/g, ' '))
}

/** Formats any text as inline code in markdown. */
function code(text: string): string {
  const shown = plain(text)
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  if (longest === 0) return `\`${shown}\``
  const fence = '`'.repeat(longest + 1)
  return `${fence} ${shown} ${fence}`
}

/** At most this many characters. */
function clip(text: string, length: number): string {
  const characters = [...text]
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : text
}

/** `a, b and c`. */
function joined(parts: readonly string[]): string {
  if (parts.length < 2) return parts[0] ?? ''
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

// ---- lists --------------------------------------------------------------------------------------

/** Sorts by a list of keys for each item; numbers and texts ascend. */
function sorted(
  list: readonly unknown[],
  keysOf: (item: unknown) => readonly (number | string)[],
): readonly unknown[] {
  const keyed = list.map((item) => ({ item, keys: keysOf(item) }))
  keyed.sort((a, b) => {
    for (const [index, one] of a.keys.entries()) {
      const other = b.keys[index] ?? one
      if (one !== other) return one < other ? -1 : 1
    }
    return 0
  })
  return keyed.map(({ item }) => item)
}

/** The first item of each key. */
function unique(
  list: readonly unknown[],
  keyOf: (item: unknown) => unknown = (item) => item,
): readonly unknown[] {
  const keys = new Set<unknown>()
  return list.filter((item) => {
    const key = keyOf(item)
    return !keys.has(key) && keys.add(key)
  })
}

/** Counts each value, most frequent first. */
function tally(values: readonly string[]): readonly { readonly value: string; readonly count: number }[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count)
}

// ---- reports ------------------------------------------------------------------------------------

const HEADING = 'Survey report: '
const GAP = 'Not known: '

interface Fact {
  readonly path: string
  /** Missing for a file or folder as a whole. */
  readonly line?: Maybe<number>
  /** The exact text at the location. */
  readonly text?: Maybe<string>
  /** Its relevance. */
  readonly note?: Maybe<string>
}

interface Report {
  /** The job's title: `entry points and layout`. */
  readonly title: string
  /** The summary, one or two sentences. */
  readonly lead?: Maybe<string>
  /** Locations, each reported once, and other lines; most important first. What is null is left out. */
  readonly facts?: readonly Maybe<Fact | string>[]
  /** Unknown facts, with the reasons. */
  readonly gaps?: readonly Maybe<string>[]
}

/** A report: a sentence, facts with locations, then unknowns. `reported` parses it again. */
function report({ title, lead, facts = [], gaps = [] }: Report): string {
  const locations = new Set<string>()
  const lines = facts.flatMap((fact) => {
    if (fact == null) return []
    if (typeof fact === 'string') return [`- ${plain(fact)}`]
    const location = fact.line == null ? fact.path : `${fact.path}:${fact.line}`
    if (locations.has(location)) return []
    locations.add(location)
    const text = fact.text?.trim() ? ` ${code(clip(fact.text.trim(), 120))}` : ''
    return [`- ${code(location)}${text}${fact.note == null ? '' : ` ${plain(fact.note)}`}`]
  })
  return [
    `${HEADING}${title}`,
    plain(lead || 'Nothing was found.'),
    lines.join('\n'),
    ...gaps.flatMap((gap) => (gap == null ? [] : [`${GAP}${plain(gap)}`])),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Parses the report in a longer text, such as the result of an Agent call; null if there is none. */
function reported(text: string): Required<Report> | null {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith(HEADING))
  if (start < 0) return null
  const after = lines.slice(start + 1)
  const end = after.findIndex((line) => /^\[agent \S.* turns?\b/.test(line))
  const own = after.slice(0, end < 0 ? undefined : end)
  const facts = own.filter((line) => line.startsWith('- '))
  const gaps = own.filter((line) => line.startsWith(GAP)).map((line) => line.slice(GAP.length))
  const lead = own.find((line) => line.trim() !== '' && !line.startsWith('- ') && !line.startsWith(GAP)) ?? ''
  return { title: (lines[start] ?? '').slice(HEADING.length), lead, facts, gaps }
}
