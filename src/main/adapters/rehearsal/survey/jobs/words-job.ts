/** The symbols and files that match the task's words: where they are defined, where they are used. */
import { byDepth, isAside, isCode, isTest } from '../folder-files.ts'
import { NO_ANSWER } from '../read-conversation.ts'
import { code, counted, type Findings, joined } from '../report.ts'
import { ask, type Script, type ToolCall } from '../script.ts'
import type { JobContext, SurveyJob } from '../survey-job.ts'
import { partsOf, type TaskWord } from '../task-words.ts'
import {
  type FoundLine,
  foundLines,
  foundLinesIn,
  foundPaths,
  type Listed,
  readLines,
  reasonOf,
} from '../tool-answers.ts'
import {
  type Hits,
  handWritten,
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
  if (words.length === 0) {
    findings.lead('The task holds no word that could be searched for.')
    return
  }
  const hits = yield* findHits(words, tools, findings)
  const found = hits.filter(({ inFiles, named }) => inFiles.items.length + named.length > 0)
  tellMissing(words, found, findings)
  if (found.length === 0) {
    findings.lead('None of your words leads anywhere in this folder.')
    return
  }

  const held = found.filter(({ inFiles }) => inFiles.items.length > 0)
  const few = held.filter(({ inFiles }) => inFiles.items.length <= EVERYWHERE)
  const searched = few.length > 0 ? few : held
  const best = bestFiles(searched.length > 0 ? searched : found)
  const asked = found.filter(({ word }) => word.kind === 'path').flatMap(({ named }) => named)
  const named = asked.filter(isCode).sort(byDepth).slice(0, 2)
  const definable = searched.filter(
    ({ word }) => (word.kind !== 'path' && word.kind !== 'quoted') || /^[\w$-]+$/.test(word.text),
  )
  const toDefine = definable.slice(0, MOST_SEARCHED).map(({ word }) => word)
  const counts = joined(
    found.filter(({ word }) => isShown(word)).map((hit) => `${code(hit.word.text)} ${whereIs(hit)}`),
  )
  const second = yield* ask(
    {
      thinking: `${best.length === 0 ? 'Only names match.' : `Most of the words come together in ${best[0]}.`} Now where such things are defined, and the lines themselves.`,
      say: `${counts === '' ? 'Pairs of words match' : counts}. Now definitions, and the lines themselves.`,
      calls: [
        ...toDefine.map(searchDefinitions),
        ...named.map(listDefinitions),
        ...(searched.length === 0
          ? []
          : best.map((path) =>
              searchIn(
                path,
                searched.map(({ word }) => word),
              ),
            )),
      ],
    },
    tools,
  )
  const wanted = new Set(toDefine.map(({ text }) => text.toLowerCase()))
  const rank = (line: FoundLine) =>
    aside(line.path) + inner(line) + (wanted.has(nameDefinedIn(line)?.toLowerCase() ?? '') ? 0 : 1)
  const definitions = distinct(toDefine.flatMap((_, index) => foundLines(second[index] ?? NO_ANSWER).items))
  const listed = named.flatMap(
    (path, index) => foundLinesIn(path, second[toDefine.length + index] ?? NO_ANSWER).items,
  )
  const lines = second.slice(toDefine.length + named.length)
  const mentions = best.flatMap((path, index) => foundLinesIn(path, lines[index] ?? NO_ANSWER).items)
  const defined = definitions
    .filter(({ path }) => isCode(path))
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, MOST_DEFINED)

  const [nearest = listed[0]] = defined
  const name = nearest ? nameDefinedIn(nearest) : null
  const toOpen = (defined.length > 0 ? defined : listed.length > 0 ? listed : mentions).slice(0, 2)
  const third = yield* ask(
    {
      thinking: `A line that looks right is not yet an answer, so I open it${name === null ? '' : ` and see who uses ${name}`}.`,
      say: `Opening ${joined(toOpen.map((line) => code(placeOf(line))))} to be sure.`,
      calls: [...toOpen.map(openAt), ...(name === null ? [] : [searchUses(name)])],
    },
    tools,
  )
  const changed = toOpen.filter((line, index) => {
    const now = readLines(third[index] ?? NO_ANSWER).get(line.line)
    return now !== undefined && now.trim().slice(0, 200) !== line.text.trim().slice(0, 200)
  })
  for (const line of changed) findings.gap(`${placeOf(line)} changed while I looked.`)
  const stands = (line: FoundLine) => !changed.some((other) => placeOf(other) === placeOf(line))

  for (const line of defined.filter(stands))
    findings.fact({ ...line, note: isTest(line.path) ? 'is defined in a test' : 'is defined here' })
  for (const line of listed.filter(stands).slice(0, MOST_DEFINED))
    findings.fact({ ...line, note: 'is in the file that the task names' })
  const uses = name === null ? [] : spread(foundLines(third[toOpen.length] ?? NO_ANSWER).items)
  const places = new Set([...defined, ...listed].map(placeOf))
  for (const line of uses.filter((use) => !places.has(placeOf(use))).slice(0, MOST_USES))
    findings.fact({ ...line, note: `uses ${name}` })
  for (const line of mentions.filter(stands).slice(0, MOST_MENTIONS))
    findings.fact({ ...line, note: 'mentions it' })
  tellNames(found, findings)
  findings.lead(leadFor(found, defined.length + listed.length, mentions.length > 0 ? best[0] : undefined))
}

