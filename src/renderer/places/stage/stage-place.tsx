/** The stage: side bar, conversation, panels. How they share the window depends on its room. */
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { useConversation, useMainAgentId } from '../../stores/conversation-store.ts'
import { useDrafts, writeTo } from '../../stores/draft-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { revealAgent, revealDone, selectAgent, useStage } from '../../stores/stage-store.ts'
import { type Room, useRoom } from '../../stores/window-room.ts'
import { classNames } from '../../ui/class-names.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { Splitter } from '../../ui/splitter.tsx'
import { ErrorBoundary } from '../error-boundary.tsx'
import { useColumnWidths } from './column-widths.ts'
import { ConversationColumn } from './conversation-column.tsx'
import { SideBar } from './side-bar.tsx'

const StagePanelsArea = lazy(async () => ({
  default: (await import('./stage-panels-area.tsx')).StagePanelsArea,
}))

const SIDE = { usual: 232, min: 180, max: 420 }
const SIDE_COMPACT = 48
const TALK_MIN = 340
const PANEL_MIN = 360
const RAIL = 46
/** The conversation's share of what the side bar leaves. */
const TALK_SHARE = 0.3

export function StagePlace() {
  const room = useRoom()
  const conversationId = useConversation((state) => state.conversationId)
  const amount = useConversation((state) => state.agentIds.length)
  const hasAgents = amount > 1
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

  const tabbed = room === 'narrow' && hasAgents
  const sideBySide = room !== 'narrow' && hasAgents
  const showTalk = !tabbed || tab === 'talk'
  return (
    <div className="grid min-h-0 min-w-0 grid-cols-[auto_minmax(0,1fr)]">
      <div className="min-h-0" style={{ width: columns.side }}>
        <SideBar
          compact={room !== 'wide'}
          onOpenAgent={openAgent}
          onWriteTo={writeToAgent}
          splitter={room === 'wide' && <Splitter label="Width of the side bar" {...columns.sideSplitter} />}
        />
      </div>
      <div className="flex min-h-0 min-w-0 flex-col">
        {tabbed && <Tabs tab={tab} agents={amount - 1} onChange={setTab} />}
        <div className="flex min-h-0 min-w-0 flex-1">
          {/* Always at the same place of the tree: what is being written and read must outlive the first agent. */}
          <div
            hidden={!showTalk}
            className={classNames('min-h-0', sideBySide ? 'shrink-0 border-line border-r' : 'min-w-0 flex-1')}
            style={sideBySide ? { width: columns.talk } : undefined}
          >
            <ErrorBoundary part="the conversation" resetKey={conversationId}>
              <ConversationColumn
                alone={!sideBySide}
                onOpenAgent={openAgent}
                splitter={
                  sideBySide && <Splitter label="Width of the conversation" {...columns.talkSplitter} />
                }
              />
            </ErrorBoundary>
          </div>
          {hasAgents && (sideBySide || !showTalk) && (
            // What is alone on the screen is the main thing.
            <div role={sideBySide ? undefined : 'main'} className="flex min-h-0 min-w-0 flex-1">
              {!sideBySide && <h1 className="sr-only">Agents</h1>}
              <ErrorBoundary part="the stage" resetKey={conversationId}>
                <Suspense fallback={<div className="flex-1 bg-bg-0" />}>
                  <StagePanelsArea />
                </Suspense>
              </ErrorBoundary>
            </div>
          )}
        </div>
      </div>
    </div>
  )
}

type Tab = 'talk' | 'stage'

/** What wants the composer brings its tab to the front. */
function useTab() {
  const [tab, setTab] = useState<Tab>('talk')
  const wish = useDrafts((state) => state.focusWish)
  const [seen, setSeen] = useState(wish)
  if (wish !== seen) {
    setSeen(wish)
    setTab('talk')
  }
  return [tab, setTab] as const
}

interface TabsProps {
  readonly tab: Tab
  readonly agents: number
  readonly onChange: (tab: Tab) => void
}

/** In a narrow window the conversation and the panels take turns. */
function Tabs({ tab, agents, onChange }: TabsProps) {
  return (
    <nav
      aria-label="Conversation or agents"
      className="flex h-9 shrink-0 items-center border-line border-b bg-bg-1 px-2.5"
    >
      <Segmented
        label="What is shown"
        value={tab}
        options={[
          { value: 'talk', label: 'Conversation' },
          { value: 'stage', label: `Agents · ${agents}` },
        ]}
        onChange={onChange}
      />
    </nav>
  )
}

/** The widths of the columns in px: as they were dragged, within what the window can give. */
function useColumns(room: Room) {
  const [kept, change] = useColumnWidths()
  const [windowWidth, setWindowWidth] = useState(window.innerWidth)
  useEffect(() => {
    const look = () => setWindowWidth(window.innerWidth)
    window.addEventListener('resize', look)
    return () => window.removeEventListener('resize', look)
  }, [])
  const textSize = useSession((state) => state.settings.textSize)
  const side =
    room === 'wide'
      ? clamp(kept.side ?? Math.round((SIDE.usual * textSize) / 100), SIDE.min, SIDE.max)
      : Math.round((SIDE_COMPACT * textSize) / 100)
  const left = windowWidth - RAIL - side
  const talkMax = Math.max(TALK_MIN, left - PANEL_MIN)
  const talk = clamp(kept.talk ?? Math.round(left * TALK_SHARE), TALK_MIN, talkMax)
  return {
    side,
    talk,
    sideSplitter: {
      size: side,
      min: SIDE.min,
      max: SIDE.max,
      onResize: (width: number) => change({ side: width }),
      onReset: () => change({ side: null }),
    },
    talkSplitter: {
      size: talk,
      min: TALK_MIN,
      max: talkMax,
      onResize: (width: number) => change({ talk: width }),
      onReset: () => change({ talk: null }),
    },
  }
}

/** What asks to see the main agent, or anything on a tab that is hidden, brings that tab to the front. */
function useRevealsOfMain(mainAgentId: string | null, setTab: (tab: Tab) => void): void {
  const reveal = useStage((state) => state.reveal)
  useEffect(() => {
    if (reveal === null) return
    if (reveal.agentId !== mainAgentId) return setTab('stage')
    setTab('talk')
    revealDone(reveal)
    requestAnimationFrame(() => {
      const question = reveal.kind === 'prompt' ? `[data-prompt="${CSS.escape(reveal.promptId)}"]` : null
      if (question !== null) document.querySelector<HTMLElement>(question)?.focus()
    })
  }, [reveal, mainAgentId, setTab])
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, value))
}
