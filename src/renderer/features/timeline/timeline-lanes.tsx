/** The lanes of a timeline: names and totals beside one canvas, and the spans of one lane as a list for the keyboard. */
import {
  type CSSProperties,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { spansOf } from '../../../shared/timeline/lane.ts'
import type { Span } from '../../../shared/timeline/span.ts'
import type { Timeline } from '../../../shared/timeline/timeline.ts'
import { addSums, type Sums, sumSpans } from '../../../shared/timeline/timeline-sums.ts'
import { useAgent, useAgentName, useTotals } from '../../stores/conversation-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Dot } from '../../ui/dot.tsx'
import { AgentNameLine } from '../../ui/text/agent-name.tsx'
import { markOf } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { count, formatClock, formatDuration, formatTokens, moneyText } from '../../ui/text/format.ts'
import type { LaneRow } from './lanes.ts'
import { Minimap } from './minimap.tsx'
import { timeOf } from './paint-ruler.ts'
import { TimelineCanvas } from './timeline-canvas.tsx'
import { type Range, useLook, useSettledRange } from './timeline-store.ts'

interface TimelineLanesProps {
  readonly timeline: Timeline
  readonly version: number
  readonly rows: readonly LaneRow[]
  readonly whole: Range
  readonly isWide: boolean
  readonly cursor: number | null
  readonly onCursor: ((at: number) => void) | null
  readonly onOpen: (span: Span) => void
  /** The spans of the selected lane as a list, for the keyboard. */
  readonly list: ReactNode
}

/** In px. */
const SIZES = {
  wide: { names: 232, totals: 174, row: 35, bar: 14, ruler: 40, map: 46 },
  small: { names: 172, totals: 72, row: 25, bar: 12, ruler: 38, map: 34 },
} as const

/** Rows beyond the edge that exist, so that a scroll shows no gap. */
const OVERSCAN = 6

export function TimelineLanes(props: TimelineLanesProps) {
  const { timeline, rows, whole, isWide, cursor } = props
  const size = isWide ? SIZES.wide : SIZES.small
  const scroller = useRef<HTMLDivElement>(null)
  const [from, to] = useRowsInView(scroller, size.row, rows.length)
  const selectedId = useLook(({ agentId }) => agentId ?? rows[0]?.lane.agentId ?? null)
  const sums = useSums(props)
  useRowInView(scroller, rows.findIndex(({ lane }) => lane.agentId === selectedId) * size.row, size.row)
  const columns = { gridTemplateColumns: `${size.names}px minmax(0,1fr) ${size.totals}px` }
  const working = useTotals().live
  return (
    <>
      <div className="grid shrink-0 border-line border-b bg-bg-1" style={{ ...columns, height: size.map }}>
        <div className="flex flex-col justify-center px-3 text-fg-2 text-xs">
          <span>All of it</span>
          {isWide && (
            <span className="font-mono tabular-nums">
              {working === 0 ? formatDuration(whole.to - whole.from) : `${working} working`}
            </span>
          )}
        </div>
        <Minimap timeline={timeline} rows={rows} whole={whole} cursor={cursor} />
        <div className="flex items-center px-3 text-fg-2 text-xs">
          {isWide && `started ${formatClock(timeline.from)}`}
        </div>
      </div>
      <div className="relative flex min-h-0 flex-1 flex-col bg-bg-0">
        <div
          className="grid shrink-0 border-line border-b bg-bg-1 text-fg-2 text-xs"
          style={{ ...columns, height: size.ruler }}
        >
          <div className="flex items-end justify-between border-line border-r px-3 pb-1">
            <span>{count(rows.length, 'agent')}</span>
            {isWide && cursor !== null && (
              <span className="font-mono tabular-nums">at {timeOf(cursor - timeline.from)}</span>
            )}
          </div>
          <span />
          <Totals
            isWide={isWide}
            className="items-end border-line border-l pb-1"
            values={['tokens', 'cost', 'tools']}
          />
        </div>
        <div
          ref={scroller}
          className="relative min-h-0 flex-1 overflow-y-auto overflow-x-hidden [scrollbar-width:thin]"
        >
          <div className="relative" style={{ height: rows.length * size.row }}>
            {rows.slice(from, to).map((row, index) => (
              <LaneLine
                key={row.lane.agentId}
                row={row}
                isWide={isWide}
                isSelected={row.lane.agentId === selectedId}
                sums={sums.byAgent.get(row.lane.agentId)}
                style={{ ...columns, top: (from + index) * size.row, height: size.row }}
              />
            ))}
          </div>
        </div>
        <div className="absolute inset-y-0" style={{ left: size.names, right: size.totals }}>
          <TimelineCanvas
            {...props}
            rowHeight={size.row}
            barHeight={size.bar}
            rulerHeight={size.ruler}
            scroller={scroller}
          />
          {props.list}
        </div>
        {rows.length === 0 && <NothingFound />}
      </div>
      <div
        className="grid h-[26px] shrink-0 items-center border-line border-t bg-bg-1 text-fg-2 text-xs"
        style={columns}
      >
        <span className="truncate px-3">{cursor === null ? 'In view' : 'Up to the cursor'}</span>
        <span className="truncate px-3 tabular-nums">{sumText(sums.all)}</span>
        <Totals isWide={isWide} className="items-center text-fg-0" values={totalsOf(sums.all)} />
      </div>
    </>
  )
}

function NothingFound() {
  const words = useLook((state) => state.words)
  return (
    <p className="absolute inset-x-0 top-24 text-center text-fg-1 text-sm">
      No agent and no call matches “{words}”.{' '}
      <LinkButton onClick={() => useLook.setState({ words: '' })}>Clear the filter</LinkButton>
    </p>
  )
}

interface LaneLineProps {
  readonly row: LaneRow
  readonly isWide: boolean
  readonly isSelected: boolean
  readonly sums: Sums | undefined
  readonly style: CSSProperties
}

function LaneLine({ row: { lane, depth }, isWide, isSelected, sums, style }: LaneLineProps) {
  const agent = useAgent(lane.agentId)
  const known = useAgentName(lane.agentId)
  // A replay shows a moment before the agent was started.
  const name = agent === undefined ? { title: lane.task || lane.type, letter: null } : known
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the keys of the view do the same
    <div
      className="absolute inset-x-0 grid"
      style={{ ...style, ...agentStyle(lane.color) }}
      data-lane={lane.agentId}
      onClick={() => useLook.setState({ agentId: lane.agentId, selected: null })}
    >
      <div
        className={classNames(
          'grid min-w-0 grid-cols-[10px_minmax(0,1fr)] items-center gap-[9px] border-line border-r border-b pr-2.5 text-sm',
          isSelected ? 'bg-bg-3' : 'bg-bg-1',
        )}
        style={{ paddingLeft: 12 + Math.min(depth, 5) * 14 }}
      >
        <Dot status={agent === undefined ? 'queued' : markOf(agent)} className="justify-self-center" />
        <span className="min-w-0 leading-[1.3]">
          <span className={classNames('block font-medium', agent === undefined ? 'text-fg-2' : 'text-fg-0')}>
            <AgentNameLine name={name} />
          </span>
          {isWide && <span className="block truncate text-fg-2 text-xs">{depth === 0 ? '' : lane.type}</span>}
        </span>
      </div>
      <span />
      <Totals
        isWide={isWide}
        className={classNames(
          'items-center border-line border-b border-l text-fg-1',
          isSelected ? 'bg-bg-3' : 'bg-bg-1',
        )}
        values={sums === undefined || agent === undefined ? ['–', '–', '–'] : totalsOf(sums)}
      />
    </div>
  )
}

