/** Entry points and layout: the folder's contents, the kind of project, and where it starts. */
import { byDepth, endingOf, HAND_WRITTEN, isAside, isTest, nameOf, tally } from '../folder-files.ts'
import { type Answer, NO_ANSWER } from '../read-conversation.ts'
import { code, counted, type Findings, joined } from '../report.ts'
import { ask, askGroups, type Script } from '../script.ts'
import type { JobContext, SurveyJob } from '../survey-job.ts'
import {
  commandLines,
  type FoundLine,
  foundLines,
  foundPaths,
  type Listed,
  readLines,
  reasonOf,
} from '../tool-answers.ts'
import { countedLines } from './git-lines.ts'
import { MANIFEST_NAMES, manifestLines, manifestOf, type NamedFile, namedFiles } from './manifests.ts'

export const layoutJob: SurveyJob = {
  title: 'entry points and layout',
  description: 'Entry points and layout',
  question:
    'What is in this folder, what kind of project is it, and where does it start? Look at its files, at its manifest (package.json, pyproject.toml, Cargo.toml and similar files), and for lines at which programs start.',
  agents: ['Explore', 'general-purpose'],
  needs: ['Glob', 'Grep', 'Read'],
  run,
}

const MOST_MANIFESTS = 3
const MOST_ENTRIES = 8

function* run({ tools, findings }: JobContext): Script<void> {
  const [everything = NO_ANSWER] = yield* ask(
    {
      thinking: 'First a list of everything; the rest follows from it.',
      say: 'First a list of the files.',
      calls: [{ tool: 'Glob', input: { pattern: '**/*' } }],
    },
    tools,
  )
  const files = foundPaths(everything)
  if (!everything.ok) findings.gap(`The list of files: ${reasonOf(everything)}`)
  if (files.items.length === 0) {
    if (everything.ok) findings.lead('The folder is empty, or git ignores everything in it.')
    return
  }

  const manifests = yield* findManifests(files, tools)
  const readme = files.items.filter((path) => /^readme(\.\w+)?$/i.test(nameOf(path))).sort(byDepth)[0]
  const toRead = [...manifests, ...(readme === undefined ? [] : [readme])]
  const [[starts = NO_ANSWER], contents, [inGit]] = yield* askGroups(
    {
      thinking: `${amount(files)}. ${manifests.length === 0 ? 'No manifest that I know.' : `The manifest says what kind of project it is and what it names as its start.`} Some lines also reveal an entry point.`,
      say: `${amount(files)}. ${toRead.length === 0 ? 'No manifest here; looking for lines at which programs start.' : `Reading ${joined(toRead.map(code))}, and looking for lines at which programs start.`}`,
      groups: [
        [
          {
            tool: 'Grep',
            input: {
              pattern: entryPattern(new Set(files.items.map(endingOf))),
              glob: HAND_WRITTEN,
              output_mode: 'content',
              '-n': true,
              head_limit: 80,
            },
          },
        ],
        toRead.map((path) => ({ tool: 'Read', input: { file_path: path, limit: 200 } })),
        files.more ? [countFolders(COUNT_IN_GIT)] : [],
      ],
    },
    tools,
  )
  const texts = new Map(toRead.map((path, index) => [path, readLines(contents[index] ?? NO_ANSWER)]))
  const manifestFacts = manifests.flatMap((path) => manifestLines(path, texts.get(path) ?? new Map()))
  const entries = entriesFrom(foundLines(starts).items)
  const named = namedFiles(manifestFacts).slice(0, 3)
  const usual = entries.length + named.length > 0 ? [] : commonStarts(files.items)
  const toOpen = [...new Set([...named.map(({ path }) => path), ...usual])]
  const [opened, [onDisk]] = yield* askGroups(
    {
      thinking: 'A manifest may name a missing file, so I open each file before I report it.',
      say: toOpen.length === 0 ? 'Counting files.' : `Opening ${joined(toOpen.map(code))} to be sure.`,
      groups: [
        toOpen.map((path) => ({ tool: 'Read', input: { file_path: path, limit: 12 } })),
        files.more && countsIn(inGit) === null ? [countFolders(COUNT_ON_DISK)] : [],
      ],
    },
    tools,
  )

  const folders = files.more ? (countsIn(inGit) ?? countsIn(onDisk)) : countsOf(files.items)
  const kinds = [...new Set(manifests.flatMap((path) => manifestOf(path)?.kind ?? []))]
  findings.lead(
    `${[
      folders === null ? amount(files) : counted(folders.total, 'file'),
      ...(kinds.length === 0 ? [] : [joined(kinds)]),
      entries.length + named.length === 0
        ? 'no line and no manifest shows where it starts'
        : `${counted(entries.length + named.length, 'place')} where something starts`,
    ].join('; ')}.`,
  )
  for (const fact of manifestFacts) findings.fact(fact)
  reportOpened({ paths: toOpen, answers: opened, named }, findings)
  for (const entry of entries.slice(0, MOST_ENTRIES)) findings.fact({ ...entry, note: entryNote(entry.text) })
  if (entries.length > MOST_ENTRIES)
    findings.remark(
      `${counted(entries.length - MOST_ENTRIES, 'more such line was', 'more such lines were')} found.`,
    )
  const title = readme && [...(texts.get(readme) ?? [])].find(([, text]) => text.trim() !== '')
  if (title) findings.fact({ path: readme, line: title[0], text: title[1], note: 'is its first line' })
  if (folders !== null && folders.names.length > 0)
    findings.remark(
      `By folder: ${folders.names.map(([name, count]) => `${code(name)} ${count}`).join(', ')}.`,
    )
  if (folders === null)
    findings.gap(
      'How many files there are in all: more than one listing shows, and they could not be counted.',
    )
}

