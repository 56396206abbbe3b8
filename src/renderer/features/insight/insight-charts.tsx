/** What the work of a report cost by day and by kind, and what the versions of a definition cost. */
import type { ReactNode } from 'react'
import { type WorkKind, workKinds } from '../../../shared/insight/agent-insight.ts'
import { type InsightReport, WORK_TEXT } from '../../../shared/insight/insight.ts'
import { daysBefore } from '../../../shared/kernel/times.ts'
import { count, formatMoney, formatTokens, moneyText } from '../../ui/text/format.ts'

/** More days are drawn as months. */
const MOST_DAYS = 100

interface Bar {
  readonly name: string
  readonly usd: number
  readonly tokens: number
  readonly unpriced: number
}

/** A bar for each day, also for those without work; of a long time, one for each month. */
export function DayChart({ days }: Pick<InsightReport, 'days'>) {
  const bars = barsOf(days)
  const isPriced = bars.some(({ usd }) => usd > 0)
  const amountOf = ({ usd, tokens }: Bar) => (isPriced ? usd : tokens)
  const textOf = (bar: Bar) =>
    `${bar.name}: ${moneyText(bar.usd, bar.unpriced === 0)}, ${formatTokens(bar.tokens)} tokens`
  const most = bars.reduce<Bar | null>(
    (top, bar) => (top === null || amountOf(bar) > amountOf(top) ? bar : top),
    null,
  )
  if (most === null) return null
  const highest = Math.max(amountOf(most), Number.MIN_VALUE)
  const isByMonth = bars[0]?.name.length === 'yyyy-mm'.length
  const isPartly = isPriced && bars.some(({ unpriced }) => unpriced > 0)
  const title = `${isPriced ? 'Cost' : 'Tokens'} by ${isByMonth ? 'month' : 'day'}`
  return (
    <Box
      title={title}
      more={`highest ${isPriced ? formatMoney(most.usd) : formatTokens(most.tokens)}${isPartly ? '; dotted: and unknown costs' : ''}`}
    >
      <div
        role="img"
        aria-label={`${title}, ${bars[0]?.name} to ${bars.at(-1)?.name}. The highest is ${textOf(most)}.`}
        className="flex h-[7.25rem] items-end gap-px"
      >
        {bars.map((bar) => (
          <span
            key={bar.name}
            title={textOf(bar)}
            className="flex h-full min-w-0 max-w-6 flex-1 items-end hover:bg-bg-3"
          >
            <span
              className={`w-full bg-accent ${bar.unpriced > 0 ? 'border-fg-0 border-t-2 border-dotted' : ''}`}
              style={{ height: `${Math.max(amountOf(bar) > 0 ? 2 : 0, (amountOf(bar) * 100) / highest)}%` }}
            />
          </span>
        ))}
      </div>
      <div className="flex justify-between pt-1 font-mono text-fg-2 text-xs">
        <span>{bars[0]?.name}</span>
        {bars.length > 1 && <span>{bars.at(-1)?.name}</span>}
      </div>
    </Box>
  )
}

function barsOf(days: InsightReport['days']): readonly Bar[] {
  const [first] = days
  const last = days.at(-1)
  if (first === undefined || last === undefined) return []
  const bars = new Map<string, Bar>()
  const isShort = daysBefore(last.day, MOST_DAYS) < first.day
  // Days without work stand between the others.
  if (isShort)
    for (let day = last.day; day >= first.day; day = daysBefore(day, 1))
      bars.set(day, { name: day, usd: 0, tokens: 0, unpriced: 0 })
  for (const { day, figures } of days) {
    const name = isShort ? day : day.slice(0, 'yyyy-mm'.length)
    const { usd = 0, tokens = 0, unpriced = 0 } = bars.get(name) ?? {}
    bars.set(name, {
      name,
      usd: usd + figures.costUsd,
      tokens: tokens + figures.countedTokens,
      unpriced: unpriced + figures.unpriced,
    })
  }
  return [...bars.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** What the requests were made for. */
export function WorkShares({ work }: Pick<InsightReport['total'], 'work'>) {
  const isPriced = workKinds.some((kind) => work[kind].costUsd > 0)
  const amountOf = (kind: WorkKind) => (isPriced ? work[kind].costUsd : work[kind].countedTokens)
  const all = Math.max(
    workKinds.reduce((sum, kind) => sum + amountOf(kind), 0),
    Number.MIN_VALUE,
  )
  return (
    <Box
      title={isPriced ? 'Cost by kind of work' : 'Tokens by kind of work'}
      more="by the calls in each answer"
    >
      <table className="w-full text-sm">
        <thead className="sr-only">
          <tr>
            <th scope="col">Kind</th>
            <th scope="col">Share</th>
            <th scope="col">{isPriced ? 'Cost' : 'Tokens'}</th>
          </tr>
        </thead>
        <tbody>
          {workKinds.map((kind) => {
            const percent = Math.round((amountOf(kind) * 100) / all)
            return (
              <tr key={kind} title={count(work[kind].calls, 'call')} className="text-fg-1">
                <th scope="row" className="w-24 py-px text-left font-normal">
                  {WORK_TEXT[kind]}
                </th>
                <td className="w-12 pr-3 text-right font-mono text-xs">{percent}%</td>
                <td className="w-16 pr-3 text-right font-mono text-xs">
                  {isPriced ? formatMoney(work[kind].costUsd) : formatTokens(work[kind].countedTokens)}
                </td>
                <td aria-hidden="true">
                  <span className="block h-1.5 rounded-[2px] bg-accent" style={{ width: `${percent}%` }} />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Box>
  )
}

/** The versions of a definition, the newest first. */
export function VersionTable({ versions }: Pick<InsightReport, 'versions'>) {
  return (
    <Box title="Versions of the definition" more="the last used first">
      <table className="w-full text-left text-sm">
        <thead className="text-fg-2 text-xs">
          <tr>
            {['Version', 'Last used', 'Agents', 'Cost', 'Cost of an agent'].map((title) => (
              <th key={title} scope="col" className="py-0.5 font-normal">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="font-mono text-fg-1 text-xs">
          {versions.map(({ version, lastDay, agents, figures: { costUsd, unpriced } }) => (
            <tr key={version}>
              <th scope="row" className="py-0.5 font-normal" data-selectable="">
                {version === '' ? 'unknown' : version}
              </th>
              <td>{lastDay}</td>
              <td>{agents}</td>
              <td>{moneyText(costUsd, unpriced === 0)}</td>
              <td>{moneyText(costUsd / Math.max(1, agents), unpriced === 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Box>
  )
}

interface BoxProps {
  readonly title: string
  readonly more: string
  readonly children: ReactNode
}

function Box({ title, more, children }: BoxProps) {
  return (
    <section aria-label={title} className="min-w-0 rounded-lg border border-line bg-bg-1 px-3.5 pt-2 pb-2.5">
      <h2 className="flex flex-wrap items-baseline gap-x-2 pb-1.5 text-sm">
        <span className="font-semibold text-fg-0">{title}</span>
        <span className="font-normal text-fg-2 text-xs">{more}</span>
      </h2>
      {children}
    </section>
  )
}
