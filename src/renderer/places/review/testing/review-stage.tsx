/** The Review place on made-up worktrees, as its tests draw it, and the parts of it that they look at. */
import { act, cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, vi } from 'vitest'
import type { FolderInfo } from '../../../../shared/ipc-contract.ts'
import {
  type MadeUpWorktree,
  madeUpWorktree,
  ReviewWorld,
} from '../../../features/review/testing/review-world.ts'
import { StatusBar } from '../../../features/status-bar/status-bar.tsx'
import { useReviewComments } from '../../../stores/review-comments.ts'
import { useReview } from '../../../stores/review-store.ts'
import { setPlace } from '../../../stores/session-store.ts'
import { FOLDER, startWindow } from '../../../testing/start-window.tsx'
import { TooltipProvider } from '../../../ui/tooltip.tsx'
import { Toasts } from '../../toasts.tsx'
import { ReviewPlace } from '../review-place.tsx'

/** Call it once in a file of tests: each of them begins with an empty place. */
export function prepareReview(): void {
  beforeEach(() => {
    // happy-dom lays nothing out: every element is given the same size.
    for (const size of ['clientHeight', 'clientWidth', 'offsetHeight', 'offsetWidth'] as const)
      vi.spyOn(HTMLElement.prototype, size, 'get').mockReturnValue(1000)
    vi.stubGlobal('innerWidth', 1440)
  })
  afterEach(() => {
    cleanup()
    useReview.setState(useReview.getInitialState(), true)
    useReviewComments.setState({ drafts: {} })
  })
}

/** `prepare` changes the world before the window hears of it. */
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
  setPlace('review')
  await drawReview()
  return { bridge, world }
}

export async function drawReview() {
  const view = render(
    <TooltipProvider>
      <ReviewPlace />
      <StatusBar onShowPrompts={() => {}} />
      <Toasts />
    </TooltipProvider>,
  )
  await act(async () => {})
  return view
}

/** One whose agent is at it. */
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
/** The line that the cursor is on. */
export const current = () => {
  const id = grid().getAttribute('aria-activedescendant')
  return id === null ? null : (document.getElementById(id)?.textContent ?? null)
}
