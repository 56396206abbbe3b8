/** Notes in the code (TODO and similar marks), the folder's size, and its languages. */
import { HAND_WRITTEN, isAside, isCode, isTest } from '../folder-files.ts'
import { NO_ANSWER } from '../read-conversation.ts'
import { counted, type Findings, joined } from '../report.ts'
import { ask, askGroups, type Script } from '../script.ts'
import type { JobContext, SurveyJob } from '../survey-job.ts'
import {
  type FoundLine,
  foundCounts,
  foundLines,
  foundPaths,
  type Listed,
  readLines,
  reasonOf,
  stillHas,
} from '../tool-answers.ts'
import {
  codeEndings,
  countEndings,
  countLines,
  type Languages,
  languagesOf,
  longestFiles,
  longestInGit,
} from './folder-size.ts'

export const notesJob: SurveyJob = {
  title: 'notes, size and languages',
  description: 'Notes, size, languages',
  question:
    'Which lines are marked as unfinished (TODO, FIXME, HACK, XXX), how large is the folder, in which languages is it written, and which files are the longest?',
  agents: ['Explore', 'general-purpose'],
  needs: ['Grep', 'Glob', 'Read'],
  run,
}

const MOST_NOTES = 12
/** Reported before the sizes. */
const FIRST_NOTES = 6

function* run({ tools, findings }: JobContext): Script<void> {
  const [marks = NO_ANSWER, everything = NO_ANSWER] = yield* ask(
    {
      thinking: 'One search for all four marks in capitals, as people write them, and a list of the files.',
      say: 'Searching for TODO, FIXME, HACK and XXX, and listing the files.',
      calls: [searchMarks, { tool: 'Glob', input: { pattern: '**/*' } }],
    },
    tools,
  )
  const notes = foundLines(marks)
  const files = foundPaths(everything)
  if (!marks.ok) findings.gap(`Notes: ${reasonOf(marks)}`)
  if (!everything.ok) findings.gap(`The list of files: ${reasonOf(everything)}`)

  const endings = codeEndings(files.items)
  const [[byEnding, inGit], [sizes = NO_ANSWER]] = yield* askGroups(
    {
      thinking: `${amountOf(notes)}.${files.more ? ' There are more files than one listing shows, so git counts them.' : ''} Now how long they are.`,
      say: `${amountOf(notes)}. Now the lengths of the files.`,
      groups: [
        files.more ? [countEndings, longestInGit] : [],
        endings.length === 0 ? [] : [countLines(endings)],
      ],
    },
    tools,
  )
  const longest = longestFiles(sizes, inGit)
  const ranked = rankNotes(notes.items)
  const first = ranked
    .slice(0, MOST_NOTES)
    .filter(({ path }, index, all) => all.findIndex((other) => other.path === path) === index)
  const heaviest = first.slice(0, 3)
  const [seen, ends] = yield* askGroups(
    {
      thinking:
        'I open the files with the heaviest notes and the ends of the longest ones, to be sure of the lines.',
      say: 'Opening some of them to be sure of the lines.',
      groups: [
        heaviest.map(({ path, line }) => readAt(path, line, 8)),
        longest.map(({ path, count }) => readAt(path, count, 4)),
      ],
    },
    tools,
  )

  const kept = ranked.filter((note) =>
    stillHas(seen[heaviest.findIndex(({ path }) => path === note.path)], note),
  )
  const report = (some: readonly FoundLine[]) => {
    for (const note of some) findings.fact({ ...note, note: `is marked ${markIn(note.text)}` })
  }
  report(kept.slice(0, FIRST_NOTES))
  for (const [index, { path, count }] of longest.entries()) {
    const text = readLines(ends[index] ?? NO_ANSWER).get(count)
    if (text !== undefined)
      findings.fact({ path, line: count, text, note: 'is the end of one of the longest files' })
  }
  const lengths = foundCounts(sizes)
  if (lengths.more && longest.length === 0)
    findings.gap('The longest files: there are too many to measure them all in one search.')
  reportSize(languagesOf(files, byEnding), { files, notes, lengths, hasCode: endings.length > 0 }, findings)
  report(kept.slice(FIRST_NOTES, MOST_NOTES))
  const left = (notes.total ?? kept.length) - MOST_NOTES
  if (left > 0) findings.remark(`${counted(left, 'more of them', 'more of them')}.`)
}

const searchMarks = {
  tool: 'Grep',
  input: {
    pattern: '\\b(FIXME|HACK|XXX|TODO)\\b',
    glob: HAND_WRITTEN,
    output_mode: 'content',
    '-n': true,
    head_limit: 120,
  },
}

const readAt = (path: string, line: number, limit: number) => ({
  tool: 'Read',
  input: { file_path: path, offset: Math.max(1, line - 2), limit },
})

const MARKS = ['FIXME', 'HACK', 'XXX', 'TODO'] as const

const markIn = (text: string): string =>
  MARKS.find((mark) => new RegExp(`\\b${mark}\\b`).test(text)) ?? 'as unfinished'

/** A mark at the start of a comment. */
const COMMENT = /(?:\/\/|\/?\*|#|--|;|%|<!--|""")\s*(?:@\w+\s+)?(?:FIXME|HACK|XXX|TODO)\b/

/** Broken before missing; code comments before texts. */
function rankNotes(notes: readonly FoundLine[]): readonly FoundLine[] {
  const rank = ({ path, text }: FoundLine) =>
    (isAside(path) ? 40 : 0) +
    (isCode(path) ? 0 : 20) +
    (COMMENT.test(text) ? 0 : 10) +
    (isTest(path) ? 5 : 0) +
    MARKS.findIndex((mark) => text.includes(mark))
  return [...notes].sort((a, b) => rank(a) - rank(b))
}

function amountOf({ items, more, total }: Listed<FoundLine>): string {
  if (items.length === 0) return 'No TODO, FIXME, HACK or XXX'
  const many = counted(total ?? items.length, 'line')
  return `${more && total === undefined ? 'More than ' : ''}${many} marked as unfinished`
}

interface Sizes {
  readonly files: Listed<string>
  readonly notes: Listed<FoundLine>
  readonly lengths: Listed<{ readonly count: number }>
  readonly hasCode: boolean
}

function reportSize({ names, total }: Languages, sizes: Sizes, findings: Findings): void {
  const { files, notes, lengths, hasCode } = sizes
  if (names.length > 0)
    findings.remark(`Files by language: ${names.map(([name, count]) => `${name} ${count}`).join(', ')}.`)
  if (total === null)
    findings.gap(
      'How many files there are in all: more than one listing shows, and they could not be counted.',
    )
  const lines = lengths.items.reduce((sum, { count }) => sum + count, 0)
  const mostly = names.slice(0, 2).map(([name]) => name)
  const parts = [
    files.items.length === 0
      ? 'No files'
      : total === null
        ? `More than ${counted(files.items.length, 'file')}`
        : counted(total, 'file'),
    ...(mostly.length === 0 ? [] : [`mostly ${joined(mostly)}`]),
    ...(hasCode && lines > 0 ? [`${lengths.more ? 'more than ' : ''}${counted(lines, 'line')} of code`] : []),
  ]
  const marked = amountOf(notes)
  findings.lead(
    `${parts.join(', ')}; ${marked.startsWith('No ') ? `no${marked.slice(2)}` : marked.replace(/^More/, 'more')}.`,
  )
}
