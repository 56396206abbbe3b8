/** The worktrees of the open folder, and the state of the Review view. */
import { create } from 'zustand'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import type {
  MergeMethod,
  ReviewRange,
  ReviewSnapshot,
  ReviewWorktree,
} from '../../shared/worktrees/review.ts'
import { command } from '../bridge.ts'
import { type CardPlace, isChecked, keptPlaces, sortedPlaces } from './review-groups.ts'
import { setView, useSession } from './session-store.ts'

/** A dialog of Review. */
type ReviewDialog =
  | { readonly kind: 'merge'; readonly id: string; readonly method: MergeMethod; readonly elsewhere: boolean }
  | { readonly kind: 'merge-all' }
  | { readonly kind: 'ask'; readonly id: string }
  | { readonly kind: 'discard'; readonly id: string }
  | { readonly kind: 'remove-merged' }

interface ReviewState {
  /** The worktrees of the open folder; null until loaded. */
  readonly snapshot: ReviewSnapshot | null
  /** Why loading the worktrees failed. */
  readonly failure: string | null
  /** The places of the cards. */
  readonly places: readonly CardPlace[]
  /** Whether the cards keep their places. Until all merges are checked, or the user touches the view, they are sorted. */
  readonly placesHold: boolean
  readonly selectedId: string | null
  /** The shown file of each worktree. */
  readonly paths: Readonly<Record<string, string>>
  /** The shown part of each worktree's changes; none: all changes. */
  readonly ranges: Readonly<Record<string, ReviewRange | null>>
  readonly view: 'changes' | 'conflicts'
  /** The branch whose conflicts are shown; null: the target of the worktree. */
  readonly conflictsInto: string | null
  readonly dialog: ReviewDialog | null
  /** The text of the running action, by worktree. */
  readonly busy: ReadonlyMap<string, string>
}

const INITIAL: ReviewState = {
  snapshot: null,
  failure: null,
  places: [],
  placesHold: false,
  selectedId: null,
  paths: {},
  ranges: {},
  view: 'changes',
  conflictsInto: null,
  dialog: null,
  busy: new Map(),
}

export const useReview = create<ReviewState>()(() => INITIAL)

const { getState: get, setState: set } = useReview

/** Takes the newest snapshot of the open folder. */
export function receiveReview(deltas: readonly WindowDelta[]): void {
  const last = deltas.findLast((delta) => delta.type === 'review')
  if (last?.type === 'review') takeSnapshot(last.snapshot)
}

/** Sorts the cards, loads the worktrees and subscribes to their changes, until the returned function is called. */
export function watchReview(folder: string): () => void {
  const { snapshot } = get()
  set({ places: snapshot === null ? [] : sortedPlaces(snapshot), placesHold: false })
  void loadReview(folder)
  return () => void command('review.watch', { folder, watched: false })
}

/** Loads the worktrees and subscribes to their changes. */
export async function loadReview(folder: string): Promise<void> {
  const known = get().snapshot
  if (known !== null && known.folder !== folder) set(INITIAL)
  const answer = await command('review.watch', { folder, watched: true })
  if (useSession.getState().folder?.path !== folder) return
  if (answer.ok) takeSnapshot(answer.value)
  else set({ failure: answer.failure.message })
}

function takeSnapshot(snapshot: ReviewSnapshot): void {
  const folder = useSession.getState().folder?.path
  // A late snapshot of the previous folder is dropped. A snapshot of the next folder may arrive early and is kept.
  if (snapshot.folder !== folder && get().snapshot?.folder === folder) return
  set(({ dialog, places, placesHold }) => ({
    snapshot,
    failure: null,
    dialog: stillApplies(dialog, snapshot) ? dialog : null,
    places: placesHold ? keptPlaces(places, snapshot) : sortedPlaces(snapshot),
    placesHold: placesHold || isChecked(snapshot),
  }))
}

/** Keeps the cards at their places from now on: the user points at them or uses the keys. */
export function holdPlaces(): void {
  if (!get().placesHold) set({ placesHold: true })
}

/** Sorts the cards by their present state, on the user's request. */
export function sortAgain(): void {
  const { snapshot } = get()
  if (snapshot !== null) set({ places: sortedPlaces(snapshot), placesHold: true })
}

/** Whether the dialog still applies: its worktree exists. */
function stillApplies(dialog: ReviewDialog | null, { worktrees }: ReviewSnapshot): boolean {
  return dialog === null || !('id' in dialog) || worktrees.some(({ id }) => id === dialog.id)
}

/** The snapshot of the open folder; null until loaded. */
export function useSnapshot(): ReviewSnapshot | null {
  const folder = useSession((state) => state.folder?.path)
  const snapshot = useReview((state) => state.snapshot)
  return snapshot?.folder === folder ? snapshot : null
}

export function snapshotNow(): ReviewSnapshot | null {
  const { snapshot } = get()
  return snapshot?.folder === useSession.getState().folder?.path ? snapshot : null
}

export function worktreeNow(id: string): ReviewWorktree | undefined {
  return snapshotNow()?.worktrees.find((worktree) => worktree.id === id)
}

export function selectWorktree(id: string): void {
  if (get().selectedId !== id) set({ selectedId: id, view: 'changes', conflictsInto: null })
}

export function selectPath(id: string, path: string): void {
  set(({ paths }) => ({ paths: { ...paths, [id]: path } }))
}

/** Shows a part of a worktree's changes; null: all. */
export function showRange(id: string, range: ReviewRange | null): void {
  set(({ ranges }) => ({ ranges: { ...ranges, [id]: range }, view: 'changes' }))
}

export function showView(view: ReviewState['view']): void {
  set({ view })
}

/** Shows the changes after the conflicts with a branch are resolved. */
export function leaveConflicts(): void {
  set({ view: 'changes', conflictsInto: null })
}

/** Shows the conflicts with a branch; null: with the target of the worktree. */
export function showConflicts(into: string | null): void {
  set({ view: 'conflicts', conflictsInto: into })
}

export function showReviewDialog(dialog: ReviewDialog | null): void {
  set({ dialog })
}

/** Shows Review and selects the worktree, if any. */
export function goToReview(id: string | null, dialog: ReviewDialog | null = null): void {
  if (id !== null) selectWorktree(id)
  set({ dialog })
  setView('review')
}

/** Sets the text of the running action on a worktree's card; null: none. */
export function setReviewBusy(id: string, activity: string | null): void {
  set(({ busy }) => {
    const next = new Map(busy)
    if (activity === null) next.delete(id)
    else next.set(id, activity)
    return { busy: next }
  })
}

/** The ready worktrees. */
export function waitingIn(snapshot: ReviewSnapshot | null): readonly ReviewWorktree[] {
  return snapshot?.worktrees.filter(({ state }) => state === 'ready') ?? []
}
