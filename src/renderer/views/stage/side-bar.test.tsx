import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { emptyReview, type ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { madeUpWorktree } from '../../features/worktrees/testing/review-world.ts'
import { useReview } from '../../stores/review-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { FOLDER, startWindow } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { SideBar } from './side-bar.tsx'

const user = userEvent.setup()

const worktree = (id: string, more: Partial<ReviewWorktree> = {}): ReviewWorktree =>
  madeUpWorktree({ id, agentName: 'a', task: `Task of ${id}`, ...more }).worktree

function know(...worktrees: readonly ReviewWorktree[]) {
  const order = worktrees.map(({ id }) => id)
  act(() => useReview.setState({ snapshot: { ...emptyReview(FOLDER.path, null), worktrees, order } }))
}

beforeEach(async () => {
  await startWindow()
  render(<SideBar compact={false} onOpenAgent={() => {}} onWriteTo={() => {}} />, {
    wrapper: TooltipProvider,
  })
})
afterEach(cleanup)

const rows = () =>
  within(screen.getByRole('region', { name: 'Worktrees' }))
    .getAllByRole('button')
    .map((row) => row.textContent)

test('worktrees are listed with their files and states, as long as there are some to merge', () => {
  know(worktree('old', { state: 'merged' }))
  expect(screen.queryByRole('region', { name: 'Worktrees' })).toBeNull()
  know(
    worktree('key', { files: 4, insertions: 61, deletions: 48, check: { kind: 'clean' } }),
    worktree('test', { files: 1, conflictsWith: [{ id: 'key', files: ['a.ts'] }] }),
    worktree('docs', { state: 'working' }),
    worktree('old', { state: 'merged' }),
  )
  expect(rows()).toEqual([
    'key+61 −48, “Task of key”: 4 files, merges cleanly',
    'test 1 file, “Task of test”: 1 file, 1 conflict with “Task of key”',
    'docs no changes, “Task of docs”: 0 files, working',
  ])
})

test('a row opens Review at its worktree; the arrow keys go from row to row', async () => {
  know(worktree('key'), worktree('test'))
  screen.getByRole('button', { name: /^key/ }).focus()
  await user.keyboard('{ArrowUp}{ArrowDown}{ArrowDown}')
  expect(document.activeElement?.textContent).toMatch(/^test/)
  await user.keyboard('{Enter}')
  expect([useSession.getState().view, useReview.getState().selectedId]).toEqual(['review', 'test'])
})
