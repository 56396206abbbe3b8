/** The view Mailbox & teams: the agents of a team, their tasks, and the messages between them. */
import { MessagesSquare, Users } from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react'
import { threadKeyOf, USER } from '../../../shared/state/message-log.ts'
import type { Team } from '../../../shared/teams/team-schema.ts'
import { PhaseBar } from '../../features/phase-bar/phase-bar.tsx'
import { PeopleList } from '../../features/teams/people-list.tsx'
import { TaskBoardView } from '../../features/teams/task-board.tsx'
import { TeamComposer } from '../../features/teams/team-composer.tsx'
import { TeamDialogs } from '../../features/teams/team-dialogs.tsx'
import { TeamHeader } from '../../features/teams/team-header.tsx'
import {
  selectThread,
  showTeamDialog,
  useTeam,
  useTeams,
  writeInTeam,
} from '../../features/teams/teams-store.ts'
import { ThreadList, useThreads } from '../../features/teams/thread-list.tsx'
import { ThreadMessages } from '../../features/teams/thread-messages.tsx'
import { useConversation, useMainAgentId } from '../../stores/conversation-store.ts'
import { changeDraft, draftKeyNow, draftOf, focusComposer, isEmptyDraft } from '../../stores/draft-store.ts'
import { useStatusText } from '../../stores/overlay-store.ts'
import { setView, useRoom, useSession } from '../../stores/session-store.ts'
import { revealAgent } from '../../stores/stage-store.ts'
import { loadMailboxes, loadWorkers, useWorkers } from '../../stores/teams-and-workers.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Splitter } from '../../ui/splitter.tsx'
import { ViewHeader } from '../../ui/view-header.tsx'

const KEY_HINTS = 'J K move · Enter opens the panel · M writes · N new task'

export function TeamsView() {
  const phase = useConversation((state) => state.phase)
  const failure = useConversation((state) => state.failure)
  const agents = useConversation((state) => state.agentIds.length)
  const conversationId = useConversation((state) => state.conversationId)
  useMailboxes()
  const room = useRoom()
  const isEmpty = phase !== 'ready' || agents === 0
  useStatusText({ start: null, end: room === 'wide' && !isEmpty ? KEY_HINTS : null })
  if (phase === 'failed')
    return (
      <Empty title="This conversation can’t be read">
        <p data-selectable="">{failure}</p>
      </Empty>
    )
  if (isEmpty) return <NothingYet isLoading={phase === 'loading'} />
  return <Teams key={conversationId} />
}

function Teams() {
  const team = useTeam()
  const wanted = useTeams((state) => state.scope)
  const scope = team === null ? 'all' : wanted
  const shownTeam = scope === 'team' ? team : null
  const agentCount = useConversation((state) => state.agentIds.length)
  const boxes = useWorkers((state) => state.mailboxes.length)
  const hasTasks = useConversation((state) => (state.record?.tasks.length ?? 0) > 0)
  const [boardHeight, splitter] = useBoardHeight()
  const [selectedId, setSelectedId] = useState<string | null>(null)
  const composer = useRef<HTMLTextAreaElement>(null)
  const mainAgentId = useMainAgentId()
  const focusWriting = useCallback(() => composer.current?.focus(), [])
  const people = useRef<HTMLElement>(null)
  const focusPeople = () => people.current?.querySelector<HTMLElement>('[data-focus-home]')?.focus()
  const select = useCallback((agentId: string) => {
    setSelectedId(agentId)
    selectThread(threadKeyOf(USER, agentId))
    writeInTeam(agentId)
  }, [])
  const open = useCallback(
    (agentId: string) => {
      setView('stage')
      if (agentId === mainAgentId) focusComposer()
      else revealAgent(agentId)
    },
    [mainAgentId],
  )
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    // Keys in dialogs and menus come here too, though they stand elsewhere on the page.
    const elsewhere = 'input, textarea, [role="menu"], [role="dialog"]'
    if (event.target instanceof Element && event.target.closest(elsewhere) !== null) return
    if (event.key.toLowerCase() === 'n' && !useConversation.getState().readOnly)
      showTeamDialog({ kind: 'new-task' })
    else if (event.key.toLowerCase() === 'm') focusWriting()
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys work wherever the focus is inside the view
    <div
      onKeyDown={onKeyDown}
      data-focus-fallback=""
      tabIndex={-1}
      className="flex h-full min-h-0 min-w-0 flex-col outline-none"
    >
      <TeamHeader team={team} scope={scope} mailboxes={agentCount + boxes} />
      {team === null && <NoTeam />}
      <PhaseBar />
      <div className="flex min-h-0 min-w-0 flex-1">
        <aside
          ref={people}
          aria-label="Agents and mailboxes"
          className="w-[clamp(12.5rem,22vw,20rem)] shrink-0 border-line border-r bg-bg-1"
        >
          <PeopleList
            team={shownTeam}
            selectedId={selectedId}
            onSelect={select}
            onOpen={open}
            onWrite={focusWriting}
          />
        </aside>
        <main className="flex min-h-0 min-w-0 flex-1 flex-col">
          {(team !== null || hasTasks) && (
            <div className="relative shrink-0 border-line border-b" style={{ height: boardHeight }}>
              <TaskBoardView team={shownTeam} />
            </div>
          )}
          <div className="relative flex min-h-0 flex-1 flex-col">
            {(team !== null || hasTasks) && splitter}
            <Messages team={shownTeam} composer={composer} onLeave={focusPeople} />
          </div>
        </main>
      </div>
      <TeamDialogs team={team} onOpenAgent={open} />
    </div>
  )
}

