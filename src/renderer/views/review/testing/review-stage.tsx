/** The Review view on fake worktrees for tests, and queries of its parts. */
import { act, cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, vi } from 'vitest'
import type { FolderInfo } from '../../../../shared/window/contract.ts'
import { closeReviewFind, useViewedMarks } from '../../../features/worktrees/diff-options.ts'
import {
  type MadeUpWorktree,
  madeUpWorktree,
  ReviewWorld,
} from '../../../features/worktrees/testing/review-world.ts'
import { useDrafts } from '../../../stores/draft-store.ts'
import { useReview } from '../../../stores/review-store.ts'
import { setView } from '../../../stores/session-store.ts'
import { FOLDER, startWindow } from '../../../testing/start-window.tsx'
import { TooltipProvider } from '../../../ui/popover.tsx'
import { StatusBar } from '../../status-bar.tsx'
import { Toasts } from '../../toasts.tsx'
import { ReviewView } from '../review-view.tsx'

/** Call once per test file: each test starts with an empty view. */
export function prepareReview(): void {
  beforeEach(() => {
    // happy-dom has no layout: every element gets the same size.
    for (const size of ['clientHeight', 'clientWidth', 'offsetHeight', 'offsetWidth'] as const)
      vi.spyOn(HTMLElement.prototype, size, 'get').mockReturnValue(1000)
    vi.stubGlobal('innerWidth', 1440)
  })
  afterEach(() => {
    cleanup()
    useReview.setState(useReview.getInitialState(), true)
    useDrafts.setState({ drafts: {} })
    closeReviewFind()
    useViewedMarks.setState({ marks: {} })
  })
}

/** `prepare` changes the world before the window subscribes. */
export async function showReview(
  worktrees: readonly MadeUpWorktree[],
  options: { readonly folder?: FolderInfo; readonly prepare?: (world: ReviewWorld) => void } = {},
) {
  const bridge = await startWindow({ folder: options.folder ?? FOLDER })
  const world = new ReviewWorld(() => FOLDER.path)
  world.all = worktrees
  world.onChange = (snapshot) => act(() => bridge.push({ type: 'review', snapshot }))
  options.prepare?.(world)
  bridge.answer(world.handlers)
  setView('review')
  await drawReview()
  return { bridge, world }
}

export async function drawReview() {
  const view = render(
    <TooltipProvider>
      <ReviewView />
      <StatusBar onShowRequests={() => {}} />
      <Toasts />
    </TooltipProvider>,
  )
  await act(async () => {})
  return view
}

/** A worktree with a running agent. */
export const busyWorktree = (changes: MadeUpWorktree['changes']): MadeUpWorktree =>
  madeUpWorktree(
    {
      id: 'busy',
      agentName: 'doc-writer',
      state: 'working',
      ended: null,
      commits: 0,
      uncommitted: 1,
      check: null,
    },
    { changes },
  )

export const worktrees = () => screen.getByRole('listbox', { name: 'Worktrees' })
export const files = () => screen.getByRole('listbox', { name: 'Files' })
export const file = () => within(files()).getByRole('option', { selected: true }).textContent
export const grid = () => screen.getByRole('grid')
export const button = (name: string | RegExp) => screen.getByRole('button', { name })
/** The line of the cursor. */
export const current = () => {
  const id = grid().getAttribute('aria-activedescendant')
  return id === null ? null : (document.getElementById(id)?.textContent ?? null)
}
