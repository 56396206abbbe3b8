/** The list of files in Review: its order, and folders as a tree. */
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { madeUpWorktree, textChange } from '../../features/worktrees/testing/review-world.ts'
import { button, files, grid, prepareReview, showReview, worktrees } from './testing/review-stage.tsx'

const user = userEvent.setup()

const work = (paths: readonly string[]) =>
  madeUpWorktree(
    { id: 'one', agentName: 'helper' },
    { changes: paths.map((path) => textChange(path, 'a\n', `${path}\n`)) },
  )
const MANY = [
  ...Array.from({ length: 10 }, (_, index) => `src/ui/file${index + 1}.ts`),
  'src/main/run.ts',
  'README.md',
]

prepareReview()
afterEach(() => localStorage.clear())

const tree = () => screen.getByRole('tree', { name: 'Files' })
const names = () =>
  within(tree())
    .getAllByRole('treeitem')
    .map((row) => row.querySelector('[data-file-name]')?.textContent ?? `${row.textContent}/`)
const active = () => {
  const row = document.getElementById(tree().getAttribute('aria-activedescendant') ?? '')
  return row?.querySelector('[data-file-name]')?.textContent ?? row?.textContent
}
const folder = (name: RegExp) => within(tree()).getByRole('treeitem', { name })

test('few files are a list in natural order', async () => {
  await showReview([work(['file10.ts', 'file2.ts', 'b/z.ts'])])
  const paths = within(files())
    .getAllByRole('option')
    .map((row) => row.querySelector('[data-file-name]')?.textContent)
  expect(paths).toEqual(['z.ts', 'file2.ts', 'file10.ts'])
})

test('many files are a tree; keys close and open its folders', async () => {
  await showReview([work(MANY)])
  expect(names().slice(0, 6)).toEqual(['src/', 'main/', 'run.ts', 'ui/', 'file1.ts', 'file2.ts'])
  expect(names().at(-2)).toBe('file10.ts')
  expect(active()).toBe('run.ts')
  await user.keyboard('{Enter}')
  expect(document.activeElement).toBe(tree())
  // From a file to its folder, then closed; the shown file stays.
  await user.keyboard('{ArrowLeft}')
  expect(active()).toBe('main')
  await user.keyboard('{ArrowLeft}')
  expect(folder(/^main/).getAttribute('aria-expanded')).toBe('false')
  expect(folder(/^main/).textContent).toContain('1 file')
  expect(grid().textContent).toContain('src/main/run.ts')
  await user.keyboard('{ArrowRight}{ArrowRight}')
  expect(active()).toBe('run.ts')
  // J passes folders, the arrow keys reach them.
  await user.keyboard('j')
  expect(active()).toBe('file1.ts')
  await user.keyboard('{ArrowUp}')
  expect(active()).toBe('ui')
  await user.keyboard('{Home}{ArrowLeft}{ArrowLeft}')
  expect(document.activeElement).toBe(worktrees())
})

test('a click closes a folder; a file that is selected elsewhere opens it again', async () => {
  await showReview([work(MANY)])
  await user.click(folder(/^ui/))
  expect(names()).toEqual(['src/', 'main/', 'run.ts', 'ui10 files/', 'README.md'])
  // N goes on to the next file.
  await user.keyboard('{Enter}{Home}')
  await user.keyboard('nn')
  expect(grid().textContent).toContain('src/ui/file1.ts')
  expect(names()).toContain('file1.ts')
})

test('the choice between tree and list is kept', async () => {
  await showReview([work(MANY)])
  await user.click(button('Folders as a tree'))
  expect(within(files()).getAllByRole('option')).toHaveLength(12)
  expect(files().textContent).toContain('src/ui/file1.ts')
  expect(localStorage.getItem('review-file-tree')).toBe('list')
})