interface TotalsProps {
  readonly values: readonly [tokens: string, cost: string, calls: string]
  readonly isWide: boolean
  readonly className: string
}

function Totals({ values: [tokens, cost, calls], isWide, className }: TotalsProps) {
  return (
    <div
      className={classNames(
        'grid justify-items-end whitespace-nowrap pr-3 font-mono text-xs tabular-nums',
        isWide ? 'grid-cols-[1fr_58px_44px]' : 'grid-cols-1',
        className,
      )}
    >
      {isWide && <span>{tokens}</span>}
      <span>{cost}</span>
      {isWide && <span>{calls}</span>}
    </div>
  )
}

const totalsOf = ({ tokens, costUsd, priced, calls }: Sums) =>
  [
    formatTokens(tokens),
    priced ? moneyText(costUsd, true) : `≥ ${moneyText(costUsd, true)}`,
    String(calls),
  ] as const

function sumText({ ms }: Sums): string {
  const parts: readonly (readonly [string, number])[] = [
    ['Model', ms.model],
    ['tools', ms.tool],
    ['waited for you', ms.user],
    ['waited for agents', ms.agents],
    ['queued', ms.queued],
    ['retries', ms.retry],
    ['paused', ms.paused],
  ]
  return parts.flatMap(([name, time]) => (time < 50 ? [] : [`${name} ${formatDuration(time)}`])).join(' · ')
}

interface LaneSums {
  readonly all: Sums
  readonly byAgent: ReadonlyMap<string, Sums>
}

/** The sums of what is in view, once it has stayed in view for a moment. */
function useSums({ version, rows, whole, cursor }: TimelineLanesProps): LaneSums {
  const { from, to } = useSettledRange() ?? whole
  const asked = useMemo(
    () => ({ version, rows, from, to: Math.min(to, cursor ?? Number.POSITIVE_INFINITY) }),
    [version, rows, from, to, cursor],
  )
  const settled = useDeferredValue(asked)
  return useMemo(() => {
    const selection = { from: settled.from, to: settled.to, agentIds: null }
    const byAgent = new Map(
      settled.rows.map(({ lane }) => [lane.agentId, sumSpans(spansOf(lane), selection)]),
    )
    return { all: addSums([...byAgent.values()]), byAgent }
  }, [settled])
}

/** The first row in view, and the one after the last. */
function useRowsInView(
  scroller: { readonly current: HTMLElement | null },
  height: number,
  amount: number,
): readonly [from: number, to: number] {
  const [range, setRange] = useState<readonly [number, number]>([0, 40])
  useEffect(() => {
    const list = scroller.current
    if (list === null) return
    const update = () => {
      const from = Math.max(0, Math.floor(list.scrollTop / height) - OVERSCAN)
      const to = Math.ceil((list.scrollTop + Math.max(list.clientHeight, 400)) / height) + OVERSCAN
      setRange((before) => (before[0] === from && before[1] === to ? before : [from, to]))
    }
    update()
    const observer = new ResizeObserver(update)
    observer.observe(list)
    list.addEventListener('scroll', update)
    return () => {
      observer.disconnect()
      list.removeEventListener('scroll', update)
    }
  }, [scroller, height])
  return [range[0], Math.min(range[1], amount)]
}

/** Scrolls the selected row into view when another one is selected. */
function useRowInView(scroller: { readonly current: HTMLElement | null }, top: number, height: number): void {
  useEffect(() => {
    const list = scroller.current
    if (list === null || top < 0 || list.clientHeight === 0) return
    if (top < list.scrollTop) list.scrollTop = top
    else if (top + height > list.scrollTop + list.clientHeight)
      list.scrollTop = top + height - list.clientHeight
  }, [scroller, top, height])
}
