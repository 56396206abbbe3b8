/** The stage: side bar, conversation and panels. The width of the window decides how they share it. */
import { useCallback, useEffect, useState } from 'react'
import { PhaseBar } from '../../features/phase-bar/phase-bar.tsx'
import { ReplayBar } from '../../features/timeline/replay-bar.tsx'
import { TimelineStrip } from '../../features/timeline/timeline-strip.tsx'
import { useChangesOf } from '../../stores/changes-store.ts'
import { changeColumnWidths, useColumnWidths } from '../../stores/column-widths.ts'
import { useShowsComparison } from '../../stores/comparison-store.ts'
import { useConversation, useMainAgentId } from '../../stores/conversation-store.ts'
import { useDrafts, writeTo } from '../../stores/draft-store.ts'
import { type Room, useRoom } from '../../stores/session-store.ts'
import {
  followProgress,
  progressOf,
  revealAgent,
  revealDone,
  selectAgent,
  showStagePart,
  useStage,
  useStagePart,
} from '../../stores/stage-store.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { Splitter } from '../../ui/splitter.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { ErrorBoundary, LineBoundary } from '../error-boundary.tsx'
import { ConversationColumn } from './conversation-column.tsx'
import { ShownPart, StageSwitch } from './shown-part.tsx'
import { SideBar } from './side-bar.tsx'

const SIDE = { initial: 240, min: 180, max: 420 }
const SIDE_COMPACT = 44
const TALK_MIN = 288
const PANEL_MIN = 360
const REPORTS = 330
const COMPARISON_MIN = 1100
const RAIL = 46
/** The conversation's share of the width beside the side bar. */
const TALK_SHARE = 0.3

export function StageView() {
  const room = useRoom()
  const conversationId = useConversation((state) => state.conversationId)
  const amount = useConversation((state) => state.agentIds.length)
  useChangesOf(conversationId)
  const part = useStagePart()
  const hasAgents = amount > 1 || part === 'changes'
  const mainAgentId = useMainAgentId()
  const [tab, setTab] = useTab()
  const columns = useColumns(room)

  const openAgent = useCallback(
    (agentId: string) => {
      if (agentId === mainAgentId) {
        setTab('talk')
        selectAgent(null)
        writeTo(null)
      } else {
        setTab('stage')
        revealAgent(agentId)
      }
    },
    [mainAgentId, setTab],
  )
  const writeToAgent = useCallback(
    (agentId: string) => {
      setTab('talk')
      writeTo(agentId === mainAgentId ? null : agentId)
    },
    [mainAgentId, setTab],
  )
  useRevealsOfMain(mainAgentId, setTab)
  useAnswerAtTheEnd()
  useEffect(() => {
    if (part === 'changes' || part === 'comparison') setTab('stage')
  }, [part, setTab])

  const showsComparison = useShowsComparison()
  const tabbed = room === 'narrow' && hasAgents
  const sideBySide = room !== 'narrow' && hasAgents
  const reads = sideBySide && part === 'answer'
  /** A comparison takes the width of the conversation, where it needs it. */
  const fills = sideBySide && columns.isTight && showsComparison
  const showTalk = !(tabbed || fills) || tab === 'talk'
  return (
    <div className="grid min-h-0 min-w-0 grid-cols-[auto_minmax(0,1fr)]">
      <div className="min-h-0" style={{ width: columns.side }}>
        <LineBoundary part="the side bar" resetKey={conversationId}>
          <SideBar
            compact={room !== 'wide'}
            onOpenAgent={openAgent}
            onWriteTo={writeToAgent}
            splitter={room === 'wide' && <Splitter label="Side bar width" {...columns.sideSplitter} />}
          />
        </LineBoundary>
      </div>
      <div className="flex min-h-0 min-w-0 flex-col">
        <LineBoundary part="the replay" resetKey={conversationId}>
          <ReplayBar />
        </LineBoundary>
        <LineBoundary part="the phases" resetKey={conversationId}>
          <PhaseBar />
        </LineBoundary>
        {tabbed && <Tabs tab={tab} agents={amount - 1} onChange={setTab} />}
        <div className="flex min-h-0 min-w-0 flex-1">
          {/* Always at the same position in the tree: draft and scroll position must survive the first agent. */}
          <div
            hidden={!showTalk}
            className={classNames(
              'min-h-0',
              sideBySide && 'border-line border-r',
              sideBySide && !reads ? 'shrink-0' : 'min-w-0 flex-1',
            )}
            style={sideBySide && !reads ? { width: columns.talk } : undefined}
          >
            <ErrorBoundary part="the conversation" resetKey={conversationId}>
              <ConversationColumn
                alone={!sideBySide || reads}
                lead={reads && <StageSwitch />}
                onOpenAgent={openAgent}
                splitter={
                  sideBySide && !reads && <Splitter label="Conversation width" {...columns.talkSplitter} />
                }
              />
            </ErrorBoundary>
          </div>
          {hasAgents && (sideBySide || !showTalk) && (
            // Without the conversation beside it, this is the main landmark.
            <div
              role={sideBySide && showTalk ? undefined : 'main'}
              className={classNames('flex min-h-0 min-w-0', reads ? 'shrink-0' : 'flex-1')}
              style={reads ? { width: REPORTS } : undefined}
            >
              {!(sideBySide && showTalk) && <h1 className="sr-only">Agents</h1>}
              <ErrorBoundary part="the stage" resetKey={conversationId}>
                <ShownPart
                  besideAnswer={reads}
                  talk={
                    fills ? { isShown: showTalk, toggle: () => setTab(showTalk ? 'stage' : 'talk') } : null
                  }
                />
              </ErrorBoundary>
            </div>
          )}
        </div>
        {amount > 1 && (
          <LineBoundary part="the timeline" resetKey={conversationId}>
            <TimelineStrip />
          </LineBoundary>
        )}
      </div>
    </div>
  )
}

