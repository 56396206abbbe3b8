/** Taking back a merge, a file or a change, and what the lines of a file don't show. */
import { fireEvent, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { madeUpWorktree, textChange } from '../../features/worktrees/testing/review-world.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import {
  busyWorktree,
  file,
  files,
  grid,
  prepareReview,
  showReview,
  worktrees,
} from './testing/review-stage.tsx'

const user = userEvent.setup()

const lines = (changed: readonly number[]) =>
  Array.from({ length: 40 }, (_, at) => (changed.includes(at) ? `new ${at}\n` : `${at}\n`)).join('')

const ONE = madeUpWorktree(
  { id: 'one', agentName: 'helper' },
  {
    changes: [
      textChange('a.ts', lines([]), lines([4, 30])),
      textChange('build.sh', 'go\n', 'go\n', { notes: ['Mode changed 644 → 755'] }),
      textChange('fresh.ts', null, 'new\n'),
      textChange('void.txt', null, '', { notes: ['Empty file added'] }),
    ],
  },
)
const BUSY = busyWorktree([textChange('b.ts', 'a\n', 'b\n')])

prepareReview()

const toolbar = () => within(screen.getByRole('toolbar', { name: 'Review' }))
const menu = async () => {
  await user.click(toolbar().getByRole('button', { name: 'More' }))
  return screen.findByRole('menuitem', { name: /^Take back this file/ })
}

test('a merge can be undone from its notice and from the worktree', async () => {
  const { bridge, world } = await showReview([ONE])
  await user.keyboard('m')
  await user.click(
    within(screen.getByRole('dialog', { name: /^Merge/ })).getByRole('button', { name: 'Merge into main' }),
  )
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  expect(bridge.inputsOf('review.undoMerge')).toEqual([{ folder: '/work/shop', id: 'one' }])
  expect((await screen.findAllByText('Undid the merge of helper into main.')).length).toBeGreaterThan(0)
  expect(screen.queryByRole('button', { name: 'Undo merge' })).toBeNull()
  const merged = { into: 'main', commit: 'c0ffee1234567890', method: 'merge' as const, at: 0, undoable: true }
  world.change('one', { state: 'merged', commits: 0, merged, check: { kind: 'nothing' } })
  expect(screen.getByText(/^Merged into main as/)).toBeTruthy()
  world.refusals.set('review.undoMerge', new Refusal('main has newer commits than the merge.', 'moved'))
  await user.click(screen.getByRole('button', { name: 'Undo merge' }))
  expect((await screen.findAllByText('main has newer commits than the merge.')).length).toBeGreaterThan(0)
  await user.click(screen.getByRole('button', { name: 'Undo merge' }))
  expect(bridge.inputsOf('review.undoMerge')).toHaveLength(3)
  world.change('one', { state: 'merged', merged: { ...merged, undoable: false } })
  expect(screen.queryByRole('button', { name: 'Undo merge' })).toBeNull()
})

test('a file is taken back by key or menu, and restored', async () => {
  const { bridge } = await showReview([ONE])
  await user.keyboard('b')
  expect(bridge.inputsOf('review.takeBack')).toMatchObject([{ id: 'one', path: 'a.ts', part: null }])
  // The next file is shown.
  expect(file()).toContain('build.sh')
  expect((await screen.findAllByText('Took back a.ts.')).length).toBeGreaterThan(0)
  await user.click(screen.getByRole('button', { name: 'Restore' }))
  expect(bridge.inputsOf('review.undoTakeBack')).toEqual([{ folder: '/work/shop', id: 'one' }])
  expect(screen.queryByRole('button', { name: 'Restore' })).toBeNull()
  await user.click(await menu())
  expect(bridge.inputsOf('review.takeBack').at(-1)).toMatchObject({ path: 'build.sh', part: null })
})

test('the change at the cursor is taken back with B, or with its button', async () => {
  const { bridge, world } = await showReview([ONE])
  await user.keyboard('{Enter}{Enter}nb')
  expect(bridge.inputsOf('review.takeBack')).toMatchObject([
    { path: 'a.ts', part: { before: 30, beforeCount: 1, after: 30, afterCount: 1 } },
  ])
  expect(file()).toContain('a.ts')
  const [first] = within(grid()).getAllByRole('button', { name: 'Take back this change' })
  if (first === undefined) throw new Error('no button')
  await user.click(first)
  expect(bridge.inputsOf('review.takeBack').at(-1)?.part).toEqual({
    before: 4,
    beforeCount: 1,
    after: 4,
    afterCount: 1,
  })
  // The focus is on the lines, where B means one change.
  expect(document.activeElement).toBe(grid())
  // On an unchanged line there is nothing to take back.
  await user.keyboard('{Home}b')
  expect(bridge.inputsOf('review.takeBack')).toHaveLength(2)
  world.refusals.set('review.takeBack', new Refusal('a.ts changed since it was shown.', 'moved'))
  await user.keyboard('nb')
  expect((await screen.findAllByText('a.ts changed since it was shown.')).length).toBeGreaterThan(0)
})

test('B on the lines of an added file takes back the file', async () => {
  const { bridge } = await showReview([ONE])
  fireEvent.keyDown(files(), { key: 'End' })
  await user.keyboard('{Enter}k{Enter}b')
  expect(bridge.inputsOf('review.takeBack')).toMatchObject([{ path: 'fresh.ts', part: null }])
})

test('nothing is taken back while the agent works', async () => {
  const { bridge } = await showReview([BUSY])
  await user.keyboard('b{Enter}{Enter}b')
  expect(bridge.inputsOf('review.takeBack')).toEqual([])
  expect(screen.queryByRole('button', { name: 'Take back this change' })).toBeNull()
  expect((await menu()).getAttribute('aria-disabled')).toBe('true')
})

test('changes that the lines don’t show are said in the list and below the file', async () => {
  await showReview([ONE])
  const row = within(files()).getByRole('option', { name: /build\.sh/ })
  expect(row.textContent).toContain('Mode changed 644 → 755')
  expect(row.textContent).not.toContain('+0')
  await user.click(row)
  expect(screen.getByRole('note', { name: 'About build.sh' }).textContent).toBe('Mode changed 644 → 755')
  fireEvent.keyDown(files(), { key: 'End' })
  expect(screen.getByRole('note', { name: 'About void.txt' }).textContent).toBe('Empty file added')
  fireEvent.keyDown(files(), { key: 'Home' })
  expect(screen.queryByRole('note')).toBeNull()
  expect(worktrees()).toBeTruthy()
})
