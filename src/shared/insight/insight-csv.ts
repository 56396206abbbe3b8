/** The rows of a report as CSV. Figures are plain numbers: dollars, tokens, seconds. */
import { cachedShare } from '../events/model-requests.ts'
import { type CsvCell, csvText } from '../kernel/csv.ts'
import { figureNames, type InsightFigures, workKinds } from './agent-insight.ts'
import { type InsightGroup, type InsightReport, type InsightRow, WORK_TEXT } from './insight.ts'

interface Column {
  readonly title: string
  readonly value: (row: InsightRow) => CsvCell
}

const NAME_TITLES: Readonly<Record<InsightGroup, string>> = {
  definition: 'definition',
  folder: 'folder',
  model: 'model',
  month: 'month',
  conversation: 'conversation',
  agent: 'task',
}

/** By group: what `InsightRow.detail` is; missing: rows of the group have none. */
const DETAIL_TITLES: Partial<Record<InsightGroup, string>> = {
  definition: 'file_or_source',
  conversation: 'folder',
  agent: 'definition',
}

const IN_SECONDS: ReadonlySet<string> = new Set(['workedMs', 'waitedMs'])

/** `tokens` are counted as everywhere in Troupe, cached ones by their price; their kinds are counted in full. */
const titleOf = (name: keyof InsightFigures): string =>
  (name === 'countedTokens' ? 'tokens' : name)
    .replace(/^(input|output|cache.*)$/, '$1Tokens')
    .replace(/Ms$/, 'Seconds')
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The cost column is empty where no cost is known: an unknown cost is not 0. */
const figureColumns: readonly Column[] = figureNames.map((name) => ({
  title: titleOf(name),
  value: ({ figures }) => {
    if (name === 'costUsd')
      return figures.unpriced > 0 && figures.costUsd === 0 ? null : amount(figures.costUsd)
    return IN_SECONDS.has(name) ? Math.round(figures[name] / 1000) : amount(figures[name])
  },
}))

/** Without the noise of binary fractions. */
const amount = (value: number): number => Math.round(value * 1e8) / 1e8

function columnsFor(by: InsightGroup): readonly Column[] {
  const detail = DETAIL_TITLES[by]
  return [
    { title: NAME_TITLES[by], value: ({ name }) => name },
    ...(detail === undefined ? [] : [{ title: detail, value: (row: InsightRow) => row.detail }]),
    ...(by === 'conversation' || by === 'agent'
      ? [{ title: 'conversation_id', value: (row: InsightRow) => row.conversationId }]
      : []),
    ...(by === 'agent' ? [{ title: 'agent_id', value: (row: InsightRow) => row.agentId }] : []),
    { title: 'conversations', value: ({ conversations }) => conversations },
    { title: 'agents', value: ({ agents }) => agents },
    ...figureColumns,
    ...workKinds.map((kind) => ({
      title: `usd_for_${WORK_TEXT[kind].toLowerCase().replaceAll(' ', '_')}`,
      value: ({ work }: InsightRow) => amount(work[kind].costUsd),
    })),
    {
      title: 'cached_share',
      value: ({ figures }) => {
        const share = cachedShare(figures)
        return share === null ? null : Math.round(share * 10_000) / 10_000
      },
    },
  ]
}

/** All rows below a line of titles. */
export function insightCsv({ rows }: Pick<InsightReport, 'rows'>, by: InsightGroup): string {
  const columns = columnsFor(by)
  return csvText([
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ value }) => value(row))),
  ])
}
