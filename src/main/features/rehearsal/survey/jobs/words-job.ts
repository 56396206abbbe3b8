/** Symbols and files that match the task's words: definitions and uses. */
import { isCode, isMade, isTest } from '../folder-files.ts'
import { NO_ANSWER } from '../read-conversation.ts'
import { code, counted, type Findings, joined } from '../report.ts'
import { askGroups, type Script } from '../script.ts'
import type { JobContext, SurveyJob } from '../survey-job.ts'
import { partsOf, type TaskWord } from '../task-words.ts'
import {
  all,
  type FoundLine,
  foundLines,
  foundLinesIn,
  foundPaths,
  type Listed,
  reasonOf,
  stillHas,
} from '../tool-answers.ts'
import {
  bestDefinitions,
  bestFiles,
  type Hits,
  locationOf,
  nearest,
  spread,
  worthOf,
} from './word-ranking.ts'
import {
  listDefinitions,
  matchesName,
  nameDefinedIn,
  searchDefinitions,
  searchFiles,
  searchIn,
  searchNames,
  searchUses,
} from './word-searches.ts'

export const wordsJob: SurveyJob = {
  title: 'the words of the task',
  description: 'Places that match the task',
  question:
    'Where in this folder are the words of the task? Look for files and definitions with matching names and for lines that mention the words; open the best matches to confirm them. If nothing matches a word, say so.',
  agents: ['Explore', 'general-purpose'],
  needs: ['Grep', 'Glob', 'Read'],
  run,
}

/** A word in more files than this is too common to locate something. */
const EVERYWHERE = 60
const MOST_SEARCHED = 4
const MOST_DEFINED = 6
const MOST_USES = 4
const MOST_MENTIONS = 8
const MOST_NAMES = 5

function* run({ words, tools, findings }: JobContext): Script<void> {
  const hits = yield* findHits(words, tools, findings)
  const found = hits.filter(({ inFiles, named }) => inFiles.items.length + named.length > 0)
  reportMissing(words, found, findings)
  if (found.length === 0) {
    findings.lead(
      words.length === 0
        ? 'The task contains no word to search for.'
        : 'None of your words matches anything in this folder.',
    )
    return
  }

  const locations = yield* findLocations(found, tools)
  const { best, defined, listed, mentions } = locations
  const [first = listed[0]] = defined
  const name = first ? nameDefinedIn(first) : null
  const toOpen = [...defined, ...listed, ...mentions].slice(0, 2)
  const [opened, users] = yield* askGroups(
    {
      thinking: `A line that looks right is not yet an answer, so I open it${name === null ? '' : ` and see who uses ${name}`}.`,
      say: `Opening ${joined(toOpen.map((line) => code(locationOf(line))))} to be sure.`,
      groups: [toOpen.map(openAt), name === null ? [] : [searchUses(name)]],
    },
    tools,
  )
  const changed = toOpen.filter((line, index) => !stillHas(opened[index], line)).map(locationOf)
  for (const location of changed) findings.gap(`${location} changed while I looked.`)
  const report = (lines: readonly FoundLine[], noteOf: (line: FoundLine) => string) => {
    for (const line of lines)
      if (!changed.includes(locationOf(line))) findings.fact({ ...line, note: noteOf(line) })
  }
  report(defined, ({ path }) => (isTest(path) ? 'is defined in a test' : 'is defined here'))
  report(listed.slice(0, MOST_DEFINED), () => 'is in the file that the task names')
  const uses = spread(all(users.map(foundLines))).filter((line) => !findings.has(line))
  report(uses.slice(0, MOST_USES), () => `uses ${name}`)
  report(mentions.slice(0, MOST_MENTIONS), () => 'mentions it')
  for (const { word, named } of found)
    for (const path of nearest(named).slice(0, MOST_NAMES))
      findings.fact({ path, line: null, note: `is named like ${quoted(word)}` })
  findings.lead(leadFor(found, defined.length + listed.length, mentions.length > 0 ? best[0] : undefined))
}

/** The matches of each word; for a name without matches, those of its parts. */
function* findHits(
  words: readonly TaskWord[],
  tools: ReadonlySet<string>,
  findings: Findings,
): Script<readonly Hits[]> {
  if (words.length === 0) return []
  const [[everything = NO_ANSWER], first] = yield* askGroups(
    {
      thinking: `The words, most specific first: ${words.map(({ text }) => text).join(', ')}. First the files that contain them or are named after them.`,
      say: `Searching for ${joined(words.filter(isShown).map(({ text }) => code(text)))}, in files and in their names.`,
      groups: [[{ tool: 'Glob', input: { pattern: '**/*' } }], words.map(searchFiles)],
    },
    tools,
  )
  const failed = [everything, ...first].find(({ ok }) => !ok)
  if (failed) findings.gap(`Not every search came through: ${reasonOf(failed)}`)
  const files = foundPaths(everything)
  const hitsOf = (word: TaskWord, inFiles: Listed<string>, more: readonly string[] = []): Hits => ({
    word,
    inFiles: { ...inFiles, items: inFiles.items.filter((path) => !isMade(path)) },
    named: [...new Set([...files.items, ...more])].filter((path) => matchesName(path, word)),
  })
  const hits = words.map((word, index) => hitsOf(word, foundPaths(first[index] ?? NO_ANSWER)))

  const parts = hits
    .filter(({ inFiles, named }) => inFiles.items.length + named.length === 0)
    .flatMap(({ word }) => partsOf(word))
    .filter((part) => !words.some(({ text }) => text.toLowerCase() === part.text))
    .slice(0, MOST_SEARCHED)
  const byName = files.more ? words.filter(isShown) : []
  const [inParts, names] = yield* askGroups(
    {
      thinking:
        parts.length > 0
          ? 'A whole name has no match; its parts may have some.'
          : 'The listing does not show all files, so I look for names as well.',
      say:
        parts.length > 0
          ? `Not every name has a match. Trying its parts: ${joined(parts.map(({ text }) => code(text)))}.`
          : 'Searching file names, too.',
      groups: [parts.map(searchFiles), byName.map(searchNames)],
    },
    tools,
  )
  const named = names.map((answer) => foundPaths(answer).items)
  return [
    ...hits.map((hit) => hitsOf(hit.word, hit.inFiles, named[byName.indexOf(hit.word)])),
    ...parts.map((part, index) => hitsOf(part, foundPaths(inParts[index] ?? NO_ANSWER))),
  ]
}

