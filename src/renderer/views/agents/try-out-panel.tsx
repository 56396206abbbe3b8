/** The scratch conversation with a tried-out agent: transcript, permission requests and composer. */
import { RotateCcw, Square, X } from 'lucide-react'
import {
  type KeyboardEvent,
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { isLive } from '../../../shared/state/agent-state.ts'
import { Composer } from '../../features/composer/composer.tsx'
import { focusList, openedOf, useEditor } from '../../features/definitions/editor-store.ts'
import { closeTryOut, startTryOut, type TryOut } from '../../features/definitions/try-out-store.ts'
import { AgentRequests } from '../../features/permissions/permission-request-card.tsx'
import type { TranscriptHandle } from '../../features/transcript/transcript.tsx'
import { stopAll } from '../../stores/conversation-actions.ts'
import { useAgent, useConversation, useMainAgentId } from '../../stores/conversation-store.ts'
import { focusComposer } from '../../stores/draft-store.ts'
import { showNotice } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { leaveScratch, showScratch } from '../../stores/shown-conversation.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { createDoublePress } from '../double-press.ts'
import { PanelForms } from '../form-views.tsx'

const Transcript = lazy(async () => ({
  default: (await import('../../features/transcript/transcript.tsx')).Transcript,
}))

export function TryOutPanel({ tryOut }: { readonly tryOut: TryOut }) {
  const { name, conversationId, failure } = tryOut
  // Unmounting restores the stage's own conversation.
  useEffect(() => {
    if (conversationId === null) return
    void showScratch(conversationId).then(focusComposer)
    return () => void leaveScratch()
  }, [conversationId])
  const folder = useSession((state) => state.folder?.path)
  const startedIn = useRef(folder)
  useEffect(() => {
    if (startedIn.current !== folder) void closeTryOut()
  }, [folder])
  const isShown = useConversation((state) => state.conversationId === conversationId)
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Header tryOut={tryOut} />
      <Place tryOut={tryOut} />
      {failure !== null ? (
        <EmptyState
          title={`${name} can’t be tried out`}
          actions={
            <>
              <Button onClick={() => void startAgain(tryOut)}>Try again</Button>
              {tryOut.worktree && (
                <Button onClick={() => void startAgain({ ...tryOut, worktree: false })}>
                  Try in this folder
                </Button>
              )}
            </>
          }
        >
          <span data-selectable="">{failure}</span>
        </EmptyState>
      ) : conversationId === null || !isShown ? (
        <p role="status" className="m-auto flex items-center gap-2 text-fg-2 text-sm">
          <Spinner /> Starting {name}
        </p>
      ) : (
        <Conversation tryOut={tryOut} />
      )}
    </div>
  )
}

function Header({ tryOut }: { readonly tryOut: TryOut }) {
  const { name } = tryOut
  const mainAgentId = useMainAgentId()
  const agent = useAgent(mainAgentId)
  const isChanged = useIsChanged(tryOut)
  return (
    <div className="flex h-9 shrink-0 items-center gap-2 border-line border-b pr-2 pl-3">
      <h2
        style={agentStyle(agent?.definition.color ?? 'neutral')}
        className="flex min-w-0 flex-1 items-center gap-2 font-semibold text-fg-0 text-sm"
      >
        <span aria-hidden="true" className="size-2 shrink-0 rounded-full bg-agent" />
        <span className="truncate">Trying {name}</span>
      </h2>
      {agent !== undefined && isLive(agent) && (
        <IconButton label="Stop" keys="Esc Esc" icon={Square} onClick={() => void stopAll()} />
      )}
      {isChanged ? (
        <Button onClick={() => void startAgain(tryOut)}>
          <RotateCcw size={12} aria-hidden="true" /> Start again with changes
        </Button>
      ) : (
        <IconButton label="Start again" icon={RotateCcw} onClick={() => void startAgain(tryOut)} />
      )}
      <IconButton
        label="Close and forget this conversation"
        icon={X}
        onClick={() => void closeTryOut().then(focusList)}
      />
    </div>
  )
}

const PLACES = [
  { value: 'folder', label: 'This folder' },
  { value: 'worktree', label: 'Own worktree' },
] as const

/** Where the agent works. Another choice starts again. */
function Place({ tryOut }: { readonly tryOut: TryOut }) {
  const agent = useAgent(useMainAgentId())
  const branch = tryOut.worktree ? agent?.worktree?.branch : undefined
  return (
    <div className="flex shrink-0 items-center gap-2 border-line border-b px-3 py-1.5 text-fg-2 text-sm">
      <span aria-hidden="true" className="shrink-0 whitespace-nowrap">
        Works in
      </span>
      <Segmented
        label="Works in"
        value={tryOut.worktree ? 'worktree' : 'folder'}
        options={PLACES}
        onChange={(place) => void startAgain({ ...tryOut, worktree: place === 'worktree' })}
      />
      {branch !== undefined && (
        <span className="min-w-0 truncate font-mono text-xs" title={branch}>
          {branch}
        </span>
      )}
    </div>
  )
}

function Conversation({ tryOut }: { readonly tryOut: TryOut }) {
  const { name, worktree } = tryOut
  const phase = useConversation((state) => state.phase)
  const failure = useConversation((state) => state.failure)
  const mainAgentId = useMainAgentId()
  const agent = useAgent(mainAgentId)
  const transcript = useRef<TranscriptHandle>(null)
  const [stopping] = useState(createDoublePress)
  const stopOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.repeat || agent === undefined || !isLive(agent)) return
    if (event.defaultPrevented) return stopping.reset()
    event.preventDefault()
    if (stopping.press(event.timeStamp)) void stopAll()
    else showNotice({ level: 'info', text: `Press Escape again to stop ${name}.` })
  }
  if (phase === 'failed')
    return (
      <EmptyState title="This conversation could not be opened">
        <span data-selectable="">{failure}</span>
      </EmptyState>
    )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape bubbles up from the elements inside
    <div data-request-scope="" className="flex min-h-0 flex-1 flex-col outline-none" onKeyDown={stopOnEscape}>
      {mainAgentId === null ? (
        <div className="flex-1" />
      ) : (
        <Suspense fallback={<div className="flex-1" />}>
          <Transcript
            key={mainAgentId}
            ref={transcript}
            agentId={mainAgentId}
            empty={
              <p className="m-auto max-w-64 p-4 text-center text-fg-2 text-sm">
                Give {name} a task as the main agent would.{' '}
                {worktree
                  ? 'It works in its own worktree, so your files stay as they are. Review lists the changes that it leaves.'
                  : 'What it does to files is real.'}{' '}
                The conversation is forgotten when you close it.
              </p>
            }
          />
        </Suspense>
      )}
      {mainAgentId !== null && (
        <div className="flex max-h-[50vh] flex-col">
          <AgentRequests agentId={mainAgentId} />
          <div className="overflow-y-auto px-2.5 pb-2.5 empty:hidden">
            <PanelForms agentId={mainAgentId} />
          </div>
        </div>
      )}
      <Composer />
    </div>
  )
}

/** Whether the text differs from the running definition. */
function useIsChanged({ id, text }: TryOut): boolean {
  const document = useEditor((state) => state.opened.get(id)?.document)
  const subscribe = useCallback(
    (listener: () => void) => document?.subscribe(listener) ?? (() => {}),
    [document],
  )
  const now = useSyncExternalStore(subscribe, () => document?.text)
  return now !== undefined && now !== text
}

async function startAgain({ id, hasFile, name, text, worktree }: TryOut): Promise<void> {
  await startTryOut({ id, hasFile, name, text: openedOf(id)?.document.text ?? text, worktree })
}
