import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import type { ReviewSnapshot, ReviewWorktree } from '../../shared/worktrees/review.ts'
import { useReview } from '../stores/review-store.ts'
import { useSession } from '../stores/session-store.ts'
import { FOLDER, startWindow } from '../testing/start-window.tsx'
import { StatusBar } from './status-bar.tsx'

afterEach(() => {
  cleanup()
  useReview.setState(useReview.getInitialState(), true)
})

function snapshot(
  states: readonly ReviewWorktree['state'][],
  more: Partial<ReviewSnapshot> = {},
): ReviewSnapshot {
  return {
    folder: FOLDER.path,
    worktrees: states.map((state, index) => ({ id: `${index}`, state }) as ReviewWorktree),
    discarded: [],
    order: [],
    branches: ['main'],
    current: 'main',
    ahead: 1,
    problem: null,
    ...more,
  }
}

test('unmerged worktrees are counted, also while Review is closed, and a click opens Review', async () => {
  const bridge = await startWindow()
  render(<StatusBar onShowRequests={() => {}} />)
  expect(screen.queryByText(/to review/)).toBeNull()
  act(() => bridge.push({ type: 'review', snapshot: snapshot(['ready', 'working', 'ready', 'merged']) }))
  await userEvent.setup().click(screen.getByRole('button', { name: '2 worktrees to review' }))
  expect(useSession.getState().view).toBe('review')
  expect(screen.getByText('4 worktrees')).toBeTruthy()
  expect(screen.getByText('main is 1 commit ahead of origin')).toBeTruthy()
  act(() => bridge.push({ type: 'review', snapshot: snapshot([], { current: null, ahead: null }) }))
  expect(screen.getByText('no branch checked out')).toBeTruthy()
})

test('the worktrees of another folder are not counted', async () => {
  const bridge = await startWindow()
  render(<StatusBar onShowRequests={() => {}} />)
  act(() => bridge.push({ type: 'review', snapshot: snapshot(['ready'], { folder: '/work/other' }) }))
  expect(screen.queryByText(/to review/)).toBeNull()
})