interface FoundLocations {
  /** Files that contain most of the words. */
  readonly best: readonly string[]
  readonly defined: readonly FoundLine[]
  /** Definitions in these files that the task names. */
  readonly listed: readonly FoundLine[]
  readonly mentions: readonly FoundLine[]
}

function* findLocations(found: readonly Hits[], tools: ReadonlySet<string>): Script<FoundLocations> {
  const held = found.filter(({ inFiles }) => inFiles.items.length > 0)
  const few = held.filter(({ inFiles }) => (inFiles.total ?? inFiles.items.length) <= EVERYWHERE)
  const searched = [...(few.length > 0 ? few : held)].sort((a, b) => worthOf(b) - worthOf(a))
  const best = searched.length === 0 ? [] : bestFiles(searched, 4)
  const words = searched.map(({ word }) => word)
  const definable = words.filter(
    ({ kind, text }) => kind !== 'path' && (kind !== 'quoted' || /^[\w$-]+$/.test(text)),
  )
  const toDefine = definable.slice(0, MOST_SEARCHED)
  const named = nearest(found.filter(({ word }) => word.kind === 'path').flatMap((hit) => hit.named))
  const files = named.filter(isCode).slice(0, 2)
  const counts = found
    .filter(({ word }) => isShown(word))
    .map((hit) => `${code(hit.word.text)} ${whereIs(hit)}`)
  const [definitions, lists, lines] = yield* askGroups(
    {
      thinking: `${best.length === 0 ? 'Only names match.' : `${best[0]} contains most of the words.`} Now the definitions and the lines themselves.`,
      say: `${counts.length === 0 ? 'Pairs of words match' : joined(counts)}. Now definitions, and the lines themselves.`,
      groups: [
        toDefine.map(searchDefinitions),
        files.map(listDefinitions),
        best.map((path) => searchIn(path, words)),
      ],
    },
    tools,
  )
  const byWord = toDefine.map((word, index) => ({
    word,
    lines: foundLines(definitions[index] ?? NO_ANSWER).items,
  }))
  return {
    best,
    defined: bestDefinitions(byWord, MOST_DEFINED),
    listed: files.flatMap((path, index) => foundLinesIn(path, lists[index] ?? NO_ANSWER).items),
    mentions: best.flatMap((path, index) => foundLinesIn(path, lines[index] ?? NO_ANSWER).items),
  }
}

const openAt = ({ path, line }: FoundLine) => ({
  tool: 'Read',
  input: { file_path: path, offset: Math.max(1, line - 3), limit: 16 },
})

// ---- report -------------------------------------------------------------------------------------

const quoted = ({ text }: TaskWord): string => `“${text}”`
/** Pairs of adjacent words are reported only if they have matches. */
const isShown = ({ kind }: TaskWord): boolean => kind !== 'pair'

function reportMissing(words: readonly TaskWord[], found: readonly Hits[], findings: Findings): void {
  const missing = words.filter((word) => isShown(word) && !found.some((hit) => hit.word === word))
  if (missing.length > 0) findings.gap(`Nothing in this folder matches ${joined(missing.map(quoted))}.`)
}

function whereIs({ inFiles: { items, more, total }, named }: Hits): string {
  if (items.length === 0) return `is only in ${counted(named.length, 'file’s name', 'names of files')}`
  if (total !== undefined) return `is in ${counted(total, 'file')}`
  return more ? `is in more than ${counted(items.length, 'file')}` : `is in ${counted(items.length, 'file')}`
}

function leadFor(found: readonly Hits[], defined: number, best: string | undefined): string {
  const where = found.filter(({ word }) => isShown(word)).map((hit) => `${quoted(hit.word)} ${whereIs(hit)}`)
  const what = defined > 0 ? `${counted(defined, 'definition')} close to it` : 'no definition has such a name'
  const most = best === undefined ? '' : `; ${code(best)} contains most of it`
  return `${where.length === 0 ? 'Only pairs of words match' : joined(where)}; ${what}${most}.`
}
