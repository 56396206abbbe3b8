/** The symbols and files that match the task's words: where they are defined, where they are used. */
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
import { bestDefinitions, bestFiles, type Hits, nearest, placeOf, spread, worthOf } from './word-ranking.ts'
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
    'Where in this folder do the words of the task lead? Look for files with such names, for what is defined under such names, and for the lines that mention them; open the best places to be sure of them. If nothing matches a word, say so.',
  agents: ['Explore', 'general-purpose'],
  needs: ['Grep', 'Glob', 'Read'],
  run,
}

/** A word in more files than this tells little about where something lives. */
const EVERYWHERE = 60
const MOST_SEARCHED = 4
const MOST_DEFINED = 6
const MOST_USES = 4
const MOST_MENTIONS = 8
const MOST_NAMES = 5

function* run({ words, tools, findings }: JobContext): Script<void> {
  const hits = yield* findHits(words, tools, findings)
  const found = hits.filter(({ inFiles, named }) => inFiles.items.length + named.length > 0)
  tellMissing(words, found, findings)
  if (found.length === 0) {
    findings.lead(
      words.length === 0
        ? 'The task holds no word that could be searched for.'
        : 'None of your words leads anywhere in this folder.',
    )
    return
  }

  const places = yield* findPlaces(found, tools)
  const { best, defined, listed, mentions } = places
  const [first = listed[0]] = defined
  const name = first ? nameDefinedIn(first) : null
  const toOpen = [...defined, ...listed, ...mentions].slice(0, 2)
  const [opened, users] = yield* askGroups(
    {
      thinking: `A line that looks right is not yet an answer, so I open it${name === null ? '' : ` and see who uses ${name}`}.`,
      say: `Opening ${joined(toOpen.map((line) => code(placeOf(line))))} to be sure.`,
      groups: [toOpen.map(openAt), name === null ? [] : [searchUses(name)]],
    },
    tools,
  )
  const changed = toOpen.filter((line, index) => !stillHas(opened[index], line)).map(placeOf)
  for (const place of changed) findings.gap(`${place} changed while I looked.`)
  const tell = (lines: readonly FoundLine[], noteOf: (line: FoundLine) => string) => {
    for (const line of lines)
      if (!changed.includes(placeOf(line))) findings.fact({ ...line, note: noteOf(line) })
  }
  tell(defined, ({ path }) => (isTest(path) ? 'is defined in a test' : 'is defined here'))
  tell(listed.slice(0, MOST_DEFINED), () => 'is in the file that the task names')
  const uses = spread(all(users.map(foundLines))).filter((line) => !findings.has(line))
  tell(uses.slice(0, MOST_USES), () => `uses ${name}`)
  tell(mentions.slice(0, MOST_MENTIONS), () => 'mentions it')
  for (const { word, named } of found)
    for (const path of nearest(named).slice(0, MOST_NAMES))
      findings.fact({ path, line: null, note: `is named like ${quoted(word)}` })
  findings.lead(leadFor(found, defined.length + listed.length, mentions.length > 0 ? best[0] : undefined))
}

/** What each word leads to; where a name leads nowhere, what its parts lead to. */
function* findHits(
  words: readonly TaskWord[],
  tools: ReadonlySet<string>,
  findings: Findings,
): Script<readonly Hits[]> {
  if (words.length === 0) return []
  const [[everything = NO_ANSWER], first] = yield* askGroups(
    {
      thinking: `The words, the most telling first: ${words.map(({ text }) => text).join(', ')}. First which files hold them, and which are named after them.`,
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
          ? 'A whole name leads nowhere; a part of it may.'
          : 'The listing does not show all files, so I look for names as well.',
      say:
        parts.length > 0
          ? `Not every name is there as it stands. Trying its parts: ${joined(parts.map(({ text }) => code(text)))}.`
          : 'Looking through the names of files, too.',
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

interface Places {
  /** Files in which most comes together. */
  readonly best: readonly string[]
  readonly defined: readonly FoundLine[]
  /** What the files define that the task names. */
  readonly listed: readonly FoundLine[]
  readonly mentions: readonly FoundLine[]
}

function* findPlaces(found: readonly Hits[], tools: ReadonlySet<string>): Script<Places> {
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
      thinking: `${best.length === 0 ? 'Only names match.' : `Most of the words come together in ${best[0]}.`} Now where such things are defined, and the lines themselves.`,
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

// ---- telling -----------------------------------------------------------------------------------

const quoted = ({ text }: TaskWord): string => `“${text}”`
/** Two words that happen to stand side by side are only told of where they lead somewhere. */
const isShown = ({ kind }: TaskWord): boolean => kind !== 'pair'

function tellMissing(words: readonly TaskWord[], found: readonly Hits[], findings: Findings): void {
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
  const what =
    defined > 0 ? `${counted(defined, 'definition')} close to it` : 'nothing is defined under such a name'
  const most = best === undefined ? '' : `; most of it comes together in ${code(best)}`
  return `${where.length === 0 ? 'Only pairs of words match' : joined(where)}; ${what}${most}.`
}