/** The main agent is asked for a team in the composer, whose text stays if there is one. */
function askForTeam(): void {
  const key = draftKeyNow()
  if (isEmptyDraft(draftOf(key))) changeDraft(key, { text: 'Form a team of three and ' })
  setView('stage')
  focusComposer()
}

/** Above the messages of a conversation without a team. */
function NoTeam() {
  const readOnly = useConversation((state) => state.readOnly)
  return (
    <div className="flex shrink-0 items-center gap-2.5 border-line border-b bg-bg-1 px-3 py-1.5 text-fg-2 text-sm">
      <Users size={14} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />
      <p className="min-w-0 text-pretty">
        No team works here. A team is a leader and workers that share a task list and write to each other.
      </p>
      <span className="flex-1" />
      {!readOnly && <Button onClick={askForTeam}>Ask for a team…</Button>}
    </div>
  )
}

interface MessagesProps {
  readonly team: Team | null
  readonly composer: RefObject<HTMLTextAreaElement | null>
  readonly onLeave: () => void
}

function Messages({ team, composer, onLeave }: MessagesProps) {
  const threads = useThreads(team)
  const chosen = useTeams((state) => state.thread)
  const found = threads.find(({ key }) => key === chosen) ?? null
  // A thread that was chosen and has no message yet is shown empty.
  const shown = chosen === null ? (threads[0] ?? null) : found
  return (
    <section aria-label="Messages" className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-0 flex-1">
        <div className="w-[clamp(11rem,20vw,17rem)] shrink-0 border-line border-r">
          {threads.length > 0 && <ThreadList threads={threads} shown={shown} onSelect={selectThread} />}
        </div>
        {shown === null ? (
          <EmptyState
            icon={MessagesSquare}
            title="No messages yet"
            actions={<Button onClick={() => composer.current?.focus()}>Write a message</Button>}
          >
            What the agents and you write to each other is shown here, with who has read it.
          </EmptyState>
        ) : (
          <ThreadMessages thread={shown} />
        )}
      </div>
      <TeamComposer ref={composer} team={team} thread={shown} onLeave={onLeave} />
    </section>
  )
}

const HEIGHT = { min: 140, share: 0.42 }

/** The height of the board in px, and its splitter. */
function useBoardHeight() {
  const [chosen, setChosen] = useState<number | null>(() => {
    const kept = Number(localStorage.getItem('team-board-height'))
    return kept >= HEIGHT.min ? kept : null
  })
  const [room, setRoom] = useState(window.innerHeight)
  useEffect(() => {
    const update = () => setRoom(window.innerHeight)
    window.addEventListener('resize', update)
    return () => window.removeEventListener('resize', update)
  }, [])
  const max = Math.max(HEIGHT.min, room - 380)
  const height = Math.max(HEIGHT.min, Math.min(max, chosen ?? Math.round(room * HEIGHT.share)))
  const change = (next: number | null) => {
    setChosen(next)
    if (next === null) localStorage.removeItem('team-board-height')
    else localStorage.setItem('team-board-height', String(next))
  }
  // The splitter is at the top edge of the messages, whose height is what the board leaves.
  const total = max + HEIGHT.min
  const splitter = (
    <Splitter
      label="Task board height"
      edge="top"
      size={total - height}
      min={total - max}
      max={total - HEIGHT.min}
      onResize={(size) => change(total - size)}
      onReset={() => change(null)}
    />
  )
  return [height, splitter] as const
}

/** Reads the mailboxes when the view opens, when the window gets the focus, and when a message was kept. */
function useMailboxes(): void {
  const kept = useConversation((state) => {
    let sum = 0
    for (const agent of state.agents.values()) sum += agent.kept.length
    return sum
  })
  useEffect(() => {
    void loadWorkers()
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a kept message changes the mailboxes
  useEffect(() => {
    const load = () => void loadMailboxes()
    load()
    window.addEventListener('focus', load)
    return () => window.removeEventListener('focus', load)
  }, [kept])
}

function NothingYet({ isLoading }: { readonly isLoading: boolean }) {
  const folder = useSession((state) => state.folder)
  if (isLoading || folder === null)
    return (
      <main aria-busy={isLoading} className="flex h-full flex-col">
        <ViewHeader title="Mailbox & teams" />
      </main>
    )
  return (
    <Empty
      title="No team works here yet"
      actions={
        <Button variant="primary" onClick={askForTeam}>
          Ask for a team…
        </Button>
      }
    >
      A team is a leader and workers that share a task list and write to each other. Ask the main agent for
      one: “Form a team of three and …”. Its workers, tasks and messages are shown here.
    </Empty>
  )
}

function Empty(props: { title: string; children: ReactNode; actions?: ReactNode }) {
  return (
    <main className="flex h-full flex-col">
      <ViewHeader title="Mailbox & teams" />
      <EmptyState icon={Users} title={props.title} actions={props.actions}>
        {props.children}
      </EmptyState>
    </main>
  )
}
