/** The conversation with the main agent: title, transcript, permission requests and composer. */
import {
  CirclePause,
  CirclePlay,
  CircleStop,
  Copy,
  Download,
  Ellipsis,
  FileDiff,
  MessageSquareOff,
  Pencil,
  Plus,
  Search,
  Trash2,
} from 'lucide-react'
import {
  type DragEvent,
  lazy,
  type ReactNode,
  type Ref,
  type RefObject,
  Suspense,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react'
import { changesTotalsOf, hasChanges } from '../../../shared/changes/changes-amounts.ts'
import { stoppedTogether } from '../../../shared/state/stopped-together.ts'
import { ContextButton } from '../../features/agent-panel/agent-context.tsx'
import { AgentStanding } from '../../features/agent-panel/agent-standing.tsx'
import { CommandsLine } from '../../features/agent-panel/commands-line.tsx'
import { LoginCard } from '../../features/agent-panel/login-card.tsx'
import { ProgramOptions, ProgramStrip } from '../../features/agent-panel/program-strip.tsx'
import { TodoLine } from '../../features/agent-panel/todo-line.tsx'
import { ComparisonCard } from '../../features/comparison/comparison-card.tsx'
import { useColumnRequest } from '../../features/composer/column-request.ts'
import { Composer } from '../../features/composer/composer.tsx'
import { takeDropped } from '../../features/composer/use-send.ts'
import { TitleField, useFocusAfter } from '../../features/conversations/conversation-row.tsx'
import { HistoryBar } from '../../features/conversations/histories.tsx'
import type { TranscriptHandle } from '../../features/transcript/transcript.tsx'
import { VerificationCards } from '../../features/verification/verification-cards.tsx'
import { AgentWriteFailure } from '../../features/write-failure/write-failure-banner.tsx'
import { continueAll, pauseAll, useLiveCounts } from '../../stores/agent-actions.ts'
import { openChanges, useChanges } from '../../stores/changes-store.ts'
import { exportConversation, stopAll, useExternalMainAgent } from '../../stores/conversation-actions.ts'
import { useConversation, useMainAgentId } from '../../stores/conversation-store.ts'
import { focusComposer } from '../../stores/draft-store.ts'
import { useKeysOf } from '../../stores/keys-store.ts'
import { renameConversation, trashConversation } from '../../stores/listed-conversations.ts'
import { showNotice } from '../../stores/overlay-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { useStagePart } from '../../stores/stage-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { isFind } from '../../ui/platform.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { ErrorBoundary, LineBoundary } from '../error-boundary.tsx'
import { PanelForms } from '../form-views.tsx'
import { NewConversationView } from './new-conversation.tsx'

const AgentRequests = lazy(async () => ({
  default: (await import('../../features/permissions/permission-request-card.tsx')).AgentRequests,
}))

interface ConversationColumnProps {
  /** Whether the column fills the window; the text then keeps a readable width. */
  readonly alone: boolean
  /** At the right of the header. */
  readonly lead?: ReactNode
  readonly onOpenAgent: (agentId: string) => void
  /** The splitter at the edge. */
  readonly splitter?: ReactNode
}

export function ConversationColumn({ alone, lead, onOpenAgent, splitter }: ConversationColumnProps) {
  const phase = useConversation((state) => state.phase)
  const mainAgentId = useMainAgentId()
  const outside = useExternalMainAgent()
  const transcript = useRef<TranscriptHandle>(null)
  const [canFind, setCanFind] = useState(false)
  const attach = useCallback((handle: TranscriptHandle | null) => {
    transcript.current = handle
    setCanFind(handle !== null)
  }, [])
  const drop = useDrop()
  useFindKeys(transcript)
  useColumnRequest(
    {
      find: () => transcript.current?.find(),
      copy: () => void copyAll(transcript),
    },
    canFind,
  )
  return (
    <main
      {...drop.handlers}
      data-request-scope=""
      className={classNames(
        'relative flex h-full min-h-0 min-w-0 flex-col outline-none',
        alone && 'conversation-alone',
      )}
    >
      {phase === 'none' ? (
        <NewConversationView />
      ) : (
        <>
          <Header transcript={transcript} lead={lead} />
          {outside !== null && <ProgramStrip agent={outside} />}
          {mainAgentId !== null && <TodoLine agentId={mainAgentId} />}
          {mainAgentId !== null && <CommandsLine agentId={mainAgentId} />}
          {phase === 'failed' ? (
            <Unreadable />
          ) : mainAgentId === null ? (
            <div className="flex-1" />
          ) : (
            <ErrorBoundary part="the transcript" resetKey={mainAgentId}>
              <MainTranscript agentId={mainAgentId} handle={attach} onOpenAgent={onOpenAgent} />
            </ErrorBoundary>
          )}
          <div className="conversation-width">
            {mainAgentId !== null && (
              <div className="flex max-h-[50vh] min-h-0 flex-col empty:hidden">
                <LineBoundary part="the permission request" resetKey={mainAgentId}>
                  <Suspense fallback={null}>
                    <AgentRequests agentId={mainAgentId} />
                  </Suspense>
                </LineBoundary>
                <div className="overflow-y-auto px-2.5 pb-2.5 empty:hidden">
                  <AgentWriteFailure agentId={mainAgentId} />
                  <PanelForms agentId={mainAgentId} />
                  {outside !== null && <LoginCard agent={outside} />}
                </div>
              </div>
            )}
          </div>
          {mainAgentId !== null && (
            <div className="conversation-width">
              <LineBoundary part="the comparison" resetKey={mainAgentId}>
                <ComparisonCard />
              </LineBoundary>
              <LineBoundary part="the verification" resetKey={mainAgentId}>
                <VerificationCards onOpenAgent={onOpenAgent} />
              </LineBoundary>
              <AgentStanding agentId={mainAgentId} onGone={focusComposer} hasKeys={false} />
            </div>
          )}
          <HistoryBar>
            <Composer programOptions={outside === null ? undefined : <ProgramOptions agent={outside} />} />
          </HistoryBar>
        </>
      )}
      {splitter}
      {drop.over && (
        <div
          aria-hidden="true"
          className="pointer-events-none absolute inset-1.5 z-20 grid place-items-center rounded-lg border-2 border-accent border-dashed bg-bg-0/80 font-medium text-fg-0"
        >
          Drop images to attach, files to mention
        </div>
      )}
    </main>
  )
}

interface HeaderProps {
  readonly transcript: RefObject<TranscriptHandle | null>
  readonly lead: ReactNode
}

function Header({ transcript, lead }: HeaderProps) {
  const record = useConversation((state) => state.record)
  const conversationId = useConversation((state) => state.conversationId)
  const mainAgentId = useMainAgentId()
  const { working, paused } = useLiveCounts()
  const stopped = useConversation(({ agents }) => stoppedTogether(agents.values()).length)
  const readOnly = useConversation((state) => state.readOnly)
  const [renaming, setRenaming] = useState(false)
  const title = useFocusAfter<HTMLButtonElement>(renaming)
  const rename = async (name: string | null) => {
    setRenaming(false)
    if (name !== null && conversationId !== null && name !== record?.title)
      await renameConversation(conversationId, name)
  }
  const keysOf = useKeysOf()
  useColumnRequest({ rename: () => setRenaming(true) }, record !== null && !readOnly)
  return (
    <div className="flex h-9 shrink-0 items-center gap-1.5 border-line border-b bg-bg-1 pr-2 pl-3">
      <h1 className="min-w-0 flex-1 truncate font-semibold text-fg-0 text-sm">
        {renaming ? (
          <TitleField title={record?.title ?? ''} onDone={(title) => void rename(title)} />
        ) : (
          <button
            ref={title}
            type="button"
            title="Rename"
            dir="auto"
            disabled={record === null || readOnly}
            onClick={() => setRenaming(true)}
            className="max-w-full truncate rounded-xs text-left"
          >
            {record?.title ?? ''}
          </button>
        )}
      </h1>
      <ContextButton agentId={mainAgentId} />
      {lead}
      <ChangesButton />
      <Menu
        align="end"
        trigger={<IconButton label="Conversation" icon={Ellipsis} disabled={record === null} />}
      >
        <MenuItem icon={Plus} keys={keysOf('new-conversation')} onSelect={() => void openConversation(null)}>
          New conversation
        </MenuItem>
        <MenuItem icon={Search} keys="Mod F" onSelect={() => transcript.current?.find()}>
          Find
        </MenuItem>
        <MenuItem icon={Copy} onSelect={() => void copyAll(transcript)}>
          Copy conversation
        </MenuItem>
        <MenuItem icon={Download} onSelect={() => exportConversation()}>
          Export…
        </MenuItem>
        <MenuItem icon={Pencil} disabled={readOnly} onSelect={() => setRenaming(true)}>
          Rename
        </MenuItem>
        <MenuSeparator />
        <MenuItem
          icon={CirclePause}
          keys={keysOf('pause-all')}
          disabled={readOnly || working === 0}
          onSelect={() => void pauseAll()}
        >
          Pause all agents
        </MenuItem>
        <MenuItem
          icon={CirclePlay}
          keys={keysOf('continue-all')}
          disabled={readOnly || (paused === 0 && stopped === 0)}
          onSelect={() => void continueAll()}
        >
          Continue all agents
        </MenuItem>
        <MenuItem
          icon={CircleStop}
          danger
          disabled={readOnly || working + paused === 0}
          onSelect={() => void stopAll()}
        >
          Stop all agents
        </MenuItem>
        <MenuSeparator />
        <MenuItem
          icon={Trash2}
          danger
          disabled={readOnly}
          onSelect={() => conversationId !== null && void trashConversation(conversationId)}
        >
          Move to trash
        </MenuItem>
      </Menu>
    </div>
  )
}

async function copyAll(transcript: RefObject<TranscriptHandle | null>): Promise<void> {
  const copied = await transcript.current?.copyAll()
  showNotice(
    copied
      ? {
          level: 'info',
          text: 'Conversation copied as Markdown.',
          action: { label: 'Export…', run: () => exportConversation() },
        }
      : { level: 'error', text: 'Copying failed. The clipboard is unchanged.' },
  )
}

/** Opens the search of the conversation, unless the focused part has its own search. */
function useFindKeys(transcript: RefObject<TranscriptHandle | null>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !isFind(event) || transcript.current === null) return
      if (document.activeElement?.closest('[role="dialog"], [role="menu"]')) return
      event.preventDefault()
      transcript.current.find()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [transcript])
}

