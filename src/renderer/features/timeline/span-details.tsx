/** Below the lanes: the selected span, its output, and its turn; without one, what took the time and what cost the money. */
import { Copy } from 'lucide-react'
import { type ReactNode, useDeferredValue, useEffect, useMemo, useState } from 'react'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import { spansOf } from '../../../shared/timeline/lane.ts'
import type { Span } from '../../../shared/timeline/span.ts'
import type { Timeline } from '../../../shared/timeline/timeline.ts'
import { addSums, sumSpans } from '../../../shared/timeline/timeline-sums.ts'
import { command } from '../../bridge.ts'
import { useAgent, useAgentName, useAgentTitle, useConversation } from '../../stores/conversation-store.ts'
import { showNotice } from '../../stores/overlay-store.ts'
import { useReplay } from '../../stores/replay-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { stripTerminal } from '../../ui/ansi.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dot } from '../../ui/dot.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { AgentNameLine } from '../../ui/text/agent-name.tsx'
import { markOf } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { copyText } from '../../ui/text/copy-text.ts'
import { count, formatMoney, formatTokens, tokensText } from '../../ui/text/format.ts'
import { kindText, lengthText, outcomeText, timesText } from './span-text.ts'
import { SpanTurn, TimelineHeading } from './span-turn.tsx'
import { KindSample } from './timeline-filters.tsx'
import { isSame, type Range, useLook, useSettledRange } from './timeline-store.ts'

interface SpanDetailsProps {
  readonly timeline: Timeline
  /** Of the timeline, which changes in place. */
  readonly version: number
  readonly whole: Range
  readonly isWide: boolean
  readonly onOpen: (span: Span) => void
  /** Moves the replay to a moment; null: it can't be replayed. */
  readonly onCursor: ((at: number) => void) | null
}

export function SpanDetails(props: SpanDetailsProps) {
  const { timeline, isWide } = props
  const selected = useLook((state) => state.selected)
  const lane = selected === null ? undefined : timeline.lanes[selected.agentId]
  const spans = lane === undefined ? [] : spansOf(lane)
  const span = spans.find((one) => isSame(one, selected))
  return (
    <section
      aria-label="Details"
      className={classNames(
        'grid shrink-0 border-line-strong border-t bg-bg-1 [&>section]:min-w-0 [&>section]:overflow-hidden [&>section]:px-3.5 [&>section]:py-2.5 [&>section+section]:border-line [&>section+section]:border-l',
        isWide ? 'h-[226px]' : 'h-[162px]',
        span === undefined
          ? 'grid-cols-2'
          : isWide
            ? 'grid-cols-[384px_minmax(0,1fr)_330px]'
            : 'grid-cols-[384px_minmax(0,1fr)]',
      )}
    >
      {span === undefined ? (
        <Shares {...props} />
      ) : (
        <>
          <SpanFacts {...props} span={span} spans={spans} />
          <SpanOutput key={`${span.agentId} ${span.seq} ${span.from} ${span.to}`} span={span} />
          {isWide && <SpanTurn {...props} span={span} spans={spans} />}
        </>
      )}
    </section>
  )
}

interface SpanProps extends SpanDetailsProps {
  readonly span: Span
  /** Of the same agent. */
  readonly spans: readonly Span[]
}

