/** The timeline under the stage: agents with a panel have named lanes, all others slivers in their places. */
import { ChevronDown, ChevronUp, Maximize2 } from 'lucide-react'
import { type MouseEvent, type PointerEvent, useRef, useState } from 'react'
import { isLive } from '../../../shared/state/agent-state.ts'
import type { Timeline } from '../../../shared/timeline/timeline.ts'
import { useAgentName, useConversation } from '../../stores/conversation-store.ts'
import { pauseReplay, replayAt, useReplay } from '../../stores/replay-store.ts'
import { setView, useRoom } from '../../stores/session-store.ts'
import { useStageMemory } from '../../stores/stage-store.ts'
import { IconButton } from '../../ui/button.tsx'
import { timeNow, useNow } from '../../ui/machine.ts'
import { AgentNameLine } from '../../ui/text/agent-name.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import type { CanvasColors } from './canvas-colors.ts'
import { type LaneRow, laneRows, xOf } from './lanes.ts'
import { paintSpans } from './paint-lanes.ts'
import { LiveOrReplay } from './replay-controls.tsx'
import { contextOf, useSlowPicture } from './slow-picture.ts'
import { KIND_NAMES } from './span-text.ts'
import { KindSample } from './timeline-filters.tsx'
import { type Range, showPart, useLoadedTimeline, useTimelineStore } from './timeline-store.ts'

/** The panels and their transcripts load first, in ms. */
const WAIT = 700
const FOLDED = 'timeline-strip-folded'
/** In px: of a named lane, of a sliver at most, and of all lanes. */
const NAMED = 14
const SLIVER = 4
const LANES = 94
const HEAD = 24

