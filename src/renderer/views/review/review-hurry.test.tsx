import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { madeUpWorktree, textChange } from '../../features/worktrees/testing/review-world.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import {
  busyWorktree,
  button,
  current,
  file,
  files,
  grid,
  prepareReview,
  showReview,
  worktrees,
} from './testing/review-stage.tsx'

const user = userEvent.setup()

const text = (lines: number, changed: readonly number[] = []) =>
  Array.from({ length: lines }, (_, at) =>
    changed.includes(at + 1) ? `new ${at + 1}\n` : `${at + 1}\n`,
  ).join('')

const ONE = madeUpWorktree(
  { id: 'one', agentName: 'helper', task: 'One key for each order' },
  {
    changes: [
      textChange('a.ts', text(60), text(60, [10, 50])),
      { path: 'b.png', text: { kind: 'binary', bytesBefore: null, bytesAfter: 12_400 } },
      textChange('c.ts', text(60), text(60, [5, 40])),
      textChange('d.ts', null, 'all of it\nis new\n'),
    ],
  },
)
const TWO = madeUpWorktree(
  {
    id: 'two',
    agentName: 'helper',
    task: 'Log every charge',
    check: { kind: 'conflicts', files: ['a.ts'] },
    conflictsWith: [{ id: 'one', files: ['a.ts'] }],
  },
  {
    changes: [textChange('a.ts', 'a\n', 'b\n')],
    conflicts: new Map([
      [
        'one',
        [
          {
            path: 'a.ts',
            because: 'both changed it',
            version: 'v1',
            base: null,
            ours: null,
            theirs: null,
            text: '<<<<<<< troupe/one\nof the other\n=======\nof its own\n>>>>>>> troupe/two\n',
          },
        ],
      ],
    ]),
  },
)
const BUSY = busyWorktree([textChange('d.md', 'one\n', 'two\n', { uncommitted: true })])

prepareReview()

const card = (name: RegExp) => within(worktrees()).getByRole('option', { name })
const dialog = (name: RegExp) => screen.queryByRole('dialog', { name })

test('N and P move through all files, including those without text, and keep the focus', async () => {
  await showReview([ONE])
  await user.keyboard('{Enter}{Enter}nn')
  expect(file()).toContain('b.png')
  expect(document.activeElement).toBe(files())
  await user.keyboard('n')
  expect(file()).toContain('c.ts')
  expect(document.activeElement).toBe(grid())
  expect(current()).toContain('new 5')
  await user.keyboard('nn')
  expect(file()).toContain('d.ts')
  // Moving backwards starts at the last change of a file.
  await user.keyboard('p')
  expect(file()).toContain('c.ts')
  expect(current()).toContain('new 40')
})

test('an unfinished comment takes no focus when the user only passes its file', async () => {
  await showReview([ONE, BUSY])
  await user.keyboard('{Enter}{Enter}c')
  await user.keyboard('half of')
  await user.click(card(/^doc-writer/))
  await user.keyboard('k')
  expect(screen.getByRole('textbox', { name: /Comment on line/ })).toBeTruthy()
  expect(document.activeElement).toBe(worktrees())
  await user.keyboard('{Enter}j')
  expect(file()).toContain('b.png')
  await user.keyboard('k')
  expect(document.activeElement).toBe(files())
})

test('keys work without a focused element and on a disabled button', async () => {
  await showReview([ONE, BUSY])
  worktrees().blur()
  await user.keyboard('m')
  expect(dialog(/^Merge/)).toBeTruthy()
  await user.keyboard('{Escape}')
  worktrees().blur()
  await user.keyboard('j')
  expect(document.activeElement).toBe(files())
  await user.click(card(/^doc-writer/))
  button('Merge into main').focus()
  await user.keyboard('a')
  expect(dialog(/^Ask about doc-writer/)).toBeTruthy()
})

