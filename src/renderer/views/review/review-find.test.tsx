/** Find in the diff of a file. */
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { madeUpWorktree, textChange } from '../../features/worktrees/testing/review-world.ts'
import { button, current, file, grid, prepareReview, showReview } from './testing/review-stage.tsx'

const user = userEvent.setup()

const lines = (changed: string) =>
  Array.from({ length: 60 }, (_, at) =>
    at === 5 ? `${changed}\n` : at === 40 ? 'the Needle (x)\n' : `line ${at}\n`,
  ).join('')
const ONE = madeUpWorktree(
  { id: 'one', agentName: 'helper' },
  {
    changes: [
      textChange('a.txt', lines('old needle'), lines('new needle needle')),
      textChange('b.txt', 'x\n', 'needle\n'),
    ],
  },
)

prepareReview()

const bar = () => within(screen.getByRole('search'))
const status = () => bar().getByRole('status').textContent

test('Ctrl F finds in all lines, opens hidden ones, and goes around', async () => {
  await showReview([ONE])
  await user.keyboard('{Control>}f{/Control}')
  await user.keyboard('NEEDLE')
  expect(status()).toBe('1 of 4')
  expect(current()).toContain('needle')
  expect(grid().textContent).not.toContain('Needle (x)')
  await user.keyboard('{Enter}{Enter}{Enter}')
  expect(status()).toBe('4 of 4')
  expect(current()).toContain('the Needle (x)')
  await user.keyboard('{Enter}')
  expect(status()).toBe('1 of 4')
  await user.keyboard('{Shift>}{Enter}{/Shift}')
  expect(status()).toBe('4 of 4')
  await user.click(button('Next match'))
  expect(status()).toBe('1 of 4')
})

test('signs are plain text; nothing found is said; Escape closes and returns to the lines', async () => {
  await showReview([ONE])
  await user.keyboard('{Control>}f{/Control}')
  await user.keyboard('e (x)')
  expect(status()).toBe('1 of 1')
  await user.keyboard('(')
  expect(status()).toBe('Nothing found')
  await user.keyboard('{Enter}{Escape}')
  expect(screen.queryByRole('search')).toBeNull()
  expect(document.activeElement).toBe(grid())
})

test('the search stays from file to file and does not take the focus again', async () => {
  await showReview([ONE])
  await user.keyboard('{Control>}f{/Control}')
  await user.keyboard('needle')
  screen.getByRole('listbox', { name: 'Files' }).focus()
  await user.keyboard('j')
  expect(file()).toContain('b.txt')
  expect(status()).toBe('1 of 1')
  expect(document.activeElement).toBe(screen.getByRole('listbox', { name: 'Files' }))
})