const placeOf = ({ path, line }: FoundLine): string => `${path}:${line}`
const quoted = ({ text }: TaskWord): string => `“${text}”`
/** Two words that happen to stand side by side are only told of where they lead somewhere. */
const isShown = ({ kind }: TaskWord): boolean => kind !== 'pair'
const aside = (path: string): number => (isTest(path) ? 1 : 0) + (isAside(path) ? 2 : 0)
/** A variable inside of something is less than what the file is about. */
const inner = ({ text }: FoundLine): number => (/^\s+(?:const|let|var|val)\b/.test(text) ? 1 : 0)

// ---- searching ---------------------------------------------------------------------------------

/** What each word leads to; where a name leads nowhere, what its parts lead to. */
function* findHits(
  words: readonly TaskWord[],
  tools: ReadonlySet<string>,
  findings: Findings,
): Script<readonly Hits[]> {
  const [everything = NO_ANSWER, ...first] = yield* ask(
    {
      thinking: `The words, the most telling first: ${words.map(({ text }) => text).join(', ')}. First which files hold them, and which are named after them.`,
      say: `Searching for ${joined(words.filter(isShown).map(({ text }) => code(text)))}, in files and in their names.`,
      calls: [{ tool: 'Glob', input: { pattern: '**/*' } }, ...words.map(searchFiles)],
    },
    tools,
  )
  const failed = [everything, ...first].find(({ ok }) => !ok)
  if (failed) findings.gap(`Not every search came through: ${reasonOf(failed)}`)
  const files = foundPaths(everything)
  const hitsOf = (word: TaskWord, inFiles: Listed<string>, more: readonly string[] = []): Hits => ({
    word,
    inFiles: handWritten(inFiles),
    named: [...new Set([...files.items, ...more])].filter((path) => matchesName(path, word)),
  })
  const hits = words.map((word, index) => hitsOf(word, foundPaths(first[index] ?? NO_ANSWER)))

  const parts = hits
    .filter(({ inFiles, named }) => inFiles.items.length + named.length === 0)
    .flatMap(({ word }) => partsOf(word))
    .filter((part) => !words.some(({ text }) => text.toLowerCase() === part.text))
    .slice(0, MOST_SEARCHED)
  const byName = files.more ? words.filter(isShown) : []
  const again = yield* ask(
    {
      thinking:
        parts.length > 0
          ? 'A whole name leads nowhere; a part of it may.'
          : 'The listing does not show all files, so I look for names as well.',
      say:
        parts.length > 0
          ? `Not every name is there as it stands. Trying its parts: ${joined(parts.map(({ text }) => code(text)))}.`
          : 'Looking through the names of files, too.',
      calls: [...parts.map(searchFiles), ...byName.map(searchNames)],
    },
    tools,
  )
  const named = byName.map((_, index) => foundPaths(again[parts.length + index] ?? NO_ANSWER).items)
  return [
    ...hits.map((hit) => hitsOf(hit.word, hit.inFiles, named[byName.indexOf(hit.word)])),
    ...parts.map((part, index) => hitsOf(part, foundPaths(again[index] ?? NO_ANSWER))),
  ]
}

