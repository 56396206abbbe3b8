/** Review: the worktrees at the left, the files of the one that is selected, and what changed in them. */
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
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

const LIST = { usual: 320, narrow: 256, min: 200, max: 480 }
const FILES = { usual: 250, narrow: 200, min: 140, max: 480 }
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
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
    if (!(event.target instanceof HTMLElement) || worktree === null) return
    if (event.target.closest('input, textarea, [role="dialog"], [role="menu"]') !== null) return
    const run = keysFor(worktree, view.current)[event.key.toLowerCase()]
    if (run === undefined) return
    event.preventDefault()
    run()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys that work anywhere in the place
    <div onKeyDown={onKeyDown} className="flex h-full min-h-0 min-w-0">
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

function keysFor(
  worktree: ReviewWorktree,
  view: ReviewViewHandle | null,
): Readonly<Record<string, (() => void) | undefined>> {
  const { id } = worktree
  return {
    n: () => view?.goToChange(1),
    p: () => view?.goToChange(-1),
    v: () => view?.toggle('layout'),
    w: () => view?.toggle('ignoreWhitespace'),
    x: () => view?.toggle('whole'),
    '/': () => view?.focusSearch(),
    a: () => showReviewDialog({ kind: 'ask', id }),
    d: () => showReviewDialog({ kind: 'discard', id }),
    o: () => void revealPath(worktree.path),
    m: () => {
      const why = whyNotMerged(worktree)
      if (why === null) showReviewDialog({ kind: 'merge', id, method: 'merge', elsewhere: false })
      else showNotice({ level: 'info', text: why })
    },
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
}

/** A width that can be dragged and is kept, and the line to drag it by. */
function useWidth(key: string, widths: Widths, label: string) {
  const room = useRoom()
  const textSize = useSession((state) => state.settings.textSize)
  const [chosen, setChosen] = useState<number | null>(() => {
    const kept = Number(localStorage.getItem(key))
    return kept >= widths.min && kept <= widths.max ? kept : null
  })
  const usual = Math.round(((room === 'wide' ? widths.usual : widths.narrow) * textSize) / 100)
  const width = Math.max(widths.min, Math.min(widths.max, chosen ?? usual))
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
      max={widths.max}
      onResize={change}
      onReset={() => change(null)}
    />
  )
  return [width, splitter] as const
}