const amount = ({ items, more }: Listed<string>): string =>
  more ? `More than ${items.length} files` : counted(items.length, 'file')

/** The topmost manifests; searched by name if the listing is incomplete. */
function* findManifests(files: Listed<string>, tools: ReadonlySet<string>): Script<readonly string[]> {
  const isManifest = (path: string) => manifestOf(path) !== null && !isAside(path)
  let paths = files.items.filter(isManifest)
  if (files.more) {
    const names = MANIFEST_NAMES.join(',')
    const [found = NO_ANSWER] = yield* ask(
      {
        say: `${amount(files)}, too many for one listing. Looking for manifests by name.`,
        calls: [{ tool: 'Glob', input: { pattern: `{${names},*/{${names}}}` } }],
      },
      tools,
    )
    paths = [...paths, ...foundPaths(found).items.filter(isManifest)]
  }
  return [...new Set(paths)].sort(byDepth).slice(0, MOST_MANIFESTS)
}

function reportOpened(
  {
    paths,
    answers,
    named,
  }: {
    readonly paths: readonly string[]
    readonly answers: readonly Answer[]
    readonly named: readonly NamedFile[]
  },
  findings: Findings,
): void {
  for (const [index, path] of paths.entries()) {
    const answer = answers[index] ?? NO_ANSWER
    const first = [...readLines(answer)].find(([, text]) => text.trim() !== '')
    const by = named.find((one) => one.path === path)?.by
    if (first) {
      const note =
        by === undefined ? 'has a name that programs often start with' : `is what ${code(by)} names`
      findings.fact({ path, line: first[0], text: first[1], note })
    } else if (by !== undefined && !answer.ok)
      findings.remark(
        `${code(path)} is named in ${code(by)}, but ${/does not exist/.test(answer.text) ? 'does not exist. It may have to be built first.' : `could not be read: ${reasonOf(answer)}`}`,
      )
  }
}

/** Uses zero bytes as separators, so that unusual names stay intact. */
const COUNT_IN_GIT =
  "git ls-files -z --cached --others --exclude-standard | tr '\\0' '\\n' | cut -d/ -f1 -s | sort | uniq -c | sort -rn | head -n 12; git ls-files --cached --others --exclude-standard | wc -l"
const COUNT_ON_DISK =
  "find . -mindepth 2 -type f -not -path '*/.*' -not -path '*/node_modules/*' | cut -d/ -f2 | sort | uniq -c | sort -rn | head -n 12; find . -type f -not -path '*/.*' -not -path '*/node_modules/*' | wc -l"

const countFolders = (command: string) => ({
  tool: 'Bash',
  input: { command, description: 'Count files by folder' },
})

interface FolderCounts {
  readonly names: readonly (readonly [string, number])[]
  readonly total: number
}

function countsOf(paths: readonly string[]): FolderCounts {
  const tops = paths.flatMap((path) => (path.includes('/') ? [path.slice(0, path.indexOf('/') + 1)] : []))
  return { names: tally(tops).slice(0, 12), total: paths.length }
}

