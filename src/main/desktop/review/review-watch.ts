/**
 * Keeps what the window knows of the worktrees true: a quick list soon after something changed, and while the
 * window looks at them a thorough one behind it. One list at a time, and none in a folder that is not trusted.
 */
import type { AgentState } from '../../../shared/agent-state.ts'
import { emptyReview, type ReviewSnapshot } from '../../../shared/review.ts'
import type { RuntimeDelta } from '../../runtime/runtime.ts'
import type { Review } from '../../runtime/worktrees.ts'
import { isInside } from '../folders/folders.ts'
import { withKnownChecks } from './known-checks.ts'

export interface ReviewWatch {
  /** The worktrees as a quick look finds them. While a folder is watched, what follows is pushed with merge checks. */
  follow(folder: string, watched: boolean): Promise<ReviewSnapshot>
  /** What happened to an agent may have changed a worktree. */
  hear(delta: RuntimeDelta): void
  /** A folder was opened: whoever shows it knows nothing yet. */
  opened(): void
  /** Something outside may have changed it: the window is in front again. Many calls are one look. */
  soon(): void
  /** A worktree or its target was changed from here: nothing that was found out before counts. */
  changed(): void
  /** Whether a real path lies in a worktree that was listed. */
  holds(path: string): boolean
  stop(): void
}

export interface ReviewWatchOptions {
  readonly review: () => Promise<Pick<Review, 'list' | 'tidy'>>
  /** The folder that is open, by its real path. */
  readonly folder: () => string | null
  readonly isTrusted: (folder: string) => boolean
  /** Of an agent whose conversation is open. */
  readonly agent: (conversationId: string, agentId: string) => Pick<AgentState, 'worktree'> | null
  readonly push: (snapshot: ReviewSnapshot) => void
  /** Told of what went wrong in a way that is nobody's answer: a bug. */
  readonly failed: (cause: unknown) => void
  /** Milliseconds that never run backwards. */
  readonly now: () => number
}

export const NOT_TRUSTED =
  'Nothing of this folder’s repository is looked into: you have not said that you trust it. Trust the folder first.'

/** ms from one look's start to the next one's. */
const GAP = 500
/** ms in which what happens together is taken together. */
const SETTLE = 40

export function createReviewWatch(options: ReviewWatchOptions): ReviewWatch {
  const { now } = options
  let watched: string | null = null
  let wanted = false
  let looking = false
  let stopped = false
  let lastStart = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  /** What was pushed last, as it was. */
  let told = ''
  /** The last one with merge checks. */
  let checked: ReviewSnapshot | null = null
  /** Counts changes from here, so that a list that began before one is not taken for what is so after it. */
  let era = 0
  const tidied = new Map<string, Promise<void>>()
  const listed = new Map<string, readonly string[]>()

  const list = async (folder: string, thorough: boolean): Promise<ReviewSnapshot> => {
    if (!options.isTrusted(folder)) return emptyReview(folder, NOT_TRUSTED)
    const review = await options.review()
    const tidy = tidied.get(folder) ?? review.tidy(folder).catch(options.failed)
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
    const words = JSON.stringify(snapshot)
    if (words === told || stopped) return
    told = words
    options.push(snapshot)
  }

  const look = async (): Promise<void> => {
    const folder = watched ?? options.folder()
    if (folder === null) return
    const begunIn = era
    push(withKnownChecks(await list(folder, false), checked))
    if (watched !== folder) return
    const thorough = await list(folder, true)
    if (begunIn !== era) return
    checked = thorough
    push(thorough)
  }
  const schedule = (): void => {
    if (timer !== undefined || !wanted || looking || stopped) return
    timer = setTimeout(start, Math.max(SETTLE, lastStart + GAP - now()))
  }
  const start = (): void => {
    timer = undefined
    wanted = false
    looking = true
    lastStart = now()
    look()
      .catch(options.failed)
      .then(() => {
        looking = false
        schedule()
      })
  }
  const soon = (): void => {
    wanted = true
    schedule()
  }

  const mayHaveChanged = (delta: RuntimeDelta): boolean => {
    if (delta.type === 'conversation-gone') return true
    if (delta.type !== 'event') return false
    const { conversationId, event } = delta
    const inWorktree = () => options.agent(conversationId, event.agentId)?.worktree != null
    switch (event.type) {
      case 'agent-spawned':
        return event.worktree !== null
      case 'work-saved':
        return true
      case 'agent-ended':
        return inWorktree()
      case 'tool-ended':
        if (event.name === 'MergeWorktree') return true
        // A command elsewhere may have moved the branch that worktrees are merged into.
        return watched !== null && (event.display?.kind === 'terminal' || inWorktree())
      default:
        return false
    }
  }

  return {
    async follow(folder, watch) {
      if (watch) watched = folder
      else if (watched === folder) watched = null
      // Whoever asks may know nothing yet.
      told = ''
      const snapshot = withKnownChecks(await list(folder, false), checked)
      if (watched === folder) soon()
      return snapshot
    },
    hear(delta) {
      if (mayHaveChanged(delta)) soon()
    },
    opened() {
      told = ''
      soon()
    },
    soon,
    changed() {
      era++
      checked = null
      soon()
    },
    holds: (path) => [...listed.values()].some((paths) => paths.some((top) => isInside(top, path))),
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