export function TimelineStrip() {
  const conversationId = useLoadedTimeline(WAIT)
  const isReady = useTimelineStore(
    (state) => state.phase === 'ready' && state.conversationId === conversationId,
  )
  const timeline = useTimelineStore((state) => state.timeline)
  const isWide = useRoom() === 'wide'
  const [isFolded, setFolded] = useState(() => localStorage.getItem(FOLDED) === 'yes')
  const fold = (folded: boolean) => {
    setFolded(folded)
    localStorage.setItem(FOLDED, folded ? 'yes' : 'no')
  }
  const { at: cursor } = useReplay()
  // In a replay the strip ends with the last event: agents that were at work then say nothing about now.
  const live = useConversation((state) => [...state.agents.values()].some(isLive)) && cursor === null
  const now = useNow(live)
  const agentIds = useConversation((state) => state.agentIds)
  const shown = useStageMemory((state) => state.shown)
  const canvas = useRef<HTMLCanvasElement>(null)
  const isLine = !isWide || isFolded
  const rows = isReady ? heightsOf(rowsOf(timeline), isLine ? null : new Set(shown)) : []
  const key = `${cursor} ${agentIds.length} ${shown.join(' ')} ${isLine} ${isReady} ${now}`
  useSlowPicture(
    canvas,
    (current, colors) => paintStrip(current, { timeline, rows: isReady ? rows : [], live, cursor }, colors),
    key,
  )
  const momentAt = (event: MouseEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const whole = wholeOf(timeline, live)
    const length = whole.to - whole.from
    return { at: whole.from + ((event.clientX - box.left) / (box.width || 1)) * length, whole, length }
  }
  const drag = (event: PointerEvent<HTMLCanvasElement>) => {
    if (cursor === null || event.buttons !== 1) return
    if (event.type === 'pointerdown') event.currentTarget.setPointerCapture(event.pointerId)
    pauseReplay()
    replayAt(momentAt(event).at, timeline)
  }
  const open = (event: MouseEvent<HTMLCanvasElement>) => {
    if (cursor !== null) return
    const { at, whole, length } = momentAt(event)
    showPart({ from: at - length / 8, to: at + length / 8 }, whole)
    setView('timeline')
  }
  const foldButton = isWide && (
    <IconButton
      label={isFolded ? 'Unfold the timeline' : 'Fold the timeline'}
      icon={isFolded ? ChevronUp : ChevronDown}
      onClick={() => fold(!isFolded)}
      tooltipSide="top"
    />
  )
  const buttons = (
    <>
      <LiveOrReplay />
      <IconButton
        label="Open the timeline"
        icon={Maximize2}
        keys="Mod 3"
        onClick={() => setView('timeline')}
        tooltipSide="top"
      />
    </>
  )
  return (
    <section
      aria-label="Timeline"
      className="grid min-w-0 shrink-0 border-line border-t bg-bg-1"
      style={{
        gridTemplateColumns: isLine ? 'auto minmax(0,1fr) auto' : '134px minmax(0,1fr) 132px',
        gridTemplateRows: isLine ? '27px' : `${HEAD}px ${LANES}px`,
      }}
    >
      <div className="flex items-center justify-between border-line border-r pr-1 pl-2.5">
        <h2 className="font-semibold text-fg-0 text-sm">Timeline</h2>
        {foldButton}
      </div>
      {!isLine && <Phases timeline={timeline} whole={wholeOf(timeline, live)} />}
      {!isLine && (
        <span className="flex items-center justify-end gap-1 border-line border-l pr-1.5">{buttons}</span>
      )}
      {!isLine && (
        <div className="relative border-line border-r">
          {rows.map(
            (row) =>
              row.isNamed && <LaneName key={row.lane.agentId} agentId={row.lane.agentId} top={row.top} />,
          )}
        </div>
      )}
      <canvas
        ref={canvas}
        title={cursor === null ? 'Open the timeline here' : 'Show this moment'}
        data-timeline-strip=""
        onClick={open}
        onPointerDown={drag}
        onPointerMove={drag}
        className="size-full min-h-0 cursor-pointer bg-bg-0"
      />
      {isLine ? (
        <span className="flex items-center gap-1 border-line border-l px-1.5">{buttons}</span>
      ) : (
        <ul className="grid content-center border-line border-l px-2.5 text-fg-2 text-xs leading-[18px]">
          {(['model', 'tool', 'user', 'agents'] as const).map((kind) => (
            <li key={kind} className="flex items-center gap-2">
              <KindSample kind={kind} />
              {KIND_NAMES[kind]}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function LaneName({ agentId, top }: { readonly agentId: string; readonly top: number }) {
  const name = useAgentName(agentId)
  return (
    <span
      className="absolute inset-x-0 truncate pr-1 pl-2.5 text-fg-1 text-xs leading-[14px]"
      style={{ top }}
    >
      <AgentNameLine name={name} />
    </span>
  )
}

function Phases({ timeline: { phases }, whole }: { readonly timeline: Timeline; readonly whole: Range }) {
  const share = (at: number) => `${((at - whole.from) / (whole.to - whole.from)) * 100}%`
  return (
    <div className="relative overflow-hidden">
      {phases.map(({ phase, from, to }) => (
        <span
          key={from}
          className={classNames(
            'absolute top-1 h-4 overflow-hidden whitespace-nowrap border-line-strong border-l pl-1.5 text-xs leading-4',
            to === null ? 'text-fg-0' : 'text-fg-2',
          )}
          style={{ left: share(from), right: `calc(100% - ${share(to ?? whole.to)})` }}
        >
          {phase.charAt(0).toUpperCase() + phase.slice(1)}
        </span>
      ))}
    </div>
  )
}

const wholeOf = (timeline: Timeline, live: boolean): Range => ({
  from: timeline.from,
  to: Math.max(timeline.to, live ? timeNow() : 0, timeline.from + 1000),
})

function rowsOf(timeline: Timeline): readonly LaneRow[] {
  return laneRows({ timeline, words: '', nameOf: () => '' })
}

interface StripRow extends LaneRow {
  readonly isNamed: boolean
  /** In px; a line has the heights as shares of itself. */
  readonly top: number
  readonly height: number
}

/** `named`: the agents with a panel; null: every lane is as high as the others. The main agent always has a name. */
function heightsOf(rows: readonly LaneRow[], named: ReadonlySet<string> | null): readonly StripRow[] {
  const most = Math.floor(LANES / NAMED) - 1
  const isNamed = ({ lane }: LaneRow) => named !== null && (lane.parentId === null || named.has(lane.agentId))
  const names = new Set(rows.filter(isNamed).slice(0, most))
  const others = rows.length - names.size
  const sliver = Math.min(SLIVER, (LANES - 2 - names.size * NAMED) / Math.max(1, others))
  let top = 1
  return rows.map((row) => {
    const height = names.has(row) ? NAMED : sliver
    top += height
    return { ...row, isNamed: names.has(row), top: top - height, height }
  })
}

interface StripPicture {
  readonly timeline: Timeline
  readonly rows: readonly StripRow[]
  readonly live: boolean
  readonly cursor: number | null
}

function paintStrip(
  canvas: HTMLCanvasElement,
  { timeline, rows, live, cursor }: StripPicture,
  palette: CanvasColors,
): void {
  const painted = contextOf(canvas, palette)
  if (painted === null) return
  const { context, width, height } = painted
  const range = wholeOf(timeline, live)
  const end = rows.at(-1)
  const scale = end === undefined ? 1 : Math.min(1, (height - 2) / (end.top + end.height))
  const base = { range, width, now: range.to, selected: null, hovered: null, palette }
  for (const row of rows)
    paintSpans(context, row, {
      ...base,
      hidden: row.isNamed ? NOTHING : SLIVERS,
      middle: (row.top + row.height / 2) * scale,
      barHeight: row.isNamed ? 10 : Math.max(1, row.height * scale * 0.6),
    })
  const x = Math.min(width - 1, xOf(cursor ?? range.to, { range, width }))
  if (cursor !== null) {
    context.fillStyle = palette.of('color-mix(in oklab, var(--bg-0) 62%, transparent)')
    context.fillRect(x, 0, width - x, height)
  }
  if (!live && cursor === null) return
  context.fillStyle = palette.of('var(--accent)')
  context.fillRect(x, 0, 1, height)
}

const NOTHING = new Set<never>()
/** What would be noise in so little height. */
const SLIVERS = new Set(['agents', 'queued', 'retry', 'paused'] as const)