test('a failure after its dialog closed is a notice; another open dialog stays', async () => {
  const { bridge } = await showReview([ONE, BUSY])
  let refuse = () => {}
  const refused = new Promise<never>((_, reject) => {
    refuse = () => reject(new Refusal('Another program holds the index. Nothing was changed.'))
  })
  bridge.answer({ 'review.merge': () => refused })
  await user.keyboard('m')
  await user.click(button('Merge into main'))
  await user.keyboard('{Escape}')
  await user.click(card(/^doc-writer/))
  await user.keyboard('d')
  await act(async () => refuse())
  expect((await screen.findAllByText(/Another program holds the index/)).length).toBeGreaterThan(0)
  expect(dialog(/^Discard/)).toBeTruthy()
})

test('a key does not repeat an action that is running', async () => {
  const { bridge } = await showReview([ONE])
  bridge.answer({ 'review.merge': () => new Promise<never>(() => {}) })
  await user.keyboard('m')
  await user.click(button('Merge into main'))
  await user.keyboard('{Escape}m')
  expect(dialog(/^Merge/)).toBeNull()
  await user.keyboard('d')
  expect(dialog(/^Discard/)).toBeNull()
  expect((await screen.findAllByText(/Wait until that is done/)).length).toBeGreaterThan(0)
})

test('a success after its dialog closed leaves another dialog open', async () => {
  const { bridge } = await showReview([ONE, BUSY])
  let merge = () => {}
  const merged = new Promise<{ into: string; commit: string; commits: number; files: number }>((resolve) => {
    merge = () => resolve({ into: 'main', commit: 'f00', commits: 1, files: 1 })
  })
  bridge.answer({ 'review.merge': () => merged })
  await user.keyboard('m')
  await user.click(button('Merge into main'))
  await user.keyboard('{Escape}')
  await user.click(card(/^doc-writer/))
  await user.keyboard('d')
  await act(async () => merge())
  expect((await screen.findAllByText(/Merged “One key for each order” into main/)).length).toBeGreaterThan(0)
  expect(dialog(/^Discard/)).toBeTruthy()
})

test('agents with the same name are labeled by task', async () => {
  await showReview([ONE, TWO])
  expect(card(/Log every charge/).textContent).toContain('1 conflict with “One key for each order”')
  await user.click(card(/Log every charge/))
  await user.click(screen.getByRole('radio', { name: /Conflicts/ }))
  const conflict = await screen.findByRole('region', { name: 'With “One key for each order”' })
  // Each side has the name of its worktree.
  const other = await within(conflict).findByText('of the other')
  expect(other.closest('[role=group]')?.getAttribute('aria-label')).toBe('“One key for each order”')
  const own = within(conflict).getByText('of its own')
  expect(own.closest('[role=group]')?.getAttribute('aria-label')).toBe('“Log every charge”')
})

test('a text selection stays on the side where it starts', async () => {
  await showReview([ONE])
  fireEvent.mouseDown(grid().querySelector('[data-code="after"]') as Element)
  expect(grid().dataset['marking']).toBe('after')
  fireEvent.mouseDown(grid().querySelector('[data-code="before"]') as Element)
  expect(grid().dataset['marking']).toBe('before')
})

test('an added file has one side even in the split layout', async () => {
  await showReview([ONE])
  expect(grid().querySelectorAll('[data-row]')[1]?.querySelectorAll('[data-code]')).toHaveLength(2)
  await user.keyboard('{Enter}{End}')
  await waitFor(() => expect(grid().textContent).toContain('is new'))
  expect(grid().querySelector('[data-row]')?.querySelectorAll('[role=gridcell]')).toHaveLength(3)
})

test('discarding a working agent’s worktree asks for no branch name', async () => {
  await showReview([BUSY])
  await user.keyboard('d')
  const box = dialog(/^Discard/) as HTMLElement
  expect(box.textContent).toContain('Stop it first')
  expect(within(box).queryByRole('textbox')).toBeNull()
})
