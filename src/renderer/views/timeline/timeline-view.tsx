/** The view Timeline: what each agent of a conversation did when, with what it took and cost. */
import { ChartNoAxesGantt, Download } from 'lucide-react'
import { type ReactNode, useCallback, useMemo } from 'react'
import { isLive } from '../../../shared/state/agent-state.ts'
import type { Span } from '../../../shared/timeline/span.ts'
import type { Timeline } from '../../../shared/timeline/timeline.ts'
import { laneRows } from '../../features/timeline/lanes.ts'
import { ReplayControls, stepReplay } from '../../features/timeline/replay-controls.tsx'
import { SpanDetails } from '../../features/timeline/span-details.tsx'
import { TimelineFilters } from '../../features/timeline/timeline-filters.tsx'
import { TimelineKeys } from '../../features/timeline/timeline-keys.tsx'
import { TimelineLanes } from '../../features/timeline/timeline-lanes.tsx'
import { useLook, useTimeline } from '../../features/timeline/timeline-store.ts'
import { exportConversation } from '../../stores/conversation-actions.ts'
import { agentTitle, useConversation } from '../../stores/conversation-store.ts'
import { focusComposer } from '../../stores/draft-store.ts'
import { useStatusText } from '../../stores/overlay-store.ts'
import { leaveReplay, pauseReplay, replayAt, togglePlay, useReplay } from '../../stores/replay-store.ts'
import { setView, useRoom, useSession } from '../../stores/session-store.ts'
import { switchConversation } from '../../stores/shown-conversation.ts'
import { showPlace } from '../../stores/shown-place.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useNow } from '../../ui/machine.ts'
import { SelectMenu } from '../../ui/menu.tsx'
import { ViewHeader } from '../../ui/view-header.tsx'

const KEY_HINTS = 'Space plays · N P stops · J K agents · ← → spans · + - zoom · / filters'

export function TimelineView() {
  const { phase, problem, timeline, version } = useTimeline()
  const isOpening = useConversation((state) => state.conversationId !== null && state.phase !== 'failed')
  const isWide = useRoom() === 'wide'
  const isEmpty = phase !== 'ready' || Object.keys(timeline.lanes).length === 0
  useStatusText({ start: null, end: isWide && !isEmpty ? KEY_HINTS : null })
  if (phase === 'failed')
    return (
      <Nothing title="This timeline can’t be read">
        <p data-selectable="">{problem}</p>
      </Nothing>
    )
  if (phase === 'loading' || (phase === 'none' && isOpening)) return <Frame isBusy />
  if (isEmpty)
    return (
      <Nothing
        title="Nothing has happened yet"
        actions={
          <Button variant="primary" onClick={writeMessage}>
            Write a message
          </Button>
        }
      >
        A lane for each agent shows when the model worked, which tools ran, and who waited for whom. It begins
        with the first message of a conversation.
      </Nothing>
    )
  return <Lanes timeline={timeline} version={version} problem={problem} isWide={isWide} />
}

function writeMessage(): void {
  setView('stage')
  focusComposer()
}

interface LanesProps {
  readonly timeline: Timeline
  readonly version: number
  readonly problem: string | null
  readonly isWide: boolean
}

function Lanes({ timeline, version, problem, isWide }: LanesProps) {
  const conversationId = useConversation((state) => state.conversationId)
  const agents = useConversation((state) => state.agents)
  const words = useLook((state) => state.words)
  const live = useConversation((state) => [...state.agents.values()].some(isLive))
  const now = useNow(live)
  const { at: cursor } = useReplay()
  const to = Math.max(timeline.to, live && cursor === null ? now : 0, timeline.from + 1000)
  const whole = useMemo(() => ({ from: timeline.from, to }), [timeline.from, to])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the timeline changes in place
  const rows = useMemo(() => {
    const nameOf = (agentId: string) => {
      const agent = agents.get(agentId)
      return agent === undefined ? '' : agentTitle(agent, agents)
    }
    return laneRows({ timeline, words, nameOf })
  }, [timeline, version, agents, words])
  const open = useCallback(
    ({ agentId, seq }: Span) => {
      if (conversationId !== null) void showPlace({ conversationId, agentId, sequence: seq })
    },
    [conversationId],
  )
  const drag = (at: number) => {
    pauseReplay()
    replayAt(at, timeline)
  }
  const onKey = (key: string): boolean => {
    const { selected } = useLook.getState()
    if (key === '/') document.querySelector<HTMLElement>('[data-timeline-filter]')?.focus()
    else if (key === ' ') togglePlay(timeline)
    else if (key === 'n') stepReplay(timeline, false)
    else if (key === 'p') stepReplay(timeline, true)
    else if (key === 'c' && selected !== null) drag(selected.from)
    else if (key === 'Escape' && cursor !== null) void leaveReplay()
    else return false
    return true
  }
  return (
    <TimelineKeys timeline={timeline} version={version} rows={rows} whole={whole} onOpen={open} onKey={onKey}>
      {(list) => (
        <Frame controls={<ReplayControls timeline={timeline} isWide={isWide} />}>
          <TimelineFilters whole={whole} isWide={isWide} />
          {problem !== null && (
            <p className="shrink-0 border-line border-b bg-bg-1 px-3 py-1 text-bad text-sm">
              The rest can’t be read: {problem}
            </p>
          )}
          <TimelineLanes
            timeline={timeline}
            version={version}
            rows={rows}
            whole={whole}
            isWide={isWide}
            cursor={cursor}
            onCursor={drag}
            onOpen={open}
            list={list}
          />
          <SpanDetails
            timeline={timeline}
            version={version}
            whole={whole}
            isWide={isWide}
            onOpen={open}
            onCursor={drag}
          />
        </Frame>
      )}
    </TimelineKeys>
  )
}

interface FrameProps {
  readonly isBusy?: boolean
  readonly controls?: ReactNode
  readonly children?: ReactNode
}

function Frame({ isBusy = false, controls, children }: FrameProps) {
  return (
    <main aria-busy={isBusy} className="flex h-full min-h-0 min-w-0 flex-col">
      <ViewHeader title="Timeline">
        <ConversationChoice />
        {controls}
        {controls !== undefined && (
          <span className="ml-auto">
            <Button onClick={() => exportConversation()}>
              <Download size={13} aria-hidden="true" /> Export…
            </Button>
          </span>
        )}
      </ViewHeader>
      {children}
    </main>
  )
}

function Nothing(props: {
  readonly title: string
  readonly children: ReactNode
  readonly actions?: ReactNode
}) {
  return (
    <Frame>
      <EmptyState icon={ChartNoAxesGantt} title={props.title} actions={props.actions}>
        {props.children}
      </EmptyState>
    </Frame>
  )
}

/** The conversations of the folder; the view shows the timeline of the chosen one. */
function ConversationChoice() {
  const folder = useSession((state) => state.folder?.path)
  const conversations = useSession((state) => state.conversations)
  const shown = useConversation((state) => state.conversationId)
  const options = conversations
    .filter((one) => one.folder === folder)
    .map(({ id, title }) => ({ value: id, label: title }))
  if (options.length === 0) return null
  return (
    <SelectMenu
      label="Conversation"
      value={shown ?? ''}
      options={options.slice(0, 200)}
      onChange={(id) => void switchConversation(id)}
    />
  )
}