function Unreadable() {
  const failure = useConversation((state) => state.failure)
  const conversationId = useConversation((state) => state.conversationId)
  return (
    <div className="flex min-h-0 flex-1">
      <EmptyState
        icon={MessageSquareOff}
        title="Can't open conversation"
        actions={
          <>
            <Button variant="primary" onClick={() => void openConversation(conversationId)}>
              Try again
            </Button>
            <Button onClick={() => void openConversation(null)}>New conversation</Button>
          </>
        }
      >
        <span data-selectable="">{failure}</span>
      </EmptyState>
    </div>
  )
}

/** Handles files that the user drags over the column. */
function useDrop() {
  const [over, setOver] = useState(false)
  const depth = useRef(0)
  const count = (change: number) => {
    depth.current = Math.max(0, depth.current + change)
    setOver(depth.current > 0)
  }
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files')
  return {
    over,
    handlers: {
      onDragEnter: (event: DragEvent) => hasFiles(event) && count(1),
      onDragLeave: (event: DragEvent) => hasFiles(event) && count(-1),
      onDragOver: (event: DragEvent) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'copy'
      },
      onDrop: (event: DragEvent) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        count(-depth.current)
        void takeDropped([...event.dataTransfer.files])
      },
    },
  }
}

/** Opens the changes of a conversation that has only a main agent: without panels there is no bar to switch in. */
function ChangesButton() {
  const isAlone = useConversation((state) => state.agentIds.length <= 1)
  const isShown = useStagePart() === 'changes'
  const isOffered = useChanges(({ list }) => hasChanges(list)) && !isShown
  const amount = useChanges(({ list }) => (list === null ? 0 : changesTotalsOf(list).files))
  if (!isAlone || !isOffered) return null
  return (
    <Button variant="quiet" aria-label={`Changes ${amount}`} onClick={() => openChanges()}>
      <FileDiff size={13} aria-hidden="true" />
      {amount}
    </Button>
  )
}

const Transcript = lazy(async () => ({
  default: (await import('../../features/transcript/transcript.tsx')).Transcript,
}))

interface MainTranscriptProps {
  readonly agentId: string
  readonly handle: Ref<TranscriptHandle>
  readonly onOpenAgent: (agentId: string) => void
}

/** The transcript of the main agent; its code loads with the first transcript. */
function MainTranscript({ agentId, handle, onOpenAgent }: MainTranscriptProps) {
  return (
    <Suspense fallback={<div className="flex-1" />}>
      <Transcript
        key={agentId}
        ref={handle}
        agentId={agentId}
        density="conversation"
        onOpenAgent={onOpenAgent}
        empty={<p className="m-auto text-fg-2 text-sm">No messages yet.</p>}
      />
    </Suspense>
  )
}
