/** The size of a folder by language, from a complete listing or from git. */
import { endingOf, isAside, isCode, isMade, languageOf, tally } from '../folder-files.ts'
import { type Answer, NO_ANSWER } from '../read-conversation.ts'
import type { ToolCall } from '../script.ts'
import { commandLines, foundCounts, type Listed } from '../tool-answers.ts'
import { countedLines, plainPath } from './git-lines.ts'

export interface Languages {
  /** Files by language, most frequent first. */
  readonly names: readonly (readonly [string, number])[]
  /** Number of all files; null if unknown. */
  readonly total: number | null
}

const bash = (command: string, description: string): ToolCall => ({
  tool: 'Bash',
  input: { command, description },
})

/** Counts files by extension, then all files. */
export const countEndings = bash(
  "git ls-files --cached --others --exclude-standard | grep -oE '\\.[A-Za-z0-9]+$' | sort | uniq -c | sort -rn | head -n 40; git ls-files --cached --others --exclude-standard | wc -l",
  'Count files by extension',
)

/** Compares every file with git's empty tree, which counts all lines. */
export const longestInGit = bash(
  'git diff --numstat --relative --no-renames --no-ext-diff --no-textconv 4b825dc642cb6eb9a060e54bf8d69288fbee4904 HEAD -- . | sort -rn | head -n 40',
  'The longest files',
)

/** The lines of each file of these languages. */
export const countLines = (endings: readonly string[]): ToolCall => ({
  tool: 'Grep',
  input: {
    pattern: '^',
    output_mode: 'count',
    glob: endings.map((ending) => `*.${ending}`).join(','),
    head_limit: 300,
  },
})

/** Extensions of code files, most frequent first. */
export function codeEndings(paths: readonly string[]): readonly string[] {
  return tally(paths.filter(isCode).map(endingOf))
    .slice(0, 8)
    .map(([ending]) => ending)
}

/** @param counts the output of `countEndings` */
export function languagesOf(files: Listed<string>, counts: Answer | undefined): Languages {
  if (!files.more) {
    const names = files.items.flatMap((path) => languageOf(path) ?? [])
    return { names: tally(names).slice(0, 8), total: files.items.length }
  }
  const lines = commandLines(counts ?? NO_ANSWER)
  const total = Number(lines.at(-1)?.trim() || Number.NaN)
  if (!Number.isFinite(total) || total === 0) return { names: [], total: null }
  const names = new Map<string, number>()
  for (const { count, text } of countedLines(lines.slice(0, -1))) {
    const name = languageOf(text)
    if (name !== null) names.set(name, (names.get(name) ?? 0) + count)
  }
  return { names: [...names].sort((a, b) => b[1] - a[1]).slice(0, 8), total }
}

interface Length {
  readonly path: string
  readonly count: number
}

/** The longest files that are not generated; from git's counts if the search was incomplete. */
export function longestFiles(counted: Answer, inGit: Answer | undefined): readonly Length[] {
  const { items, more } = foundCounts(counted)
  const fromGit = more ? commandLines(inGit ?? NO_ANSWER).flatMap(lengthIn) : []
  return [...(fromGit.length > 0 ? fromGit : items)]
    .filter(({ path }) => isCode(path) && !isAside(path) && !isMade(path))
    .sort((a, b) => b.count - a.count || (a.path < b.path ? -1 : 1))
    .slice(0, 3)
}

/** A line of `git diff --numstat`: `812	0	src/a.ts`. */
function lengthIn(line: string): readonly Length[] {
  const match = /^(\d+)\t\d+\t(.+)$/.exec(line)
  return match ? [{ path: plainPath(match[2] ?? ''), count: Number(match[1]) }] : []
}
