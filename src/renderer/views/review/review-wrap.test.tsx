/** Line wrap of a diff, and marked text while colors arrive. */
import { fireEvent, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { madeUpWorktree, textChange } from '../../features/worktrees/testing/review-world.ts'
import { button, grid, prepareReview, showReview } from './testing/review-stage.tsx'

const user = userEvent.setup()

const LONG = 'x'.repeat(700)
const ONE = madeUpWorktree(
  { id: 'one', agentName: 'helper' },
  { changes: [textChange('a.txt', `short\n${LONG}\n`, 'short\nnew\n')] },
)

prepareReview()

const columns = () => grid().style.getPropertyValue('--columns')

test('L and the menu switch the line wrap, which survives a restart', async () => {
  await showReview([ONE])
  expect(grid().dataset['wrap']).toBe('on')
  await user.keyboard('l')
  expect(grid().dataset['wrap']).toBe('off')
  // The scrolled area is as wide as the longest line.
  expect(columns()).toBe('700')
  expect(JSON.parse(localStorage.getItem('review-look') ?? '')).toMatchObject({ wrap: false })
  await user.click(button(/^Diff options/))
  await user.click(await screen.findByRole('menuitem', { name: /^Wrap lines/ }))
  expect(grid().dataset['wrap']).toBe('on')
})

test('without wrap, only the text scrolls sideways, also from the keyboard', async () => {
  await showReview([ONE])
  await user.keyboard('l{Enter}{Enter}')
  const area = grid()
  const moves: number[] = []
  area.scrollBy = (to?: ScrollToOptions | number) => {
    if (typeof to === 'object') moves.push(Math.sign(to.left ?? 0))
  }
  await user.keyboard('{Shift>}{ArrowRight}{ArrowRight}{ArrowLeft}{/Shift}')
  expect(moves).toEqual([1, 1, -1])
  expect(document.activeElement).toBe(area)
  area.scrollLeft = 120
  fireEvent.scroll(area)
  expect(area.style.getPropertyValue('--sideways')).toBe('120')
  area.scrollLeft = 0
  fireEvent.scroll(area)
  expect(area.style.getPropertyValue('--sideways')).toBe('0')
})