function SpanFacts({ span, timeline, whole, onOpen, onCursor }: SpanProps) {
  const agent = useAgent(span.agentId)
  const name = useAgentName(span.agentId)
  const title = 'title' in span ? span.title : ''
  const outcome = outcomeText(span)
  const turn = span.turn > 0 ? `turn ${span.turn}${agent === undefined ? '' : ` of ${agent.maxTurns}`}` : ''
  const copy = async () => {
    const copied = await copyText(title === '' ? kindText(span) : title)
    showNotice(
      copied
        ? { level: 'info', text: 'Copied.' }
        : { level: 'error', text: 'The system did not allow copying.' },
    )
  }
  return (
    <section className="flex flex-col" style={agentStyle(agent?.definition.color ?? '')}>
      <TimelineHeading quiet={turn}>
        {agent !== undefined && <Dot status={markOf(agent)} />}
        <AgentNameLine name={name} />
      </TimelineHeading>
      <code
        data-selectable=""
        className="mt-1.5 block shrink-0 truncate rounded-sm bg-bg-0 px-2 py-1 font-mono text-fg-0 text-xs leading-normal"
      >
        {title === '' ? kindText(span) : title}
      </code>
      <dl className="my-2 grid grid-cols-[68px_minmax(0,1fr)] gap-x-2.5 gap-y-0.5 text-fg-1 text-sm">
        <Fact name="What">{title === '' && span.kind === 'model' ? span.model : kindText(span)}</Fact>
        <Fact name="When">
          <span className="font-mono text-xs tabular-nums">
            {timesText(span, { origin: timeline.from, now: whole.to })}
          </span>
        </Fact>
        {outcome !== '' && (
          <Fact name="Ended">
            <span className={'outcome' in span && span.outcome === 'failed' ? 'text-bad' : undefined}>
              {outcome}
            </span>
          </Fact>
        )}
        {span.spent !== null && (
          <Fact name="Spent">
            {tokensText(span.spent)} · {span.spent.priced ? formatMoney(span.spent.costUsd) : 'unknown cost'}
          </Fact>
        )}
      </dl>
      <div className="mt-auto flex items-center gap-1.5">
        <Button onClick={() => onOpen(span)}>
          Show in the transcript <Kbd keys="Enter" />
        </Button>
        {onCursor !== null && (
          <Button onClick={() => onCursor(span.from)}>
            Replay from here <Kbd keys="C" />
          </Button>
        )}
        <IconButton label="Copy" icon={Copy} onClick={() => void copy()} />
      </div>
    </section>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-2">{name}</dt>
      <dd className="truncate">{children}</dd>
    </>
  )
}

/** Events after the first one of a span in which its output is looked for. */
const FOLLOWING = 400

function SpanOutput({ span }: { readonly span: Span }) {
  const [text, setText] = useState<string | null>(null)
  const conversationId = useConversation((state) => state.conversationId)
  useEffect(() => {
    let isShown = true
    const { agentId, seq } = span
    if (conversationId === null) return
    void command('agent.transcript', {
      conversationId,
      agentId,
      before: seq + FOLLOWING,
      limit: FOLLOWING,
    }).then((answer) => {
      if (isShown) setText(answer.ok ? outputOf(span, answer.value.events) : answer.failure.message)
    })
    return () => {
      isShown = false
    }
  }, [span, conversationId])
  const lines = text === null || text === '' ? 0 : text.split('\n').length
  return (
    <section className="flex min-h-0 flex-col">
      <TimelineHeading {...(lines > 0 && { quiet: count(lines, 'line') })}>
        {span.kind === 'user' ? 'Question' : 'Output'}
      </TimelineHeading>
      <pre
        data-selectable=""
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        className="mt-1.5 min-h-0 flex-1 overflow-auto whitespace-pre-wrap rounded-sm bg-bg-0 px-3 py-2 font-mono text-fg-1 text-xs leading-[1.55]"
      >
        {text === null ? '' : text === '' ? 'No output.' : text}
      </pre>
    </section>
  )
}

const OUTPUT_LENGTH = 20_000

/** What came of a span, from the events that follow its start. */
function outputOf(span: Span, events: readonly AgentEvent[]): string {
  const after = events.filter(({ seq }) => seq >= span.seq)
  if (span.kind === 'tool') {
    const end = after.find((event) => event.type === 'tool-ended' && event.toolUseId === span.toolUseId)
    if (end?.type === 'tool-ended') return stripTerminal(textOf(end.content)).slice(0, OUTPUT_LENGTH)
    return span.to === null ? 'It still runs: its panel shows the output.' : 'The transcript has the output.'
  }
  if (span.kind === 'model') {
    const answer = after.find(({ type }) => type === 'assistant-message' || type === 'request-failed')
    if (answer?.type === 'assistant-message') return textOf(answer.content).slice(0, OUTPUT_LENGTH)
    return answer?.type === 'request-failed' ? answer.failure.message : ''
  }
  if (span.kind === 'user') {
    const asked = after[0]
    if (asked?.type === 'permission-asked')
      return `${asked.subject.text}\n\n${asked.because}`.slice(0, OUTPUT_LENGTH)
  }
  return 'title' in span ? span.title : ''
}

