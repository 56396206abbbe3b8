/** The turn of a span: how its time is shared, what it read from the cache, and whom the agent wrote to. */
import { CornerDownRight, Database, MoveRight } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Span } from '../../../shared/timeline/span.ts'
import type { Timeline } from '../../../shared/timeline/timeline.ts'
import { useAgent, useAgentTitle } from '../../stores/conversation-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { count, formatMoney, formatTokens } from '../../ui/text/format.ts'
import { timeOf } from './paint-ruler.ts'
import { kindText, lengthText } from './span-text.ts'
import type { Range } from './timeline-store.ts'

/** The first line of a part of the details. */
export function TimelineHeading({
  children,
  quiet,
}: {
  readonly children: ReactNode
  readonly quiet?: string
}) {
  return (
    <h2 className="flex h-5 items-center gap-2 font-semibold text-fg-0 text-sm">
      {children}
      {quiet !== undefined && <span className="truncate font-normal text-fg-2 tabular-nums">{quiet}</span>}
    </h2>
  )
}

interface SpanTurnProps {
  readonly timeline: Timeline
  readonly whole: Range
  readonly span: Span
  /** Of the same agent. */
  readonly spans: readonly Span[]
}

/** How the time of a turn is shared, and whom the agent wrote to meanwhile. */
export function SpanTurn({ span, spans, timeline, whole }: SpanTurnProps) {
  const agent = useAgent(span.agentId)
  const turn = spans.filter((one) => one.turn === span.turn)
  const end = Math.max(...turn.map(({ to }) => to ?? whole.to))
  const start = Math.min(...turn.map(({ from }) => from))
  const cost = turn.reduce((sum, { spent }) => sum + (spent?.costUsd ?? 0), 0)
  const read = turn.reduce(
    (sum, { spent }) =>
      sum + (spent === null ? 0 : spent.usage.input + spent.usage.cacheRead + spent.usage.cacheWrite),
    0,
  )
  const cached = turn.reduce((sum, { spent }) => sum + (spent?.usage.cacheRead ?? 0), 0)
  const arrows = timeline.arrows.filter(
    ({ kind, from, to, at }) =>
      (kind === 'message' && from === span.agentId && at >= start && at <= end) ||
      (kind === 'start' && to === span.agentId),
  )
  const parts = turnParts(turn, whole.to)
  const all = parts.reduce((sum, { ms }) => sum + ms, 0) || 1
  return (
    <section style={agentStyle(agent?.definition.color ?? '')}>
      <TimelineHeading quiet={`${lengthText(end - start)} · ${formatMoney(cost)}`}>
        Turn {span.turn}
      </TimelineHeading>
      <div aria-hidden="true" className="my-2 flex h-2.5 gap-px overflow-hidden rounded-[3px]">
        {parts.map(({ name, ms, look }) => (
          <span key={name} className={look} style={{ width: `${(ms / all) * 100}%` }} />
        ))}
      </div>
      <div className="grid grid-cols-[10px_minmax(0,1fr)_auto] items-center gap-x-2 gap-y-[3px] text-fg-1 text-sm">
        {parts.slice(0, 4).map(({ name, ms, look }) => (
          <div key={name} className="contents">
            <span aria-hidden="true" className={classNames('size-2.5 rounded-[2px]', look)} />
            <span className="truncate">{name}</span>
            <span className="font-mono text-fg-2 text-xs tabular-nums">{lengthText(ms)}</span>
          </div>
        ))}
      </div>
      <div className="mt-2 grid gap-[3px] border-line border-t pt-2 text-fg-1 text-sm">
        {read > 0 && (
          <p className="grid grid-cols-[13px_minmax(0,1fr)] items-center gap-2">
            <Database size={13} aria-hidden="true" className="text-fg-2" />
            {formatTokens(read)} read, {Math.round((cached / read) * 100)}% of it from the cache
          </p>
        )}
        {arrows.slice(0, 3).map((arrow) => (
          <Link
            key={`${arrow.kind} ${arrow.at} ${arrow.to}`}
            agentId={arrow.kind === 'start' ? arrow.from : arrow.to}
            text={arrow.kind === 'start' ? 'started by' : 'wrote to'}
            time={timeOf(arrow.at - timeline.from, 100)}
          />
        ))}
      </div>
    </section>
  )
}

function Link({
  agentId,
  text,
  time,
}: {
  readonly agentId: string | null
  readonly text: string
  readonly time: string
}) {
  const name = useAgentTitle(agentId)
  const Icon = text === 'wrote to' ? MoveRight : CornerDownRight
  return (
    <p className="grid grid-cols-[13px_minmax(0,1fr)_auto] items-center gap-2">
      <Icon size={13} aria-hidden="true" className="text-fg-2" />
      <span className="truncate">
        {text} <b className="font-medium text-fg-0">{name}</b>
      </span>
      <span className="font-mono text-fg-2 text-xs tabular-nums">{time}</span>
    </p>
  )
}

interface TurnPart {
  readonly name: string
  readonly ms: number
  readonly look: string
}

/** The time to the first word, the model, and each tool, in this order. */
function turnParts(turn: readonly Span[], now: number): readonly TurnPart[] {
  const parts = new Map<string, TurnPart>()
  const add = (name: string, ms: number, look: string) => {
    const before = parts.get(name)?.ms ?? 0
    if (ms > 0) parts.set(name, { name, ms: before + ms, look })
  }
  for (const span of turn) {
    const ms = (span.to ?? now) - span.from
    if (span.kind === 'model') {
      const first = Math.min(span.firstWordMs ?? 0, ms)
      add('to the first word', first, 'bg-line-strong')
      add(paceText(span, ms - first), ms - first, 'bg-[color-mix(in_oklab,var(--agent)_30%,var(--bg-1))]')
    } else if (span.kind === 'tool') add(span.name, ms, 'bg-agent')
    else add(kindText(span), ms, span.kind === 'user' ? 'bg-needs-you' : 'bg-fg-3')
  }
  return [...parts.values()]
}

/** "model, 311 tokens at 111 a second". */
function paceText({ spent }: Span, ms: number): string {
  if (spent === null || ms < 100) return 'model'
  const { output } = spent.usage
  return `model, ${count(output, 'token')} at ${Math.round(output / (ms / 1000))} a second`
}
