/** `troupe insight`: prints what work cost, as a table, as JSON or as CSV. */
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { cachedShare } from '../../../shared/events/model-requests.ts'
import {
  failuresIn,
  type InsightGroup,
  type InsightQuery,
  type InsightReport,
  type InsightRow,
  insightOf,
  retriesIn,
  trashedText,
  WORK_TEXT,
  workShares,
} from '../../../shared/insight/insight.ts'
import { insightCsv } from '../../../shared/insight/insight-csv.ts'
import { countOf, formatDuration, formatTokens, moneyText, sizeOf } from '../../../shared/kernel/amounts.ts'
import { messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { dayOf, namedTime } from '../../../shared/kernel/times.ts'
import {
  EXIT,
  failed,
  jsonLine,
  type Printing,
  printedLines,
  table,
} from '../../platform/command-line/terminal.ts'
import { usage } from '../../platform/command-line/verb.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import { realFolderOf } from '../../platform/system/real-folder.ts'
import { createTranscriptStore } from '../../platform/transcripts/create-transcript-store.ts'
import type { Clock } from '../../runtime/ports/ports.ts'
import { composeInsight } from './feature.ts'

interface InsightWords {
  readonly by: InsightGroup | null
  readonly since: string | null
  readonly until: string | null
  readonly folder: string | null
  readonly rehearsal: boolean
  readonly csv: string | null
  readonly json: boolean
}

interface InsightRoot extends Printing {
  readonly dataFolder: string
  readonly clock: Clock
  /** ms, for durations. */
  readonly elapsed: () => number
}

/** ms between two lines about the progress. */
const PROGRESS_EVERY = 2000

/** @returns the exit code */
export async function insightCommand(words: InsightWords, root: InsightRoot): Promise<number> {
  const { dataFolder, clock, elapsed, output, errors } = root
  const asked = queryOf(words, clock.now())
  if (!asked.ok) {
    errors.write(`troupe: ${asked.failure.message}\n`)
    return EXIT.usage
  }
  const onProblem = (message: string) => errors.write(`troupe: ${message}\n`)
  const store = createTranscriptStore({ dataFolder, clock, onProblem: ({ message }) => onProblem(message) })
  const reader = composeInsight({ dataFolder, store, elapsed, onProblem })
  let known = await reader.read(PROGRESS_EVERY)
  while (known.reading !== null) {
    const { done, all } = known.reading
    errors.write(`Reading transcripts: ${sizeOf(done)} of ${sizeOf(all)}\n`)
    known = await reader.read(PROGRESS_EVERY)
  }
  const report = insightOf(known.conversations, asked.value)
  const { by } = asked.value
  if (words.csv !== null && words.csv !== '-') {
    const saved = await saveNew(resolve(words.csv), insightCsv(report, by))
    if (!saved.ok) return failed(root, saved.failure.message)
    errors.write(`Wrote ${countOf(report.rows.length, 'row')} to ${saved.value}\n`)
  } else if (words.csv === '-') output.write(insightCsv(report, by))
  else if (words.json) output.write(jsonLine({ ...asked.value, ...report }))
  else await print(report, by, output)
  if (known.trashed > 0) errors.write(`${trashedText(known.trashed)}\n`)
  if (known.damaged > 0)
    errors.write(
      `troupe: ${countOf(known.damaged, 'transcript')} could be read only in part, so the sums may be too low.\n`,
    )
  if (known.newer > 0)
    errors.write(
      `troupe: ${countOf(known.newer, 'transcript')} ${known.newer === 1 ? 'has' : 'have'} events of a newer version of Troupe, which are not counted.\n`,
    )
  return EXIT.done
}

function queryOf(words: InsightWords, now: number): Result<InsightQuery> {
  const { folder, rehearsal, csv, json } = words
  if (csv !== null && json) return usage('--csv can’t be combined with --json.')
  if (csv === '') return usage('--csv needs the path of a new file, or - for standard output.')
  const since = boundOf('--since', words.since, now)
  if (!since.ok) return since
  const until = boundOf('--until', words.until, now)
  if (!until.ok) return until
  if (since.value !== null && until.value !== null && since.value > until.value)
    return usage(`--since ${since.value} is after --until ${until.value}.`)
  return ok({
    by: words.by ?? 'definition',
    ...{ since: since.value, until: until.value, rehearsal, within: [] },
    // A folder may be gone; its conversations are still counted.
    folder: folder === null ? null : (realFolderOf(folder) ?? resolve(folder)),
  })
}

function boundOf(option: '--since' | '--until', text: string | null, now: number): Result<string | null> {
  if (text === null) return ok(null)
  const time = namedTime(text, now)
  return time === null
    ? usage(`${option} "${text}" is no date. Use 2026-11-25, 2026-11, today, yesterday, 30d or 4w.`)
    : ok(dayOf(option === '--since' ? time.from : time.to))
}

/** Writes a file that is not there yet. @returns its path */
async function saveNew(path: string, text: string): Promise<Result<string>> {
  try {
    await writeFile(path, text, { flag: 'wx' })
    return ok(path)
  } catch (thrown) {
    return usage(
      codeOf(thrown) === 'EEXIST'
        ? `${path} exists, and was not changed. Give another name, or remove it first.`
        : `${path} was not written: ${messageOf(thrown)}`,
    )
  }
}

async function print(report: InsightReport, by: InsightGroup, output: Printing['output']): Promise<void> {
  const { rows, total, days, rehearsed } = report
  const left =
    rehearsed === 0
      ? ''
      : ` ${countOf(rehearsed, 'agent')} of rehearsals ${rehearsed === 1 ? 'is' : 'are'} not counted; --rehearsal counts them.`
  if (rows.length === 0) {
    output.write(`No work in this time.${left}\n`)
    return
  }
  const { figures } = total
  output.write(
    `${costLine(figures)}, ${formatTokens(figures.countedTokens)} tokens in ${countOf(total.conversations, 'conversation')}, ${days[0]?.day} to ${days.at(-1)?.day}.${left}\n\n`,
  )
  const lines = printedLines(output)
  const cells = rows.map((row) => [
    row.name === '' ? 'untitled' : row.name,
    moneyText(row.figures.costUsd, row.figures.unpriced === 0),
    formatTokens(row.figures.countedTokens),
    percent(cachedShare(row.figures)),
    formatDuration(row.figures.workedMs),
    formatDuration(row.figures.waitedMs),
    ...[row.figures.turns, row.figures.asked, failuresIn(row.figures), retriesIn(row.figures)].map(String),
    String(row.agents),
    mostFor(row),
    placeOf(row),
  ])
  for (const line of table([[by.toUpperCase(), ...TITLES], ...cells])) {
    lines.add(line)
    await lines.pause()
  }
  lines.end()
}

/** "commands 53%, reading 47%". */
const mostFor = ({ work }: InsightRow): string =>
  workShares(work)
    .slice(0, 2)
    .map(({ kind, share }) => `${WORK_TEXT[kind].toLowerCase()} ${percent(share)}`)
    .join(', ')

/** What tells rows of the same name apart; with it, `troupe conversations show` shows the work. */
const placeOf = ({ detail, conversationId }: InsightRow): string =>
  conversationId === null ? detail : `${conversationId}  ${detail}`

const TITLES = [
  ...'COST TOKENS CACHED WORKED WAITED TURNS ASKED FAILED RETRIES AGENTS'.split(' '),
  'MOST FOR',
  '',
]

const costLine = ({ costUsd, unpriced }: InsightReport['total']['figures']): string =>
  unpriced === 0 || costUsd > 0 ? moneyText(costUsd, unpriced === 0) : 'Unknown cost'

const percent = (share: number | null): string => (share === null ? '–' : `${Math.round(share * 100)}%`)
