/** The cards of Review keep their places while their worktrees change, until the user sorts them again. */
import { act, cleanup, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { madeUpWorktree, textChange } from '../../features/worktrees/testing/review-world.ts'
import {
  busyWorktree,
  button,
  drawReview,
  prepareReview,
  showReview,
  worktrees,
} from './testing/review-stage.tsx'

const user = userEvent.setup()

const made = (id: string, more = {}) =>
  madeUpWorktree(
    { id, agentName: id, task: `${id} task`, ...more },
    { changes: [textChange('a.ts', 'a\n', 'b\n')] },
  )
const BUSY = busyWorktree([textChange('d.md', 'one\n', 'two\n')])

prepareReview()

/** Headings and cards from the top down, each by its first word. */
const listed = () =>
  [...worktrees().querySelectorAll('[role=group], [role=option]')].map((element) =>
    element.getAttribute('role') === 'group'
      ? (element.getAttribute('aria-label') ?? '')
      : (element.querySelector('b')?.textContent ?? ''),
  )
const selected = () =>
  within(worktrees()).getByRole('option', { selected: true }).querySelector('b')?.textContent
const toolbar = () => within(screen.getByRole('toolbar', { name: 'Review' }))

test('a merged card keeps its place, and a second press of "Merge" reaches no other card', async () => {
  const { bridge } = await showReview([made('one'), made('two'), made('three'), BUSY])
  const before = listed()
  await user.keyboard('j')
  const name = selected()
  await user.click(toolbar().getByRole('button', { name: 'Merge into main' }))
  const dialog = within(screen.getByRole('dialog', { name: /^Merge/ }))
  await user.dblClick(dialog.getByRole('button', { name: 'Merge into main' }))
  expect(selected()).toBe(name)
  const merge = toolbar().getByRole('button', { name: 'Merge into main' })
  await user.dblClick(merge)
  expect(merge.getAttribute('aria-disabled')).toBe('true')
  expect(screen.queryByRole('dialog', { name: /^Merge/ })).toBeNull()
  expect(bridge.inputsOf('review.merge')).toHaveLength(1)
  expect(listed()).toEqual(['Ready to merge · 2 of 3', ...before.slice(1)])
  expect(within(worktrees()).getByRole('option', { selected: true }).textContent).toContain(
    'merged into main',
  )
})

test('"Sort again" orders the cards by state, and goes when nothing is left to sort', async () => {
  const { world } = await showReview([made('one'), made('two'), BUSY])
  expect(screen.queryByRole('button', { name: 'Sort again' })).toBeNull()
  await act(async () => world.change('one', { state: 'working' }))
  await act(async () => world.change('busy', { state: 'ready', check: { kind: 'clean' } }))
  expect(listed()[0]).toBe('Ready to merge · 1 of 2')
  expect(within(worktrees()).getByRole('option', { name: /one/ }).textContent).toContain('still working')
  await user.click(button('Sort again'))
  expect(listed().filter((text) => text.includes('·'))).toEqual(['Ready to merge · 2', 'Still working · 1'])
  expect(screen.queryByRole('button', { name: 'Sort again' })).toBeNull()
})

test('the view opens sorted', async () => {
  const { world } = await showReview([made('one'), made('two')])
  await act(async () => world.change('one', { state: 'working' }))
  expect(listed()[0]).toBe('Ready to merge · 1 of 2')
  cleanup()
  await drawReview()
  expect(listed().filter((text) => text.includes('·'))).toEqual(['Ready to merge · 1', 'Still working · 1'])
})

test('a new worktree comes last; a discarded one returns to its place', async () => {
  const { world } = await showReview([made('one'), made('two'), BUSY])
  const before = listed()
  await act(async () =>
    world.handlers['review.discard']({ folder: '', id: 'one', confirm: 'troupe/one', seen: null }),
  )
  await act(async () => {
    world.all = [made('late'), ...world.all]
    world.handlers['review.undoDiscard']({ folder: '', id: 'one' })
  })
  expect(listed()).toEqual([...before, 'New · 1', 'late task'])
})

test('cards are sorted by their first merge checks, unless the user already points at them', async () => {
  const unchecked = [made('one', { check: null }), made('two', { check: null })]
  const conflict = { check: { kind: 'conflicts' as const, files: ['a.ts'] } }
  const first = await showReview(unchecked)
  await act(async () => first.world.change('one', conflict))
  await act(async () => first.world.change('two', { check: { kind: 'clean' } }))
  expect(listed().filter((text) => text.includes('·'))).toEqual(['Ready to merge · 1', 'Conflicts · 1'])
  cleanup()
  const second = await showReview(unchecked)
  await user.hover(worktrees())
  await act(async () => second.world.change('one', conflict))
  await act(async () => second.world.change('two', { check: { kind: 'clean' } }))
  expect(listed()[0]).toBe('Ready to merge · 1 of 2')
})
