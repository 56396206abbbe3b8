/**
 * Keeps the window's list of worktrees up to date: a quick list soon after a change, followed by a thorough
 * one while the window watches the folder. One list at a time, and none in an untrusted folder. Changes from outside,
 * by hand or by another program, are found by comparing stamps while the folder is watched and the window is visible.
 */
import type { AgentState } from '../../../shared/state/agent-state.ts'
import {
  emptyReview,
  NOT_TRUSTED,
  type ReviewSnapshot,
  type ReviewWorktree,
} from '../../../shared/worktrees/review.ts'
import type { RuntimeDelta } from '../../runtime/ports/runtime.ts'
import type { Review } from '../../runtime/ports/worktrees.ts'
import { isInside } from '../folders/folders.ts'

export interface ReviewWatch {
  /** Returns a quick list. While a folder is watched, lists with merge checks are pushed. */
  follow(folder: string, watched: boolean): Promise<ReviewSnapshot>
  /** Schedules a list if the delta may have changed a worktree. */
  onDelta(delta: RuntimeDelta): void
  /** Pushes the next list even if it did not change: the page that shows it may be new. */
  folderOpened(): void
  /** Schedules a list, for changes from outside. Calls before it share it. */
  schedule(): void
  /** The window changed a worktree or its target: no earlier list counts. */
  changed(): void
  /** Whether a real path is in a listed worktree. */
  holds(path: string): boolean
  stop(): void
}

interface ReviewWatchOptions {
  readonly review: () => Promise<Pick<Review, 'list' | 'stamp' | 'tidy'>>
  /** The real path of the open folder. */
  readonly folder: () => string | null
  readonly isTrusted: (folder: string) => boolean
  /** Whether the user can see the window. After it was hidden, call `schedule` when it is shown again. */
  readonly isVisible: () => boolean
  /** The state of an agent whose conversation is open. */
  readonly agent: (conversationId: string, agentId: string) => Pick<AgentState, 'worktree'> | null
  readonly push: (snapshot: ReviewSnapshot) => void
  /** Called with unexpected errors. */
  readonly onError: (cause: unknown) => void
  /** A monotonic clock in ms. */
  readonly now: () => number
}

/** Minimum ms from the start of one list to the start of the next. */
const GAP = 500
/** ms from one stamp to the next, or this many times the duration of a stamp if that is longer. */
const POLL = { every: 1000, timesDuration: 4 }
/** ms in which changes share one list. */
const SETTLE = 40

