/** Merging from the window: known conflicts, merging in order, another branch, and the undo. */
import { act, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { madeUpWorktree, textChange } from '../../features/worktrees/testing/review-world.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { prepareReview, showReview } from './testing/review-stage.tsx'

const user = userEvent.setup()

const CLEAN = madeUpWorktree(
  { id: 'one', agentName: 'helper', task: 'One key for each order' },
  { changes: [textChange('a.ts', 'a\n', 'b\n')] },
)
const ALSO_CLEAN = madeUpWorktree(
  { id: 'two', agentName: 'helper', task: 'Log every charge' },
  { changes: [textChange('b.ts', 'a\n', 'b\n')] },
)
const CONFLICTING = madeUpWorktree(
  { id: 'three', agentName: 'bench', task: 'Measure', check: { kind: 'conflicts', files: ['a.ts'] } },
  { changes: [textChange('a.ts', 'a\n', 'c\n')] },
)
const MERGED = madeUpWorktree({
  id: 'done',
  agentName: 'docs',
  state: 'merged',
  commits: 0,
  check: { kind: 'nothing' },
  merged: { into: 'main', commit: 'c0ffee1234567890', method: 'merge', at: 0, undoable: true },
})

prepareReview()

const toolbar = () => within(screen.getByRole('toolbar', { name: 'Review' }))
const box = () => within(screen.getByRole('dialog', { name: /^(?!Notice|Error)/ }))

test('a merge known to conflict offers the agent first, then by hand', async () => {
  const { bridge } = await showReview([CONFLICTING])
  expect(toolbar().queryByRole('button', { name: 'Merge into main' })).toBeNull()
  await user.keyboard('m')
  expect(box().queryByRole('button', { name: 'Merge into main' })).toBeNull()
  expect(box().getByRole('button', { name: 'Ask agent to resolve' })).toBeTruthy()
  await user.click(box().getByRole('button', { name: 'Resolve by hand' }))
  expect(screen.getByRole('region', { name: 'With main' })).toBeTruthy()
  await user.click(toolbar().getByRole('button', { name: 'Merge options' }))
  expect(await screen.findByRole('menuitem', { name: /^Resolve by hand/ })).toBeTruthy()
  await user.keyboard('{Escape}')
  await user.click(toolbar().getByRole('button', { name: 'Ask agent to resolve' }))
  expect(bridge.inputsOf('review.resolve')).toEqual([{ folder: '/work/shop', id: 'three', into: null }])
  expect(bridge.inputsOf('review.merge')).toEqual([])
})

test('only commits of a conflicting branch, or another target, can be merged as before', async () => {
  await showReview([CONFLICTING])
  await user.keyboard('m')
  await user.click(box().getByRole('radio', { name: /^Cherry-pick/ }))
  expect(box().getByRole('button', { name: 'Cherry-pick into main' })).toBeTruthy()
  await user.click(box().getByRole('radio', { name: /^Squash/ }))
  expect(box().queryByRole('button', { name: 'Squash into main' })).toBeNull()
  const into = box().getByRole('combobox', { name: 'Target branch' })
  await user.clear(into)
  await user.type(into, 'release/2.4')
  expect(box().getByRole('button', { name: 'Squash into release/2.4' })).toBeTruthy()
})

test('a conflict that only the merge found offers the same, for the branch that was chosen', async () => {
  const { bridge, world } = await showReview([CLEAN])
  world.refusals.set('review.merge', new Refusal('troupe/one conflicts with release/2.4.', 'conflicts'))
  await user.keyboard('m')
  const into = box().getByRole('combobox', { name: 'Target branch' })
  await user.clear(into)
  await user.type(into, 'release/2.4{Enter}')
  expect(await box().findByText('troupe/one conflicts with release/2.4.')).toBeTruthy()
  await user.click(box().getByRole('button', { name: 'Resolve by hand' }))
  expect(await screen.findByRole('region', { name: 'With release/2.4' })).toBeTruthy()
  expect(bridge.inputsOf('review.conflicts').at(-1)).toEqual({
    folder: '/work/shop',
    id: 'one',
    with: null,
    into: 'release/2.4',
  })
  await user.click(
    within(screen.getByRole('region', { name: 'With release/2.4' })).getByRole('button', {
      name: 'Ask agent to resolve',
    }),
  )
  expect(bridge.inputsOf('review.resolve')).toEqual([
    { folder: '/work/shop', id: 'one', into: 'release/2.4' },
  ])
})

test('after a merge the work can be merged into another branch too', async () => {
  const { bridge } = await showReview([MERGED])
  expect(toolbar().getByRole('button', { name: 'Merge into main' }).getAttribute('aria-disabled')).toBe(
    'true',
  )
  await user.click(toolbar().getByRole('button', { name: 'Merge options' }))
  await user.click(await screen.findByRole('menuitem', { name: /^Into another branch/ }))
  await user.type(box().getByRole('combobox', { name: 'Target branch' }), 'release/2.4{Enter}')
  expect(bridge.inputsOf('review.merge')).toMatchObject([{ id: 'done', into: 'release/2.4' }])
})

test('merging in order names tasks, leaves worktrees out, and follows the order of the user', async () => {
  const { bridge } = await showReview([CLEAN, ALSO_CLEAN, CONFLICTING])
  await user.click(screen.getByRole('button', { name: 'Merge 3 in order…' }))
  const names = () =>
    within(box().getByRole('list', { name: 'Order' }))
      .getAllByRole('checkbox')
      .map((tick) => tick.getAttribute('aria-label'))
  expect(names()).toEqual(['One key for each order (helper)', 'Log every charge (helper)', 'Measure (bench)'])
  // A known conflict would end the merging.
  const bench = box().getByRole('checkbox', { name: /^Measure/ })
  expect((bench as HTMLInputElement).checked).toBe(false)
  expect(bench.closest('li')?.textContent).toContain('1 conflict with main')
  await user.click(box().getByRole('button', { name: 'Move Log every charge up' }))
  expect(names()[0]).toContain('Log every charge')
  expect(box().getByRole('button', { name: 'Move Log every charge up' }).getAttribute('aria-disabled')).toBe(
    'true',
  )
  // The same from the keyboard, on a tick box; the focus moves with its row.
  box()
    .getByRole('checkbox', { name: /^Log every charge/ })
    .focus()
  await user.keyboard('{Alt>}{ArrowDown}{/Alt}')
  expect(names()[1]).toContain('Log every charge')
  await user.keyboard('{Alt>}{ArrowUp}{/Alt}')
  expect(document.activeElement?.getAttribute('aria-label')).toContain('Log every charge')
  await user.click(box().getByRole('checkbox', { name: /^One key/ }))
  await user.click(box().getByRole('checkbox', { name: /^Log/ }))
  expect(box().getByRole('button', { name: 'Merge 0 worktrees' }).getAttribute('aria-disabled')).toBe('true')
  await user.click(box().getByRole('checkbox', { name: /^One key/ }))
  await user.click(box().getByRole('checkbox', { name: /^Log/ }))
  await user.click(box().getByRole('button', { name: 'Merge 2 worktrees' }))
  expect(await box().findByText('2 of 2 merged. 1 left out.')).toBeTruthy()
  expect(bridge.inputsOf('review.merge').map(({ id }) => id)).toEqual(['two', 'one'])
  expect(box().queryByRole('button', { name: 'Merge remaining' })).toBeNull()
})

test('of two worktrees that conflict with each other, only the first one is ticked', async () => {
  const { world } = await showReview([CLEAN, ALSO_CLEAN])
  await user.click(screen.getByRole('button', { name: 'Merge 2 in order…' }))
  const tick = () => box().getByRole('checkbox', { name: /^Log every charge/ })
  expect((tick() as HTMLInputElement).checked).toBe(true)
  // The check arrives while the dialog is open.
  await act(async () => world.change('two', { conflictsWith: [{ id: 'one', files: ['a.ts'] }] }))
  expect((tick() as HTMLInputElement).checked).toBe(false)
  expect(tick().closest('li')?.textContent).toContain('Conflicts with “One key for each order”')
  expect(box().getByRole('button', { name: 'Merge 1 worktree' })).toBeTruthy()
  // Without the first one, there is no conflict.
  await user.click(box().getByRole('checkbox', { name: /^One key/ }))
  expect(tick().closest('li')?.textContent).not.toContain('Conflicts with')
})
