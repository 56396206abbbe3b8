/**
 * One search for text. ripgrep first searches with all its threads, and what it finds is put in order here;
 * where that is more than fits, it searches again, file by file in order, and is ended at the limit. So the
 * same search of the same files always gives the same answer.
 */
import { ok, type Result } from '../../../shared/result.ts'
import type { GrepQuery } from '../../runtime/ports.ts'
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

export interface GrepFound {
  readonly text: string
  readonly matches: number
  readonly truncated: boolean
}

type PlacedQuery = GrepQuery & { readonly isFolder: boolean }

/** The most that is kept to be put in order: lines, and their characters. */
const MOST_LINES = 20_000
const MOST_CHARACTERS = 8 * 1024 * 1024
/** Of a longer line its beginning is shown, in bytes. */
const LONGEST_LINE = 1000

/** Searches a file, or everything below a folder. Failures: see runRipgrep. */
export async function grepFiles(
  query: PlacedQuery,
  program: Ripgrep,
  signal: AbortSignal,
): Promise<Result<GrepFound>> {
  const all = await collect(
    query,
    program,
    { inOrder: false, most: Math.max(MOST_LINES, query.limit) },
    signal,
  )
  if (!all.ok) return all
  if (all.value.complete) {
    const lines = all.value.lines.toSorted((one, other) => comparePaths(one.path, other.path))
    const matches = all.value.counted ?? countMatches(lines)
    return ok(answer(query, lines.slice(0, query.limit), matches, lines.length > query.limit))
  }
  const first = await collect(query, program, { inOrder: true, most: query.limit }, signal)
  if (!first.ok) return first
  const { lines, complete } = first.value
  return ok(answer(query, lines, countMatches(lines), !complete))
}

interface Collected {
  readonly lines: readonly FoundLine[]
  /** False where ripgrep was ended because there was more than asked for. */
  readonly complete: boolean
  /** The matches as ripgrep counted them, where one can span lines. */
  readonly counted: number | null
}

async function collect(
  query: PlacedQuery,
  program: Ripgrep,
  { inOrder, most }: { readonly inOrder: boolean; readonly most: number },
  signal: AbortSignal,
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
  // What ripgrep counted includes what is left out here.
  return ran.ok ? ok({ lines, complete, counted: leftOut ? null : counted }) : ran
}

function argumentsFor(query: PlacedQuery, inOrder: boolean): readonly string[] {
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

/** What is looked at once ripgrep has named a file; null: nothing. A file that was named itself is searched. */
function filterFor({ isFolder, glob, skip }: PlacedQuery): PathFilter | null {
  if (!isFolder || (glob === undefined && skip === undefined)) return null
  const fits = glob === undefined ? null : nameFilter(glob)
  return (path) => (fits === null || fits(path)) && !skip?.(path)
}

/** Files of a type, or those whose names fit the glob: the whole path is looked at afterwards. */
function kindsOf({ type, glob }: GrepQuery): readonly string[] {
  if (type !== undefined) return [`--type=${type}`]
  const names = glob === undefined ? null : namesFor(glob)
  return names === null ? [] : [...names.map((name) => `--type-add=wanted:${name}`), '--type=wanted']
}

/** A record of each mode as a line; of a count the number is the line's. */
function readRecord(record: string, { mode }: GrepQuery): FoundLine | null {
  if (mode === 'content') return readFoundLine(record)
  const [path = '', count] = record.split('\0')
  if (mode === 'count' && count === undefined) return null
  return { path, number: Number(count ?? 0), isMatch: true, text: '' }
}

function answer(
  query: PlacedQuery,
  lines: readonly FoundLine[],
  matches: number,
  truncated: boolean,
): GrepFound {
  return { text: textOf(query, lines), matches, truncated }
}

function textOf(query: PlacedQuery, lines: readonly FoundLine[]): string {
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