export function createReviewWatch(options: ReviewWatchOptions): ReviewWatch {
  const { now } = options
  let watched: string | null = null
  let wanted = false
  let isRefreshing = false
  let stopped = false
  let lastStart = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let pollTimer: NodeJS.Timeout | undefined
  /** The stamp from before the last list; null: none was taken. */
  let lastStamp: string | null = null
  /** The last snapshot pushed, as JSON. */
  let lastPushed = ''
  /** The last list with merge checks. */
  let checked: ReviewSnapshot | null = null
  /** Counts the window's changes. A list that began before a change does not count after it. */
  let changes = 0
  const tidied = new Map<string, Promise<void>>()
  const listed = new Map<string, readonly string[]>()

  const list = async (folder: string, thorough: boolean): Promise<ReviewSnapshot> => {
    if (!options.isTrusted(folder)) return emptyReview(folder, NOT_TRUSTED)
    const review = await options.review()
    const tidy = tidied.get(folder) ?? review.tidy(folder).catch(options.onError)
    tidied.set(folder, tidy)
    await tidy
    const snapshot = await review.list(folder, { thorough })
    listed.set(
      folder,
      snapshot.worktrees.map(({ path }) => path),
    )
    return snapshot
  }
  const push = (snapshot: ReviewSnapshot): void => {
    const json = JSON.stringify(snapshot)
    if (json === lastPushed || stopped) return
    lastPushed = json
    options.push(snapshot)
  }

  const refresh = async (): Promise<void> => {
    const folder = watched ?? options.folder()
    if (folder === null) return
    const changesAtStart = changes
    // Before the list: a change after the stamp is found by the next poll.
    if (watched === folder) await takeStamp(folder)
    push(withKnownChecks(await list(folder, false), checked))
    if (watched !== folder) return
    const thorough = await list(folder, true)
    if (changesAtStart !== changes) return
    checked = thorough
    push(thorough)
  }
  /** @returns whether the stamp changed, and its duration in ms */
  const takeStamp = async (folder: string): Promise<{ changed: boolean; took: number }> => {
    if (!options.isTrusted(folder)) return { changed: false, took: 0 }
    const begun = now()
    const stamp = await (await options.review()).stamp(folder)
    const changed = stamp !== lastStamp
    lastStamp = stamp
    return { changed, took: now() - begun }
  }
  const startPoll = (delay: number): void => {
    clearTimeout(pollTimer)
    if (watched !== null && options.isVisible() && !stopped) pollTimer = setTimeout(poll, delay)
  }
  const poll = (): void => {
    const folder = watched
    if (folder === null || isRefreshing || !options.isVisible()) return
    takeStamp(folder)
      .then(({ changed, took }) => {
        if (changed && watched === folder) schedule()
        return Math.max(POLL.every, POLL.timesDuration * took)
      })
      .catch((error) => {
        options.onError(error)
        return POLL.every
      })
      .then(startPoll)
  }
  const startTimer = (): void => {
    if (timer !== undefined || !wanted || isRefreshing || stopped) return
    timer = setTimeout(start, Math.max(SETTLE, lastStart + GAP - now()))
  }
  const start = (): void => {
    timer = undefined
    wanted = false
    isRefreshing = true
    lastStart = now()
    refresh()
      .catch(options.onError)
      .then(() => {
        isRefreshing = false
        startTimer()
        startPoll(POLL.every)
      })
  }
  const schedule = (): void => {
    wanted = true
    startTimer()
  }

  const affectsWorktrees = (delta: RuntimeDelta): boolean => {
    if (delta.type === 'conversation-gone') return true
    if (delta.type !== 'event') return false
    const { conversationId, event } = delta
    const inWorktree = () => options.agent(conversationId, event.agentId)?.worktree != null
    switch (event.type) {
      case 'agent-spawned':
        return event.worktree !== null
      case 'work-saved':
        return true
      // A sent comment may have been read or answered.
      case 'user-message':
      case 'agent-ended':
        return inWorktree()
      case 'tool-ended':
        if (event.display?.kind === 'merge') return true
        // A command elsewhere may have moved the target branch.
        return watched !== null && (event.display?.kind === 'terminal' || inWorktree())
      default:
        return false
    }
  }

  return {
    async follow(folder, watch) {
      if (watch) watched = folder
      else if (watched === folder) watched = null
      // The caller may be a page that knows nothing yet.
      lastPushed = ''
      const snapshot = withKnownChecks(await list(folder, false), checked)
      if (watched === folder) schedule()
      return snapshot
    },
    onDelta(delta) {
      if (affectsWorktrees(delta)) schedule()
    },
    folderOpened() {
      lastPushed = ''
      schedule()
    },
    schedule,
    changed() {
      changes++
      checked = null
      schedule()
    },
    holds: (path) => [...listed.values()].some((paths) => paths.some((top) => isInside(top, path))),
    stop() {
      stopped = true
      clearTimeout(timer)
      clearTimeout(pollTimer)
    },
  }
}

/** Fills a quick list, which has no merge checks and sizes, with the known ones of unchanged worktrees. */
function withKnownChecks(quick: ReviewSnapshot, known: ReviewSnapshot | null): ReviewSnapshot {
  if (known === null || known.folder !== quick.folder || known.current !== quick.current) return quick
  const before = new Map(known.worktrees.map((worktree) => [worktree.id, worktree]))
  const worktrees = quick.worktrees.map((worktree) => {
    const last = before.get(worktree.id)
    if (last === undefined) return worktree
    const bytes = worktree.bytes ?? last.bytes
    if (worktree.check !== null || !isAsItWas(worktree, last)) return { ...worktree, bytes }
    return { ...worktree, bytes, check: last.check, conflictsWith: last.conflictsWith }
  })
  const isSame = worktrees.length === before.size && worktrees.every(({ check }) => check !== null)
  return { ...quick, worktrees, order: isSame ? known.order : quick.order }
}

/** Compares the facts that a quick list has. */
const isAsItWas = (a: ReviewWorktree, b: ReviewWorktree): boolean =>
  facts(a) === facts(b) && a.resolving === null && b.resolving === null

const facts = ({ base, target, state, version, commits, files }: ReviewWorktree) =>
  JSON.stringify([base, target, state, version, commits, files])