/** What took the time and what cost the money, in the part in view. */
function Shares({ timeline, version, whole, isWide }: SpanDetailsProps) {
  const range = useSettledRange()
  // The lanes go first while a replay plays.
  const cursor = useDeferredValue(useReplay((state) => state.at))
  const { from } = range ?? whole
  const to = Math.min((range ?? whole).to, cursor ?? Number.POSITIVE_INFINITY)
  const part = cursor !== null ? 'up to the cursor' : range === null ? 'in all' : 'in view'
  // biome-ignore lint/correctness/useExhaustiveDependencies: the timeline changes in place
  const sums = useMemo(
    () =>
      addSums(
        Object.values(timeline.lanes).map((lane) => sumSpans(spansOf(lane), { from, to, agentIds: null })),
      ),
    [timeline, version, from, to],
  )
  return (
    <>
      <section>
        <TimelineHeading quiet={part}>What took the time</TimelineHeading>
        <ShareList
          entries={sums.time.slice(0, isWide ? 7 : 5).map(({ kind, name, ms, spans, failed }) => ({
            key: `${kind} ${name}`,
            sample: <KindSample kind={kind} />,
            name: kind === 'model' ? name || 'model' : kind === 'tool' ? name : kindName(kind),
            quiet: `${count(spans, 'time')}${failed > 0 ? `, ${failed} failed` : ''}`,
            value: lengthText(ms),
          }))}
        />
      </section>
      <section>
        <TimelineHeading quiet={part}>What cost the money</TimelineHeading>
        <ShareList
          entries={sums.money
            .slice(0, isWide ? 7 : 5)
            .map(({ agentId: spender, model, tokens, costUsd }) => ({
              key: `${spender} ${model}`,
              sample: <SpenderDot agentId={spender} />,
              name: <Spender agentId={spender} />,
              quiet: `${model} · ${formatTokens(tokens)} tokens`,
              value: formatMoney(costUsd),
            }))}
        />
      </section>
    </>
  )
}

const kindName = (kind: Span['kind']) =>
  ({
    model: 'model',
    tool: 'tools',
    user: 'waited for you',
    agents: 'waited for agents',
    queued: 'queued',
    retry: 'retries',
    paused: 'paused',
  })[kind]

function Spender({ agentId }: { readonly agentId: string }) {
  return <>{useAgentTitle(agentId)}</>
}

function SpenderDot({ agentId }: { readonly agentId: string }) {
  const agent = useAgent(agentId)
  return (
    <span style={agentStyle(agent?.definition.color ?? '')} className="grid w-4 place-items-center">
      <Dot status="waiting" />
    </span>
  )
}

interface ShareEntry {
  readonly key: string
  readonly sample: ReactNode
  readonly name: ReactNode
  readonly quiet: string
  readonly value: string
}

function ShareList({ entries }: { readonly entries: readonly ShareEntry[] }) {
  if (entries.length === 0) return <p className="mt-2 text-fg-2 text-sm">Nothing yet.</p>
  return (
    <ul className="mt-1.5 grid gap-1 text-fg-1 text-sm">
      {entries.map(({ key, sample, name, quiet, value }) => (
        <li key={key} className="grid grid-cols-[16px_minmax(0,auto)_minmax(0,1fr)_auto] items-center gap-2">
          {sample}
          <span className="truncate">{name}</span>
          <span className="truncate text-fg-2 text-xs tabular-nums">{quiet}</span>
          <span className="font-mono text-fg-0 text-xs tabular-nums">{value}</span>
        </li>
      ))}
    </ul>
  )
}
