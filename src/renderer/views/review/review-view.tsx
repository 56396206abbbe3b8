/** The Review view: worktrees, the files of the selected worktree, and their changes. */
import { GitPullRequest } from 'lucide-react'
import {
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { ReviewSnapshot, ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { outsideComments } from '../../features/pull-requests/pull-request-comments.tsx'
import { PullRequestPanel } from '../../features/pull-requests/pull-request-panel.tsx'
import {
  pullKeyOf,
  togglePullRequest,
  usePullRequestMarks,
  usePullRequests,
} from '../../features/pull-requests/pull-request-store.ts'
import { PushDialog } from '../../features/pull-requests/push-dialog.tsx'
import { ReviewVerification } from '../../features/verification/review-verification.tsx'
import { AskDialog } from '../../features/worktrees/dialogs/ask-dialog.tsx'
import { DiscardWorktreeDialog } from '../../features/worktrees/dialogs/discard-dialog.tsx'
import { MergeAllDialog } from '../../features/worktrees/dialogs/merge-all-dialog.tsx'
import { MergeDialog } from '../../features/worktrees/dialogs/merge-dialog.tsx'
import { RemoveMergedDialog } from '../../features/worktrees/dialogs/remove-merged-dialog.tsx'
import { AnswerMarkdown } from '../../features/worktrees/diff/comment-row.tsx'
import { mergeObstacle } from '../../features/worktrees/merge-button.tsx'
import { NoWorktrees, ReviewFailed, ReviewProblem } from '../../features/worktrees/review-empty.tsx'
import { WorktreeList } from '../../features/worktrees/worktree-list.tsx'
import { type ReviewViewHandle, WorktreeReview } from '../../features/worktrees/worktree-review.tsx'
import { useConversation, useMainAgentId } from '../../stores/conversation-store.ts'
import { focusComposer } from '../../stores/draft-store.ts'
import { revealPath, showNotice, useStatusText } from '../../stores/overlay-store.ts'
import { groupsAt } from '../../stores/review-groups.ts'
import {
  holdPlaces,
  showReviewDialog,
  useReview,
  useSnapshot,
  watchReview,
} from '../../stores/review-store.ts'
import { setView, useRoom, useSession } from '../../stores/session-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { revealAgent } from '../../stores/stage-store.ts'
import { IconButton } from '../../ui/button.tsx'
import { isFind } from '../../ui/platform.ts'
import { Splitter } from '../../ui/splitter.tsx'
import { useViewKeys } from '../../ui/use-focus.ts'
import { ViewHeader } from '../../ui/view-header.tsx'

const AgentMarkdown = lazy(async () => ({
  default: (await import('../../features/transcript/markdown/markdown.tsx')).AgentMarkdown,
}))

/** `share`: the default share of the window's width; the lines get the larger part. */
const LIST = { usual: 320, narrow: 256, min: 200, max: 480, share: 0.27 }
const FILES = { usual: 250, narrow: 200, min: 176, max: 480, share: 0.2 }
const KEY_HINTS = 'J K move · Enter opens · N P changes · V viewed · C comments · A asks · M merges'

export function ReviewView() {
  const conversationId = useConversation((state) => state.conversationId)
  return (
    <div className="flex h-full min-h-0 min-w-0 flex-col">
      <div className="min-h-0 flex-1">
        <Worktrees />
      </div>
      {conversationId !== null && (
        <ReviewVerification
          agentId={null}
          conversationId={conversationId}
          hasWork={false}
          onShowAgent={showOnStage}
        />
      )}
    </div>
  )
}

function Worktrees() {
  const folder = useSession((state) => state.folder?.path ?? null)
  const snapshot = useSnapshot()
  const failure = useReview((state) => state.failure)
  const selectedId = useReview((state) => state.selectedId)
  const view = useRef<ReviewViewHandle>(null)
  const list = useRef<HTMLDivElement>(null)
  const mainAgentId = useMainAgentId()
  const marks = usePullRequestMarks(folder)
  const isPullShown = usePullRequests((state) => state.isPanelOpen)
  const [listWidth, listSplitter] = useWidth('review-list-width', LIST, 'Worktree list width')
  const [filesWidth, filesSplitter] = useWidth('review-files-width', FILES, 'File list width')
  const room = useRoom()
  const hasKeys = room === 'wide' && snapshot !== null && snapshot.worktrees.length > 0
  useStatusText({ start: null, end: hasKeys ? KEY_HINTS : null })
  useEffect(() => (folder === null ? undefined : watchReview(folder)), [folder])
  const places = useReview((state) => state.places)
  const groups = snapshot === null ? [] : groupsAt(places, snapshot)
  const listed = groups.flatMap(({ worktrees }) => worktrees)
  const worktree = listed.find(({ id }) => id === selectedId) ?? listed[0] ?? null
  const hasWorktree = worktree !== null
  // The view takes the focus, so that its keys work at once.
  useEffect(() => {
    const { activeElement } = document
    if (hasWorktree && (activeElement === null || activeElement === document.body))
      list.current?.focus({ preventScroll: true })
  }, [hasWorktree])
  const focusList = useCallback(() => list.current?.focus({ preventScroll: true }), [])
  const pullView = usePullRequests(
    (state) => state.views[pullKeyOf({ folder: folder ?? '', id: worktree?.id ?? '' })],
  )
  const outside = useMemo(() => outsideComments(pullView), [pullView])
  const agentId = worktree?.agentId ?? ''
  const markdown = useCallback(
    (text: string) => (
      <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
        <AgentMarkdown agentId={agentId} text={text} />
      </Suspense>
    ),
    [agentId],
  )
  const top = useViewKeys((event) => {
    holdPlaces()
    if (isFind(event)) {
      view.current?.find()
      return true
    }
    const isFree = event.target === document.body
    if (worktree === null || useReview.getState().dialog !== null) return false
    const key = event.key.toLowerCase()
    // On a button between the lines, B means nothing: a change or a file could be meant.
    const grid = event.target instanceof Element ? event.target.closest('[role="grid"]') : null
    if (key === 'b' && grid !== null && grid !== event.target) return false
    const run = keysFor(worktree, view.current)[key]
    if (run !== undefined) run()
    else if (isFree && ['j', 'k', 'arrowdown', 'arrowup'].includes(key)) view.current?.focusFiles()
    else return false
    return true
  })
  if (folder === null) return null
  if (snapshot === null)
    return (
      <main aria-busy={failure === null} className="flex h-full flex-col">
        <ViewHeader title="Review" />
        {failure !== null && <ReviewFailed message={failure} folder={folder} />}
      </main>
    )
  if (snapshot.problem !== null || (!hasWorktree && snapshot.discarded.length === 0))
    return (
      <main className="flex h-full flex-col">
        <ViewHeader title="Review" />
        {snapshot.problem !== null ? (
          <ReviewProblem message={snapshot.problem} />
        ) : (
          <NoWorktrees onAsk={goAndAsk} />
        )}
      </main>
    )
  const showAgent = async (shown: ReviewWorktree) => {
    await openConversation(shown.conversationId)
    if (shown.agentId === mainAgentId) focusComposer()
    else revealAgent(shown.agentId)
  }
  return (
    <div
      ref={top}
      onPointerMove={holdPlaces}
      onPointerDown={holdPlaces}
      className="relative flex h-full min-h-0 min-w-0"
    >
      <aside
        aria-label="Worktrees"
        className="relative shrink-0 border-line border-r bg-bg-1"
        style={{ width: listWidth }}
      >
        <WorktreeList
          snapshot={snapshot}
          selectedId={worktree?.id ?? null}
          onEnter={() => view.current?.focusFiles()}
          listRef={list}
          marks={marks}
        />
        {listSplitter}
      </aside>
      <main className="flex min-w-0 flex-1">
        {worktree === null ? (
          <NoWorktrees onAsk={goAndAsk} />
        ) : (
          <AnswerMarkdown value={markdown}>
            <WorktreeReview
              snapshot={snapshot}
              worktree={worktree}
              filesWidth={filesWidth}
              splitter={filesSplitter}
              onLeave={focusList}
              onShowAgent={() => void showAgent(worktree)}
              outside={outside}
              pullRequest={<PullRequestButton />}
              verification={
                <ReviewVerification
                  agentId={worktree.agentId}
                  conversationId={worktree.conversationId}
                  hasWork={worktree.state === 'ready' && !worktree.folderGone}
                  onShowAgent={showOnStage}
                />
              }
              handle={view}
            />
          </AnswerMarkdown>
        )}
      </main>
      {isPullShown && worktree !== null && (
        <div className={room === 'wide' ? 'shrink-0' : 'absolute inset-y-0 right-0 z-20 shadow-popup'}>
          <PullRequestPanel folder={folder} id={worktree.id} onClose={togglePullRequest} />
        </div>
      )}
      <PushDialog />
      <ReviewDialogs snapshot={snapshot} />
    </div>
  )
}

function keysFor(
  worktree: ReviewWorktree,
  view: ReviewViewHandle | null,
): Readonly<Record<string, (() => void) | undefined>> {
  const { id } = worktree
  const busy = useReview.getState().busy.get(id)
  const unlessBusy = (show: () => void) => () =>
    busy === undefined ? show() : showNotice({ level: 'info', text: `${busy} Wait until that is done.` })
  return {
    n: () => view?.goToChange(1),
    p: () => view?.goToChange(-1),
    v: () => view?.toggleViewed(),
    u: () => view?.toggle('layout'),
    b: unlessBusy(() => view?.takeBackFile()),
    s: () => view?.toggleSince(),
    w: () => view?.toggle('ignoreWhitespace'),
    x: () => view?.toggle('whole'),
    l: () => view?.toggle('wrap'),
    '/': () => view?.focusSearch(),
    a: () => showReviewDialog({ kind: 'ask', id }),
    d: unlessBusy(() => showReviewDialog({ kind: 'discard', id })),
    r: togglePullRequest,
    o: () => void revealPath(worktree.path),
    m: unlessBusy(() => {
      const obstacle = mergeObstacle(worktree)
      if (obstacle === null) showReviewDialog({ kind: 'merge', id, method: 'merge', elsewhere: false })
      else showNotice({ level: 'info', text: obstacle })
    }),
  }
}

function showOnStage(agentId: string): void {
  setView('stage')
  revealAgent(agentId)
}

function goAndAsk(): void {
  setView('stage')
  focusComposer()
}

interface Widths {
  readonly usual: number
  readonly narrow: number
  readonly min: number
  readonly max: number
  readonly share: number
}

function onResize(listener: () => void): () => void {
  window.addEventListener('resize', listener)
  return () => window.removeEventListener('resize', listener)
}

/** A stored width and its splitter. */
function useWidth(key: string, widths: Widths, label: string) {
  const room = useRoom()
  const [chosen, setChosen] = useState<number | null>(() => {
    const kept = Number(localStorage.getItem(key))
    return kept >= widths.min && kept <= widths.max ? kept : null
  })
  const windowWidth = useSyncExternalStore(onResize, () => window.innerWidth)
  const usual = room === 'wide' ? widths.usual : widths.narrow
  const share = windowWidth * widths.share
  const max = Math.round(Math.max(widths.min, Math.min(widths.max, share * 1.5)))
  const width = Math.max(widths.min, Math.min(max, chosen ?? Math.round(Math.min(usual, share))))
  const change = (next: number | null) => {
    setChosen(next)
    if (next === null) localStorage.removeItem(key)
    else localStorage.setItem(key, String(next))
  }
  const splitter = (
    <Splitter
      label={label}
      size={width}
      min={widths.min}
      max={max}
      onResize={change}
      onReset={() => change(null)}
    />
  )
  return [width, splitter] as const
}

function PullRequestButton() {
  const isShown = usePullRequests((state) => state.isPanelOpen)
  return (
    <IconButton
      icon={GitPullRequest}
      label="Pull request"
      keys="R"
      size={26}
      pressed={isShown}
      onClick={togglePullRequest}
    />
  )
}

/** The open dialog. A dialog about a worktree closes when the worktree is gone. */
function ReviewDialogs({ snapshot }: { readonly snapshot: ReviewSnapshot }) {
  const dialog = useReview((state) => state.dialog)
  if (dialog === null) return null
  if (dialog.kind === 'merge-all') return <MergeAllDialog snapshot={snapshot} />
  if (dialog.kind === 'remove-merged') return <RemoveMergedDialog snapshot={snapshot} />
  const worktree = snapshot.worktrees.find(({ id }) => id === dialog.id)
  if (worktree === undefined) return null
  switch (dialog.kind) {
    case 'merge':
      return (
        <MergeDialog
          key={`${dialog.id}-${dialog.method}`}
          snapshot={snapshot}
          worktree={worktree}
          method={dialog.method}
          elsewhere={dialog.elsewhere}
        />
      )
    case 'ask':
      return <AskDialog key={dialog.id} snapshot={snapshot} worktree={worktree} />
    case 'discard':
      return <DiscardWorktreeDialog key={dialog.id} snapshot={snapshot} worktree={worktree} />
  }
}
