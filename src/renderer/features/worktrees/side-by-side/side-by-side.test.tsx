/** Attempts beside each other in every state that their worktrees and files can have. */
import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ReviewFileText } from '../../../../shared/worktrees/review.ts'
import { type ColumnAttempt, useSideBySide } from '../../../stores/comparison-store.ts'
import { useReview } from '../../../stores/review-store.ts'
import { useSession } from '../../../stores/session-store.ts'
import { Refusal } from '../../../testing/fake-handlers.ts'
import { FOLDER, startWindow } from '../../../testing/start-window.tsx'
import { TooltipProvider } from '../../../ui/popover.tsx'
import {
  type MadeUpChange,
  type MadeUpWorktree,
  madeUpWorktree,
  ReviewWorld,
  textChange,
} from '../testing/review-world.ts'
import { SideBySide } from './side-by-side.tsx'

const user = userEvent.setup()

beforeEach(() => {
  // happy-dom has no layout: every element gets the same size.
  for (const size of ['clientHeight', 'clientWidth', 'offsetHeight', 'offsetWidth'] as const)
    vi.spyOn(HTMLElement.prototype, size, 'get').mockReturnValue(1000)
})
afterEach(() => {
  cleanup()
  useReview.setState(useReview.getInitialState(), true)
  useSideBySide.setState({ isShown: false, choices: {} })
})

/** Loaded texts are kept by worktree: each test has its own. */
let tests = 0
beforeEach(() => {
  tests += 1
})
const idOf = (name: string) => `${name}-${tests}`

const worktree = (
  name: string,
  changes: readonly MadeUpChange[],
  more: Partial<MadeUpWorktree['worktree']> = {},
) => madeUpWorktree({ id: idOf(name), agentName: name, ...more }, { changes })

const attempt = (name: string, more: Partial<ColumnAttempt> = {}): ColumnAttempt => ({
  agentId: name,
  label: name,
  color: 'blue',
  worktreeId: idOf(name),
  isLive: false,
  isMerged: false,
  ...more,
})

/** `prepare` changes the world before the view loads it. */
async function show(
  worktrees: readonly MadeUpWorktree[],
  attempts: readonly ColumnAttempt[],
  prepare: (world: ReviewWorld) => void = () => {},
): Promise<ReviewWorld> {
  const bridge = await startWindow({ folder: FOLDER })
  const world = new ReviewWorld(() => FOLDER.path)
  world.all = worktrees
  prepare(world)
  world.onChange = (snapshot) => act(() => bridge.push({ type: 'review', snapshot }))
  bridge.answer(world.handlers)
  render(<SideBySide id="c1 b-1" attempts={attempts} />, { wrapper: TooltipProvider })
  await act(async () => {})
  return world
}

const list = () => screen.findByRole('listbox', { name: 'Compared files' })
const selected = async () => within(await list()).getByRole('option', { selected: true }).textContent
const column = (at: number) => screen.getByRole('group', { name: new RegExp(`^Column ${at}: `) })
const lines = () => screen.findByRole('grid')
const part = (name: string) => screen.findByRole('region', { name })

const both = ['one', 'two'] as const
const pair = () => both.map((name) => attempt(name))

test('an attempt that still works shows its state so far, follows its changes, and can’t be merged', async () => {
  const world = await show(
    [
      worktree('one', [textChange('a.ts', 'old\n', 'first try\n')], { state: 'working' }),
      worktree('two', [textChange('a.ts', 'old\n', 'other\n')]),
    ],
    [attempt('one', { isLive: true }), attempt('two')],
  )
  await waitFor(async () => expect((await lines()).textContent).toContain('first try'))
  expect(column(1).textContent).toContain('still working')
  expect(screen.queryByRole('button', { name: 'Merge one…' })).toBe(null)
  expect(screen.getByRole('button', { name: 'Merge two…' })).not.toBe(null)
  await user.keyboard('m')
  expect(useReview.getState().dialog).toBe(null)
  world.change(idOf('one'), {}, { changes: [textChange('a.ts', 'old\n', 'second try\n')] })
  await waitFor(async () => expect((await lines()).textContent).toContain('second try'))
  expect((await lines()).textContent).not.toContain('first try')
})

test('a discarded worktree and a removed one say so, and the other attempt is still shown', async () => {
  const world = await show(
    [
      worktree('one', [textChange('a.ts', 'old\n', 'mine\n')]),
      worktree('two', [textChange('a.ts', 'old\n', 'other\n'), textChange('b.ts', null, 'new\n')]),
    ],
    [...pair(), attempt('gone')],
  )
  expect(within(await list()).getAllByRole('option')).toHaveLength(2)
  await act(() =>
    world.handlers['review.discard']({
      folder: FOLDER.path,
      id: idOf('two'),
      confirm: `troupe/${idOf('two')}`,
    }),
  )
  await waitFor(() => expect(column(2).textContent).toContain('Its worktree was discarded.'))
  // Files that only the discarded attempt changed are gone, and so are its ways to Review.
  expect(within(await list()).getAllByRole('option')).toHaveLength(1)
  expect((await lines()).textContent).toContain('mine')
  expect(screen.queryByRole('button', { name: 'Review changes of two' })).toBe(null)
  expect(screen.queryByRole('button', { name: 'Merge two…' })).toBe(null)
  await user.keyboard('{ArrowRight}3')
  expect(column(2).getAttribute('aria-label')).toBe('Column 2: gone')
  expect(column(2).textContent).toContain('Its worktree was removed.')
  await user.keyboard('{Enter}m')
  expect(useReview.getState().dialog).toBe(null)
})

