/** Which of the places that words lead to are worth telling first. */
import { byDepth, isAside, isCode, isTest } from '../folder-files.ts'
import { patternOf, type TaskWord } from '../task-words.ts'
import type { FoundLine, Listed } from '../tool-answers.ts'
import { isDefinition, nameDefinedIn } from './word-searches.ts'

/** What a word leads to. */
export interface Hits {
  readonly word: TaskWord
  /** Files that hold it. */
  readonly inFiles: Listed<string>
  /** Files whose names match it. */
  readonly named: readonly string[]
}

/** Names before words, and what is rare before what is everywhere. */
export function worthOf({ word, inFiles }: Hits): number {
  const files = inFiles.total ?? inFiles.items.length
  return (word.kind === 'word' ? 2 : 4) / Math.log2(2 + files)
}

const aside = (path: string): number => (isTest(path) ? 1 : 0) + (isAside(path) ? 2 : 0)

/** Files that hold the most telling words, or are named after them. */
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

/** At most this many under one word, so that one does not hide the others. */
const MOST_OF_ONE = 3

/** Definitions under each word, the most telling words first; what is not defined but called is left out. */
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
      .filter((line) => isCode(line.path) && isDefinition(line) && !chosen.has(placeOf(line)))
      .sort((a, b) => rank(a) - rank(b))
    const room = found.length === 1 ? most : MOST_OF_ONE
    for (const line of defined.slice(0, room)) chosen.set(placeOf(line), line)
  }
  return [...chosen.values()].slice(0, most)
}

/** A variable inside of something is less than what the file is about. */
const inner = ({ text }: FoundLine): number => (/^\s+.*\b(?:const|let|var|val)\b/.test(text) ? 1 : 0)

export const placeOf = ({ path, line }: FoundLine): string => `${path}:${line}`

/** One line of each file first, so that a file full of uses does not hide the others. */
export function spread(lines: readonly FoundLine[]): readonly FoundLine[] {
  const ordered = [...lines].sort((a, b) => aside(a.path) - aside(b.path))
  const seen = new Set<string>()
  const firsts = ordered.filter(({ path }) => !seen.has(path) && seen.add(path))
  return [...firsts, ...ordered.filter((line) => !firsts.includes(line))]
}

/** Paths, those of the project itself and near its top first. */
export function nearest(paths: readonly string[]): readonly string[] {
  return [...paths].sort((a, b) => aside(a) - aside(b) || byDepth(a, b))
}