/** Null if the command could not count. */
function countsIn(answer: Answer | undefined): FolderCounts | null {
  const lines = commandLines(answer ?? NO_ANSWER)
  const total = Number(lines.at(-1)?.trim() || Number.NaN)
  if (!Number.isFinite(total) || total === 0) return null
  return { names: countedLines(lines.slice(0, -1)).map(({ count, text }) => [`${text}/`, count]), total }
}

/** Real entry points first, then scripts that can be run directly. */
function entriesFrom(lines: readonly FoundLine[]): readonly FoundLine[] {
  const rank = ({ path, text }: FoundLine) =>
    (isTest(path) ? 4 : 0) + (isAside(path) ? 4 : 0) + (text.startsWith('#!') ? 2 : 0)
  return lines
    .filter(({ line, text }) => !text.startsWith('#!') || (line === 1 && text.startsWith('#!/')))
    .filter((line) => rank(line) < 4)
    .sort((a, b) => rank(a) - rank(b) || byDepth(a.path, b.path) || a.line - b.line)
}

function commonStarts(paths: readonly string[]): readonly string[] {
  return paths
    .filter((path) =>
      /^(index|main|app|server|cli|__main__|manage)\.(?!md|txt|json|css)\w+$/i.test(nameOf(path)),
    )
    .filter((path) => !isAside(path) && !isTest(path))
    .sort(byDepth)
    .slice(0, 2)
}

/** Patterns of lines at which programs start, by language. */

interface EntryKind {
  /** Extensions of the files to search; empty: any file. */
  readonly in: string
  /** A pattern that ripgrep and JavaScript read alike. */
  readonly pattern: string
  readonly note: string
}

const PAGES = 'ts tsx js jsx mjs cjs mts vue svelte'

const KINDS: readonly EntryKind[] = [
  { in: 'go', pattern: '^func main\\(\\)', note: 'starts a Go program' },
  { in: 'rs', pattern: '^\\s*(pub )?(async )?fn main\\s*\\(', note: 'starts a Rust program' },
  { in: 'py', pattern: '^if __name__ == [\'"]__main__[\'"]', note: 'starts a Python program' },
  { in: 'c h cc cpp cxx', pattern: '^(int|void|auto)\\s+main\\s*\\(', note: 'starts a C or C++ program' },
  { in: 'java', pattern: 'public static void main\\s*\\(', note: 'starts a Java program' },
  { in: 'kt kts', pattern: '^\\s*fun main\\s*\\(', note: 'starts a Kotlin program' },
  {
    in: 'cs',
    pattern: 'static (async )?(void|int|Task(<int>)?) Main\\s*\\(',
    note: 'starts a .NET program',
  },
  { in: 'cs', pattern: 'WebApplication\\.CreateBuilder\\(', note: 'starts a web server' },
  { in: 'swift', pattern: '^@main\\b', note: 'starts a Swift program' },
  { in: 'ex exs', pattern: '^\\s*use Application\\b', note: 'starts an Elixir application' },
  { in: PAGES, pattern: '\\bapp\\.whenReady\\(\\)', note: 'starts an Electron program' },
  {
    in: PAGES,
    pattern: '\\b(createRoot|hydrateRoot|createApp|ReactDOM\\.render)\\(',
    note: 'draws the page',
  },
  { in: PAGES, pattern: '\\b(server|app|fastify)\\.listen\\(', note: 'starts to listen' },
  { in: 'go', pattern: '\\bhttp\\.ListenAndServe\\(', note: 'starts to listen' },
  { in: 'py', pattern: '\\b(uvicorn|app)\\.run\\(', note: 'starts to listen' },
  { in: 'py', pattern: '^urlpatterns\\s*=', note: 'defines routes' },
  { in: '', pattern: '^#!/', note: 'can be run directly' },
]

/** The patterns for files with these extensions. */
function entryPattern(endings: ReadonlySet<string>): string {
  return KINDS.filter((kind) => kind.in === '' || kind.in.split(' ').some((ending) => endings.has(ending)))
    .map(({ pattern }) => pattern)
    .join('|')
}

/** Describes a matching line. */
function entryNote(text: string): string {
  return KINDS.find(({ pattern }) => new RegExp(pattern).test(text))?.note ?? 'may be an entry point'
}