test.each<[string, ReviewFileText, string]>([
  ['binary', { kind: 'binary', bytesBefore: 1200, bytesAfter: 3400 }, 'Binary file'],
  ['too large', { kind: 'too-large', bytesBefore: null, bytesAfter: 9_000_000 }, 'Too large to show'],
])('a file that is %s is described for each attempt', async (_name, text, title) => {
  await show(
    [
      worktree('one', [{ path: 'a.bin', text }]),
      worktree('two', [textChange('a.bin', 'old\n', 'text now\n')]),
      worktree('three', [textChange('b.ts', null, 'new\n')]),
    ],
    [...pair(), attempt('three')],
    // The file of the third attempt is as it was.
    ({ handlers }) => {
      const file = handlers['review.file']
      Object.assign(handlers, {
        'review.file': (input: Parameters<typeof file>[0]) =>
          input.id === idOf('three') ? text : file(input),
      })
    },
  )
  await waitFor(async () => expect((await part('a.bin of one')).textContent).toContain(title))
  expect((await part('a.bin of two')).textContent).toContain('Review shows its lines.')
  await user.keyboard('{ArrowRight}3')
  expect((await part('a.bin of three')).textContent).toContain('This attempt left the file as it was.')
  expect(column(2).textContent).toContain('File not changed')
})

test('a key for the next change stays at a file whose lines are on their way', async () => {
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  await show(
    [
      worktree('one', [textChange('a.ts', 'old\n', 'new\n'), textChange('b.ts', null, 'b\n')]),
      worktree('two', [textChange('a.ts', 'old\n', 'newer\n')]),
    ],
    pair(),
    ({ handlers }) => {
      const file = handlers['review.file']
      Object.assign(handlers, {
        'review.file': async (input: Parameters<typeof file>[0]) => {
          await arrived
          return file(input)
        },
      })
    },
  )
  await screen.findByText('Comparing…')
  await user.keyboard('n')
  arrive()
  await waitFor(async () => expect((await lines()).textContent).toContain('newer'))
  await user.keyboard('n')
  expect((await lines()).getAttribute('aria-label')).toContain('a.ts')
})

test('a deleted file is beside its changed lines', async () => {
  await show(
    [
      worktree('one', [textChange('a.ts', 'keep\nold\n', null)]),
      worktree('two', [textChange('a.ts', 'keep\nold\n', 'keep\nnew\n')]),
    ],
    pair(),
  )
  await waitFor(async () => expect((await lines()).textContent).toContain('new'))
  expect(column(1).textContent).toMatch(/deleted/i)
  expect(column(1).textContent).toContain('−2')
  expect(column(2).textContent).toContain('+1 −1')
  expect(within(await lines()).queryAllByTitle('The same change in all columns')).toHaveLength(0)
})

test.each([
  [false, 'No changes to compare'],
  [true, 'No changes yet'],
])('attempts that changed nothing (working: %s) say so', async (isLive, title) => {
  await show(
    both.map((name) => worktree(name, [], { state: isLive ? 'working' : 'ready' })),
    both.map((name) => attempt(name, { isLive })),
  )
  await screen.findByText(title)
  expect(screen.queryByRole('listbox')).toBe(null)
})

test('changes that can’t be loaded say why, and are tried again', async () => {
  const world = await show(
    both.map((name) => worktree(name, [textChange('a.ts', 'old\n', `${name}\n`)])),
    pair(),
    ({ refusals }) => refusals.set('review.changes', new Refusal('git is missing.')),
  )
  await waitFor(() => expect(column(1).textContent).toContain('git is missing.'))
  expect(world.refusals.size).toBe(0)
  await user.click(await screen.findByRole('button', { name: 'Retry' }))
  await waitFor(async () => expect((await lines()).textContent).toContain('one'))
  expect(column(1).textContent).not.toContain('git is missing.')
})

test('each of eight attempts can be put into each column', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `attempt ${index + 1}`)
  await show(
    names.map((name) =>
      worktree(name, [
        textChange('shared.ts', 'old\n', `${name}\n`),
        textChange(`only/${name}.ts`, null, 'new\n'),
      ]),
    ),
    names.map((name) => attempt(name)),
  )
  expect(within(await list()).getAllByRole('option')).toHaveLength(9)
  await user.keyboard('{End}')
  expect(await selected()).toContain('shared.ts')
  expect(await selected()).toContain('8 of 8')
  await user.keyboard('8')
  await waitFor(async () => expect((await lines()).textContent).toContain('attempt 8'))
  expect(column(1).getAttribute('aria-label')).toBe('Column 1: attempt 8')
  expect(column(2).getAttribute('aria-label')).toBe('Column 2: attempt 2')
  await user.keyboard('{ArrowRight}7t')
  expect(column(2).getAttribute('aria-label')).toBe('Column 2: attempt 7')
  expect(column(3).getAttribute('aria-label')).toBe('Column 3: attempt 1')
  // The third column is the chosen one: its attempt is reviewed.
  await user.keyboard('{ArrowRight}5')
  await waitFor(async () => expect((await lines()).textContent).toContain('attempt 5'))
  await user.keyboard('{Enter}')
  expect(useReview.getState().selectedId).toBe(idOf('attempt 5'))
  expect(useSession.getState().view).toBe('review')
})