function openAt({ path, line }: FoundLine): ToolCall {
  return { tool: 'Read', input: { file_path: path, offset: Math.max(1, line - 3), limit: 16 } }
}

/** Files that hold the most of the words, or are named after them. */
function bestFiles(hits: readonly Hits[]): readonly string[] {
  const scores = new Map<string, number>()
  for (const { word, inFiles, named } of hits) {
    const worth = word.kind === 'word' ? 2 : 3
    for (const path of inFiles.items) scores.set(path, (scores.get(path) ?? 0) + worth)
    for (const path of named)
      if (scores.has(path) || word.kind === 'path') scores.set(path, (scores.get(path) ?? 0) + worth)
  }
  const score = (path: string) => (scores.get(path) ?? 0) + (isCode(path) ? 2 : 0) - aside(path)
  return [...scores.keys()].sort((a, b) => score(b) - score(a) || byDepth(a, b)).slice(0, 4)
}

function distinct(lines: readonly FoundLine[]): readonly FoundLine[] {
  return [...new Map(lines.map((line) => [placeOf(line), line])).values()]
}

/** One line of each file first, so that a file full of uses does not hide the others. */
function spread(lines: readonly FoundLine[]): readonly FoundLine[] {
  const ordered = [...lines].sort((a, b) => aside(a.path) - aside(b.path))
  const seen = new Set<string>()
  const firsts = ordered.filter(({ path }) => !seen.has(path) && seen.add(path))
  return [...firsts, ...ordered.filter((line) => !firsts.includes(line))]
}

// ---- telling -----------------------------------------------------------------------------------

function tellMissing(words: readonly TaskWord[], found: readonly Hits[], findings: Findings): void {
  const missing = words.filter((word) => isShown(word) && !found.some((hit) => hit.word === word))
  if (missing.length > 0) findings.gap(`Nothing in this folder matches ${joined(missing.map(quoted))}.`)
}

function tellNames(found: readonly Hits[], findings: Findings): void {
  for (const { word, named } of found) {
    const nearest = [...named].sort((a, b) => aside(a) - aside(b) || byDepth(a, b)).slice(0, MOST_NAMES)
    for (const path of nearest) findings.fact({ path, line: null, note: `is named like ${quoted(word)}` })
  }
}

function whereIs({ inFiles, named }: Hits): string {
  if (inFiles.more) return `is in more than ${counted(inFiles.items.length, 'file')}`
  if (inFiles.items.length > 0) return `is in ${counted(inFiles.items.length, 'file')}`
  return `is only in ${counted(named.length, 'file’s name', 'names of files')}`
}

function leadFor(found: readonly Hits[], defined: number, best: string | undefined): string {
  const where = found.filter(({ word }) => isShown(word)).map((hit) => `${quoted(hit.word)} ${whereIs(hit)}`)
  const what =
    defined > 0 ? `${counted(defined, 'definition')} close to it` : 'nothing is defined under such a name'
  const most = best === undefined ? '' : `; most of it comes together in ${code(best)}`
  return `${where.length === 0 ? 'Only pairs of words match' : joined(where)}; ${what}${most}.`
}
