/** Marks on viewed files, and their progress. */
import { cleanup, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { useViewedMarks } from '../../features/worktrees/diff-options.ts'
import { madeUpWorktree, textChange } from '../../features/worktrees/testing/review-world.ts'
import { button, drawReview, file, files, prepareReview, showReview } from './testing/review-stage.tsx'

const user = userEvent.setup()

const CHANGES = [
  textChange('a.ts', 'a\n', 'b\n'),
  textChange('b.ts', 'a\n', 'b\n'),
  textChange('c.ts', null, 'new\n'),
]
const ONE = madeUpWorktree({ id: 'one', agentName: 'helper' }, { changes: CHANGES })
const TWO = madeUpWorktree({ id: 'two', agentName: 'other' }, { changes: CHANGES })

prepareReview()

const viewed = () =>
  [...files().querySelectorAll('[role="option"]')].map((row) => /viewed/.test(row.textContent))
const isPressed = () => button('Viewed').getAttribute('aria-pressed')

test('V and the button mark the shown file; the heading counts', async () => {
  await showReview([ONE])
  expect(screen.getByRole('heading', { name: 'Files · 3' })).toBeTruthy()
  expect(isPressed()).toBe('false')
  await user.keyboard('v')
  expect(viewed()).toEqual([true, false, false])
  expect(isPressed()).toBe('true')
  await user.keyboard('{Enter}j')
  expect(file()).toContain('b.ts')
  // Also from the lines.
  await user.keyboard('{Enter}v')
  expect(screen.getByRole('heading', { name: 'Files · 2 of 3 viewed' })).toBeTruthy()
  await user.click(button('Viewed'))
  expect(viewed()).toEqual([true, false, false])
  await user.keyboard('{Escape}')
  expect(screen.getByRole('heading', { name: 'Files · 1 of 3 viewed' })).toBeTruthy()
})

test('a file that changes after its mark is not viewed; the other marks stay', async () => {
  const { world } = await showReview([ONE])
  await user.keyboard('v{Enter}jv')
  expect(viewed()).toEqual([true, true, false])
  const changed = [textChange('a.ts', 'a\n', 'c\n'), ...CHANGES.slice(1)]
  world.change('one', { uncommitted: 1 }, { changes: changed })
  await screen.findByRole('heading', { name: 'Files · 1 of 3 viewed' })
  expect(viewed()).toEqual([false, true, false])
})

test('marks belong to one worktree and survive a restart', async () => {
  const { world } = await showReview([ONE, TWO])
  await user.keyboard('v')
  expect(viewed()).toEqual([true, false, false])
  await user.keyboard('j')
  expect(viewed()).toEqual([false, false, false])
  cleanup()
  useViewedMarks.setState({ marks: {} })
  await drawReview()
  world.change('one', {})
  expect([...viewed()].filter(Boolean)).toHaveLength(0)
  await user.keyboard('k')
  expect(viewed()).toEqual([true, false, false])
})