/** Shows the answer when all agents have ended; a reveal of a subagent shows the panels. */
function useAnswerAtTheEnd(): void {
  const progress = useConversation((state) => progressOf(state.agents))
  const conversationId = useConversation((state) => state.conversationId)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each conversation is followed by itself
  useEffect(() => followProgress(progress, isTyping()), [progress, conversationId])
  const reveal = useStage((state) => state.reveal)
  const mainAgentId = useMainAgentId()
  useEffect(() => {
    if (reveal !== null && reveal.agentId !== mainAgentId) showStagePart('panels')
  }, [reveal, mainAgentId])
}

/** Whether the focus is in a field with text. */
function isTyping(): boolean {
  const { activeElement } = document
  if (activeElement instanceof HTMLTextAreaElement || activeElement instanceof HTMLInputElement)
    return activeElement.value !== ''
  return activeElement instanceof HTMLElement && activeElement.isContentEditable
}

type Tab = 'talk' | 'stage'

/** The tab of a narrow window. A focus request of the composer shows the conversation. */
function useTab() {
  const [tab, setTab] = useState<Tab>('talk')
  const request = useDrafts((state) => state.focusRequests)
  const [seen, setSeen] = useState(request)
  if (request !== seen) {
    setSeen(request)
    setTab('talk')
  }
  return [tab, setTab] as const
}

interface TabsProps {
  readonly tab: Tab
  readonly agents: number
  readonly onChange: (tab: Tab) => void
}

/** A narrow window shows either the conversation or the panels. */
function Tabs({ tab, agents, onChange }: TabsProps) {
  return (
    <nav
      aria-label="Conversation or agents"
      className="flex h-9 shrink-0 items-center border-line border-b bg-bg-1 px-2.5"
    >
      <Segmented
        label="Shown part"
        value={tab}
        options={[
          { value: 'talk', label: 'Conversation' },
          { value: 'stage', label: agents === 0 ? 'Changes' : `Agents · ${agents}` },
        ]}
        onChange={onChange}
      />
    </nav>
  )
}

/** The widths of the columns in px: the user's widths, within the limits of the window. */
function useColumns(room: Room) {
  const kept = useColumnWidths()
  const [windowWidth, setWindowWidth] = useState(window.innerWidth)
  useEffect(() => {
    const update = () => setWindowWidth(window.innerWidth)
    window.addEventListener('resize', update)
    return () => window.removeEventListener('resize', update)
  }, [])
  const side = room === 'wide' ? clamp(kept.side ?? SIDE.initial, SIDE.min, SIDE.max) : SIDE_COMPACT
  const left = windowWidth - RAIL - side
  const talkMax = Math.max(TALK_MIN, left - PANEL_MIN)
  // In a small window the conversation leaves the width of two panels, and the pixel between them.
  const besideTwo = left - 2 * PANEL_MIN - 1
  const byDefault = Math.min(Math.round(left * TALK_SHARE), Math.max(TALK_MIN, besideTwo))
  const talk = clamp(kept.talk ?? byDefault, TALK_MIN, talkMax)
  return {
    side,
    talk,
    isTight: left - talk < COMPARISON_MIN,
    sideSplitter: {
      size: side,
      min: SIDE.min,
      max: SIDE.max,
      onResize: (width: number) => changeColumnWidths({ side: width }),
      onReset: () => changeColumnWidths({ side: null }),
    },
    talkSplitter: {
      size: talk,
      min: TALK_MIN,
      max: talkMax,
      onResize: (width: number) => changeColumnWidths({ talk: width }),
      onReset: () => changeColumnWidths({ talk: null }),
    },
  }
}

/** A reveal shows the tab of its agent. Reveals of the main agent are done here. */
function useRevealsOfMain(mainAgentId: string | null, setTab: (tab: Tab) => void): void {
  const reveal = useStage((state) => state.reveal)
  useEffect(() => {
    if (reveal === null) return
    if (reveal.agentId !== mainAgentId) return setTab('stage')
    setTab('talk')
    revealDone(reveal)
    requestAnimationFrame(() => {
      const selector = reveal.kind === 'request' ? `[data-request="${CSS.escape(reveal.requestId)}"]` : null
      if (selector !== null) document.querySelector<HTMLElement>(selector)?.focus()
    })
  }, [reveal, mainAgentId, setTab])
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, value))
}
