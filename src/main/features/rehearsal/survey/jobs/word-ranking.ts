/** Ranks the locations that match the task's words. */
import { byDepth, isAside, isCode, isTest } from '../folder-files.ts'
import { patternOf, type TaskWord } from '../task-words.ts'
import type { FoundLine, Listed } from '../tool-answers.ts'
import { isDefinition, nameDefinedIn } from './word-searches.ts'

/** The matches of a word. */
export interface Hits {
  readonly word: TaskWord
  /** Files that contain the word. */
  readonly inFiles: Listed<string>
  /** Files whose names match the word. */
  readonly named: readonly string[]
}

/** Identifiers before words, rare before frequent. */
export function worthOf({ word, inFiles }: Hits): number {
  const files = inFiles.total ?? inFiles.items.length
  return (word.kind === 'word' ? 2 : 4) / Math.log2(2 + files)
}

const aside = (path: string): number => (isTest(path) ? 1 : 0) + (isAside(path) ? 2 : 0)

/** Files that contain the most specific words or are named after them. */
export function bestFiles(hits: readonly Hits[], most: number): readonly string[] {
  const scores = new Map<string, number>()
  for (const hit of hits) {
    const worth = worthOf(hit)
    for (const path of hit.inFiles.items) scores.set(path, (scores.get(path) ?? 0) + worth)
    for (const path of hit.named)
      if (scores.has(path) || hit.word.kind === 'path') scores.set(path, (scores.get(path) ?? 0) + worth)
  }
  const score = (path: string) => (scores.get(path) ?? 0) * (isCode(path) ? 2 : 1) - aside(path)
  return [...scores.keys()].sort((a, b) => score(b) - score(a) || byDepth(a, b)).slice(0, most)
}

/** Maximum results for one word, so that one word does not hide the others. */
const MOST_OF_ONE = 3

/** Definitions for each word, most specific words first, without mere calls. */
export function bestDefinitions(
  found: readonly { readonly word: TaskWord; readonly lines: readonly FoundLine[] }[],
  most: number,
): readonly FoundLine[] {
  const chosen = new Map<string, FoundLine>()
  for (const { word, lines } of found) {
    const name = new RegExp(`^(?:${patternOf(word)})$`, 'iu')
    const rank = (line: FoundLine) =>
      aside(line.path) + inner(line) + (name.test(nameDefinedIn(line) ?? '') ? 0 : 1)
    const defined = lines
      .filter((line) => isCode(line.path) && isDefinition(line) && !chosen.has(locationOf(line)))
      .sort((a, b) => rank(a) - rank(b))
    const room = found.length === 1 ? most : MOST_OF_ONE
    for (const line of defined.slice(0, room)) chosen.set(locationOf(line), line)
  }
  return [...chosen.values()].slice(0, most)
}

/** A local variable ranks below a top-level definition. */
const inner = ({ text }: FoundLine): number => (/^\s+.*\b(?:const|let|var|val)\b/.test(text) ? 1 : 0)

export const locationOf = ({ path, line }: FoundLine): string => `${path}:${line}`

/** One line per file first, so that a file with many uses does not hide the others. */
export function spread(lines: readonly FoundLine[]): readonly FoundLine[] {
  const ordered = [...lines].sort((a, b) => aside(a.path) - aside(b.path))
  const seen = new Set<string>()
  const firsts = ordered.filter(({ path }) => !seen.has(path) && seen.add(path))
  return [...firsts, ...ordered.filter((line) => !firsts.includes(line))]
}

/** Sorts paths: the project's own and shallow ones first. */
export function nearest(paths: readonly string[]): readonly string[] {
  return [...paths].sort((a, b) => aside(a) - aside(b) || byDepth(a, b))
}
