/**
 * A text search. ripgrep first searches with all its threads, and the results are sorted here. Results above the limit
 * are searched again, file by file in order, up to the limit. So a repeated search gives the same answer.
 */
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { GrepQuery } from '../../runtime/ports/files.ts'
import {
  CONTEXT_SEPARATOR,
  comparePaths,
  type FoundLine,
  MATCH_SEPARATOR,
  readFoundLine,
  writeFoundLines,
} from './found-lines.ts'
import { nameFilter, namesFor, type PathFilter } from './path-filter.ts'
import { type Ripgrep, runRipgrep, SCOPE } from './run-ripgrep.ts'

interface GrepFound {
  readonly text: string
  readonly matches: number
  readonly truncated: boolean
}

type LocatedQuery = GrepQuery & { readonly isFolder: boolean }

/** Limits of the results that are sorted here: lines, and their characters. */
const MOST_LINES = 20_000
const MOST_CHARACTERS = 8 * 1024 * 1024
/** Bytes. Longer lines are truncated. */
const LONGEST_LINE = 1000

/** Searches a file, or all files of a folder. */
export async function grepFiles(
  query: LocatedQuery,
  program: Ripgrep,
  signal: AbortSignal,
): Promise<Result<GrepFound>> {
  const search = (options: { readonly inOrder: boolean; readonly most: number }) =>
    collect(query, program, { ...options, signal })
  const all = await search({ inOrder: false, most: Math.max(MOST_LINES, query.offset + query.limit) })
  if (!all.ok) return all
  if (all.value.complete) {
    const lines = all.value.lines.toSorted((one, other) => comparePaths(one.path, other.path))
    const matches = all.value.counted ?? countMatches(lines)
    const end = query.offset + query.limit
    return ok({ text: textOf(query, lines.slice(query.offset, end)), matches, truncated: lines.length > end })
  }
  const first = await search({ inOrder: true, most: query.offset + query.limit })
  if (!first.ok) return first
  const { lines, complete } = first.value
  const shown = lines.slice(query.offset)
  return ok({ text: textOf(query, shown), matches: countMatches(lines), truncated: !complete })
}

interface Collected {
  readonly lines: readonly FoundLine[]
  /** False: ripgrep was stopped at the limit. */
  readonly complete: boolean
  /** The number of matches from ripgrep's statistics, where a match can span lines. */
  readonly counted: number | null
}

interface CollectOptions {
  /** Sorted by path, which makes ripgrep use a single thread. */
  readonly inOrder: boolean
  readonly most: number
  readonly signal: AbortSignal
}

async function collect(
  query: LocatedQuery,
  program: Ripgrep,
  { inOrder, most, signal }: CollectOptions,
): Promise<Result<Collected>> {
  const passes = filterFor(query)
  const start = query.path.endsWith('/') ? query.path.length : query.path.length + 1
  const lines: FoundLine[] = []
  let characters = 0
  let complete = true
  let counted: number | null = null
  let leftOut = false
  const ran = await runRipgrep(program, {
    args: argumentsFor(query, inOrder),
    separator: query.mode === 'files_with_matches' ? '\0' : '\n',
    signal,
    onRecord: (record) => {
      const line = readRecord(record, query)
      if (line === null) {
        const total = /^(\d+) matches$/.exec(record)
        if (total) counted = Number(total[1])
        return true
      }
      if (passes !== null && !passes(line.path.slice(start))) {
        leftOut = true
        return true
      }
      complete = lines.length < most && characters < MOST_CHARACTERS
      if (complete) lines.push(line)
      characters += line.path.length + line.text.length
      return complete
    },
  })
  // ripgrep's count includes the files that the filter left out.
  return ran.ok ? ok({ lines, complete, counted: leftOut ? null : counted }) : ran
}

function argumentsFor(query: LocatedQuery, inOrder: boolean): readonly string[] {
  const args: string[] = [...SCOPE, '--null', '--with-filename', '--engine=auto', '--crlf']
  args.push(query.ignoreCase ? '--ignore-case' : '--case-sensitive')
  if (inOrder) args.push('--sort=path')
  if (query.multiline) args.push('--multiline', '--multiline-dotall')
  if (query.isFolder) args.push(...kindsOf(query))
  switch (query.mode) {
    case 'files_with_matches':
      args.push('--files-with-matches')
      break
    case 'count':
      args.push('--count')
      break
    case 'content':
      args.push('--no-heading', '--line-number')
      args.push(
        `--field-match-separator=${MATCH_SEPARATOR}`,
        `--field-context-separator=${CONTEXT_SEPARATOR}`,
      )
      args.push(`--max-columns=${LONGEST_LINE}`, '--max-columns-preview')
      args.push(`--before-context=${query.before}`, `--after-context=${query.after}`)
      if (query.multiline) args.push('--stats')
  }
  return [...args, `--regexp=${query.pattern}`, '--', query.path]
}

/** A filter for the files that ripgrep reports; null: none. A file that the query names itself is always searched. */
function filterFor({ isFolder, glob, skip }: LocatedQuery): PathFilter | null {
  if (!isFolder || (glob === undefined && skip === undefined)) return null
  const fits = glob === undefined ? null : nameFilter(glob)
  return (path) => (fits === null || fits(path)) && !skip?.(path)
}

/** Limits the search to a type, or to file names that fit the glob. The filter checks the whole path afterwards. */
function kindsOf({ type, glob }: GrepQuery): readonly string[] {
  if (type !== undefined) return [`--type=${type}`]
  const names = glob === undefined ? null : namesFor(glob)
  return names === null ? [] : [...names.map((name) => `--type-add=wanted:${name}`), '--type=wanted']
}

/** Parses a record of any mode as a line. In the mode `count`, the number is the count. */
function readRecord(record: string, { mode }: GrepQuery): FoundLine | null {
  if (mode === 'content') return readFoundLine(record)
  const [path = '', count] = record.split('\0')
  if (mode === 'count' && count === undefined) return null
  return { path, number: Number(count ?? 0), isMatch: true, text: '' }
}

function textOf(query: LocatedQuery, lines: readonly FoundLine[]): string {
  switch (query.mode) {
    case 'files_with_matches':
      return lines.map(({ path }) => path).join('\n')
    case 'count':
      return lines.map(({ path, number }) => `${path}:${number}`).join('\n')
    case 'content':
      return writeFoundLines(lines, {
        paths: query.isFolder,
        numbers: query.lineNumbers,
        context: query.before > 0 || query.after > 0,
      })
  }
}

function countMatches(lines: readonly FoundLine[]): number {
  return lines.reduce((sum, line) => sum + (line.isMatch ? 1 : 0), 0)
}
