/** Review: the worktrees at the left, the files of the one that is selected, and what changed in them. */
import { type Ref, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { ReviewWorktree } from '../../../shared/review.ts'
import { ReviewDialogs } from '../../features/review/dialogs/review-dialogs.tsx'
import { whyNotMerged } from '../../features/review/merge-button.tsx'
import { NoWorktrees, ReviewFailed, ReviewProblem } from '../../features/review/review-empty.tsx'
import { ReviewView, type ReviewViewHandle } from '../../features/review/review-view.tsx'
import { WorktreeList } from '../../features/review/worktree-list.tsx'
import { useMainAgentId } from '../../stores/conversation-store.ts'
import { focusComposer } from '../../stores/draft-store.ts'
import { showNotice } from '../../stores/notice-store.ts'
import { useWordsOfPlace } from '../../stores/place-words.ts'
import { listedIn } from '../../stores/review-groups.ts'
import { showReviewDialog, useReview, useSnapshot, watchReview } from '../../stores/review-store.ts'
import { setPlace, useSession } from '../../stores/session-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { revealAgent } from '../../stores/stage-store.ts'
import { revealPath } from '../../stores/system-actions.ts'
import { useRoom } from '../../stores/window-room.ts'
import { Splitter } from '../../ui/splitter.tsx'

/** `share`: of the window's width, usually at most; the larger part is left for the lines. */
const LIST = { usual: 320, narrow: 256, min: 200, max: 480, share: 0.27 }
const FILES = { usual: 250, narrow: 200, min: 140, max: 480, share: 0.2 }
const KEYS_WORDS = 'J K move · Enter opens · N P changes · C comments · A asks · M merges'

export function ReviewPlace() {
  const folder = useSession((state) => state.folder?.path ?? null)
  const snapshot = useSnapshot()
  const failure = useReview((state) => state.failure)
  const selectedId = useReview((state) => state.selectedId)
  const view = useRef<ReviewViewHandle>(null)
  const list = useRef<HTMLDivElement>(null)
  const mainAgentId = useMainAgentId()
  const [listWidth, listSplitter] = useWidth('review-list-width', LIST, 'Width of the worktrees')
  const [filesWidth, filesSplitter] = useWidth('review-files-width', FILES, 'Width of the files')
  const room = useRoom()
  const hasKeys = room === 'wide' && snapshot !== null && snapshot.worktrees.length > 0
  useWordsOfPlace(null, hasKeys ? KEYS_WORDS : null)
  useEffect(() => (folder === null ? undefined : watchReview(folder)), [folder])
  const listed = snapshot === null ? [] : listedIn(snapshot)
  const worktree = listed.find(({ id }) => id === selectedId) ?? listed[0] ?? null
  const isThere = worktree !== null
  // Who comes here by a key goes on with keys.
  useEffect(() => {
    const { activeElement } = document
    if (isThere && (activeElement === null || activeElement === document.body))
      list.current?.focus({ preventScroll: true })
  }, [isThere])
  const focusList = useCallback(() => list.current?.focus({ preventScroll: true }), [])
  const top = useKeys((event) => {
    const isFree = event.target === document.body
    if (worktree === null || useReview.getState().dialog !== null) return false
    const key = event.key.toLowerCase()
    const run = keysFor(worktree, view.current)[key]
    if (run !== undefined) run()
    else if (isFree && ['j', 'k', 'arrowdown', 'arrowup'].includes(key)) view.current?.focusFiles()
    else return false
    return true
  })
  if (folder === null) return null
  if (snapshot === null)
    return (
      <main aria-busy={failure === null} className="flex h-full">
        <h1 className="sr-only">Review</h1>
        {failure !== null && <ReviewFailed words={failure} folder={folder} />}
      </main>
    )
  if (snapshot.problem !== null || (!isThere && snapshot.discarded.length === 0))
    return (
      <main className="flex h-full">
        <h1 className="sr-only">Review</h1>
        {snapshot.problem !== null ? (
          <ReviewProblem words={snapshot.problem} />
        ) : (
          <NoWorktrees onAsk={goAndAsk} onAgents={() => setPlace('agents')} />
        )}
      </main>
    )
  const showAgent = async (shown: ReviewWorktree) => {
    await openConversation(shown.conversationId)
    setPlace('stage')
    if (shown.agentId === mainAgentId) focusComposer()
    else revealAgent(shown.agentId)
  }
  return (
    <div ref={top} className="flex h-full min-h-0 min-w-0">
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
        />
        {listSplitter}
      </aside>
      <main className="flex min-w-0 flex-1">
        <h1 className="sr-only">Review</h1>
        {worktree === null ? (
          <NoWorktrees onAsk={goAndAsk} onAgents={() => setPlace('agents')} />
        ) : (
          <ReviewView
            snapshot={snapshot}
            worktree={worktree}
            filesWidth={filesWidth}
            splitter={filesSplitter}
            onLeave={focusList}
            onShowAgent={() => void showAgent(worktree)}
            handle={view}
          />
        )}
      </main>
      <ReviewDialogs snapshot={snapshot} />
    </div>
  )
}

/**
 * Keys that work anywhere in the place that the returned ref marks, and where nothing has the focus: what had it
 * goes as agents go on. `run` says whether the key meant something.
 */
function useKeys(run: (event: KeyboardEvent) => boolean): Ref<HTMLDivElement> {
  const top = useRef<HTMLDivElement>(null)
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target } = event
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
      if (!(target instanceof HTMLElement)) return
      if (target !== document.body && top.current?.contains(target) !== true) return
      if (target.closest('input, textarea') !== null) return
      // A button that can't be pressed now swallows every key.
      if (event.defaultPrevented && target.getAttribute('aria-disabled') !== 'true') return
      if (latest.current(event)) event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  return top
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
    v: () => view?.toggle('layout'),
    w: () => view?.toggle('ignoreWhitespace'),
    x: () => view?.toggle('whole'),
    '/': () => view?.focusSearch(),
    a: () => showReviewDialog({ kind: 'ask', id }),
    d: unlessBusy(() => showReviewDialog({ kind: 'discard', id })),
    o: () => void revealPath(worktree.path),
    m: unlessBusy(() => {
      const why = whyNotMerged(worktree)
      if (why === null) showReviewDialog({ kind: 'merge', id, method: 'merge', elsewhere: false })
      else showNotice({ level: 'info', text: why })
    }),
  }
}

function goAndAsk(): void {
  setPlace('stage')
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

/** A width that can be dragged and is kept, and the line to drag it by. */
function useWidth(key: string, widths: Widths, label: string) {
  const room = useRoom()
  const textSize = useSession((state) => state.settings.textSize)
  const [chosen, setChosen] = useState<number | null>(() => {
    const kept = Number(localStorage.getItem(key))
    return kept >= widths.min && kept <= widths.max ? kept : null
  })
  const windowWidth = useSyncExternalStore(onResize, () => window.innerWidth)
  const usual = ((room === 'wide' ? widths.usual : widths.narrow) * textSize) / 100
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
