import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import {
  type MadeUpWorktree,
  madeUpWorktree,
  type ReviewWorld,
  textChange,
} from '../../features/review/testing/review-world.ts'
import { useReviewComments } from '../../stores/review-comments.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/refusal.ts'
import { FOLDER } from '../../testing/start-window.tsx'
import {
  busyWorktree,
  button,
  current,
  drawReview,
  file,
  files,
  grid,
  prepareReview,
  showReview,
  worktrees,
} from './testing/review-stage.tsx'

let bridge: FakeBridge
let world: ReviewWorld
const user = userEvent.setup()

const lines = (amount: number, change: (index: number) => string | null = () => null) =>
  `${Array.from({ length: amount }, (_, index) => change(index) ?? `line ${index + 1}`).join('\n')}\n`

const ONE = madeUpWorktree(
  { id: 'one', agentName: 'refactorer', task: 'One key', commits: 2 },
  {
    changes: [
      textChange(
        'src/charge.ts',
        lines(60),
        lines(60, (index) => (index === 9 ? 'line ten' : index === 49 ? 'line fifty' : null)),
      ),
      textChange('src/order.ts', 'const a = 1\n', 'const a  =  1\n'),
      textChange('src/new.ts', null, 'const fresh = true\n'),
    ],
    commits: [
      { sha: 'bbbbbbbb1111', subject: 'Second step', author: 'Ada', at: 2 },
      { sha: 'aaaaaaaa1111', subject: 'First step', author: 'Ada', at: 1 },
    ],
  },
)
const TWO = madeUpWorktree(
  {
    id: 'two',
    agentName: 'test-writer',
    check: { kind: 'conflicts', files: ['src/charge.ts'] },
    conflictsWith: [{ id: 'one', files: ['src/charge.ts'] }],
  },
  {
    changes: [textChange('src/charge.ts', 'const k = 1\n', 'const k = 2\n')],
    conflicts: new Map([
      [
        '',
        [
          {
            path: 'src/charge.ts',
            because: 'both changed it',
            text: '<<<<<<< main\nconst k = 3\n=======\nconst k = 2\n>>>>>>> troupe/two\n',
          },
        ],
      ],
    ]),
  },
)
const BUSY = busyWorktree([textChange('docs/a.md', null, 'one\ntwo\n', { uncommitted: true })])
const DONE = madeUpWorktree(
  {
    id: 'done',
    agentName: 'bench',
    state: 'merged',
    commits: 0,
    check: { kind: 'nothing' },
    merged: { into: 'main', commit: 'f00', method: 'squash', at: 0 },
  },
  { changes: [] },
)

prepareReview()

async function show(
  made: readonly MadeUpWorktree[] = [ONE, TWO, BUSY, DONE],
  prepare?: (world: ReviewWorld) => void,
) {
  const shown = await showReview(made, {
    folder: { ...FOLDER, dirtyFiles: 3 },
    ...(prepare && { prepare }),
  })
  bridge = shown.bridge
  world = shown.world
}

const card = (name: string) => within(worktrees()).getByRole('option', { name: new RegExp(`^${name}`) })
const selected = () => within(worktrees()).getByRole('option', { selected: true }).textContent
/** Not a notice, which is a dialog too. */
const dialog = () => screen.findByRole('dialog', { name: /^(?!Notice|Error)/ })
const merges = () => bridge.inputsOf('review.merge')

test('worktrees stand in groups, in the order in which they are to be merged; leaving ends the watch', async () => {
  await show()
  const groups = within(worktrees()).getAllByRole('group')
  expect(groups.map((group) => group.getAttribute('aria-label'))).toEqual([
    'Ready to merge · 1',
    'Conflicts · 1',
    'Still working · 1',
    'Merged · 1',
  ])
  expect(card('refactorer').textContent).toContain('merges cleanly')
  expect(card('test-writer').textContent).toContain('1 conflict with main')
  expect(card('test-writer').textContent).toContain('1 conflict with refactorer')
  expect(screen.getByText('4 worktrees')).toBeTruthy()
  expect(screen.getByText('main is 2 commits ahead of origin')).toBeTruthy()
  cleanup()
  expect(bridge.inputsOf('review.watch')).toEqual([
    { folder: '/work/shop', watched: true },
    { folder: '/work/shop', watched: false },
  ])
})

test('with keys alone: through the worktrees, into the files, to the lines, and back', async () => {
  await show()
  expect(document.activeElement).toBe(worktrees())
  expect(selected()).toContain('refactorer')
  await user.keyboard('jj')
  expect(selected()).toContain('doc-writer')
  await user.keyboard('k{ArrowUp}k')
  expect(selected()).toContain('refactorer')
  await user.keyboard('{Enter}')
  expect(document.activeElement).toBe(files())
  expect(file()).toContain('charge.ts')
  await user.keyboard('j{ArrowDown}k')
  expect(file()).toContain('order.ts')
  await user.keyboard('k{Enter}')
  expect(document.activeElement).toBe(grid())
  expect(current()).toContain('line 10')
  await user.keyboard('j')
  expect(current()).toContain('line 11')
  await user.keyboard('{Escape}')
  expect(document.activeElement).toBe(files())
  await user.keyboard('{ArrowLeft}')
  expect(document.activeElement).toBe(worktrees())
})

test('n and p go from change to change, and on into the next file', async () => {
  await show()
  await user.keyboard('{Enter}{Enter}n')
  expect(current()).toContain('line fifty')
  await user.keyboard('p')
  expect(current()).toContain('line ten')
  await user.keyboard('nn')
  expect(file()).toContain('order.ts')
})

test('a gap opens with Enter; the whole file is a key away, and so are spaces and the layout', async () => {
  await show()
  expect(grid().textContent).not.toContain('line 30')
  expect(grid().textContent).toContain('33 unchanged lines')
  await user.keyboard('{Enter}{Enter}')
  for (let presses = 0; presses < 12 && !current()?.includes('33 unchanged'); presses++)
    await user.keyboard('j')
  await user.keyboard('{Enter}')
  expect(grid().textContent).not.toContain('33 unchanged lines')
  expect(current()).toContain('line 14')
  await user.keyboard('v')
  expect(button('Unified: how it is shown')).toBeTruthy()
  await user.keyboard('x')
  expect(grid().textContent).not.toContain('unchanged')
  await user.keyboard('{Escape}j')
  expect(grid().textContent).toContain('const a  =  1')
  await user.keyboard('xw')
  expect(screen.getByText('Only spaces changed')).toBeTruthy()
})

test('a comment: written with c, kept for its worktree, edited, deleted, there again after a restart', async () => {
  await show()
  await user.keyboard('{Enter}{Enter}c')
  const field = screen.getByRole('textbox', { name: 'Comment on line 10' })
  expect(document.activeElement).toBe(field)
  await user.keyboard('why ten?{Enter}')
  expect(document.activeElement).toBe(grid())
  expect(grid().textContent).toContain('You on line 10: why ten?')
  expect(card('refactorer').textContent).toContain('1 comment not sent')
  // Another one is half written as the window is closed.
  await user.keyboard('jjc')
  await user.keyboard('half of')
  cleanup()
  useReviewComments.setState({ drafts: {} })
  await drawReview()
  expect(grid().textContent).toContain('You on line 10: why ten?')
  expect((screen.getByRole('textbox', { name: /Comment on line/ }) as HTMLTextAreaElement).value).toBe(
    'half of',
  )
  await user.click(button('Cancel'))
  await user.click(button('Edit the comment'))
  await user.keyboard(' really{Enter}')
  expect(grid().textContent).toContain('why ten? really')
  await user.click(button('Delete the comment'))
  expect(grid().textContent).not.toContain('why ten?')
})

test('lines selected with shift are one comment; the old side is told as it was', async () => {
  await show()
  await user.keyboard('{Enter}{Enter}{ArrowLeft}c')
  await user.keyboard('gone?{Enter}')
  expect(grid().textContent).toContain('line 10 as it was: gone?')
  await user.keyboard('jj{ArrowRight}{Shift>}jj{/Shift}c')
  await user.keyboard('these{Enter}')
  expect(grid().textContent).toMatch(/lines \d+–\d+: these/)
  await user.keyboard('a')
  await user.click(within(await dialog()).getByRole('button', { name: 'Send 2 comments' }))
  const [sent] = bridge.inputsOf('review.comment')
  expect(sent?.comments.map(({ side, line, lastLine }) => [side, line, lastLine])).toEqual([
    ['before', 10, null],
    ['after', expect.any(Number), expect.any(Number)],
  ])
  expect(sent?.comments[0]?.quote).toBe('line 10')
  expect(sent?.comments[1]?.quote.split('\n')).toHaveLength(3)
})

test('a click on a line’s number begins a comment, with shift up to there', async () => {
  await show()
  const number = (text: string) =>
    [...grid().querySelectorAll<HTMLElement>('[data-number="after"]')].find(
      (cell) => cell.textContent === text,
    )
  fireEvent.click(number('9') as HTMLElement)
  expect(screen.getByRole('textbox', { name: 'Comment on line 9' })).toBeTruthy()
  fireEvent.click(number('11') as HTMLElement, { shiftKey: true })
  expect(screen.getByRole('textbox', { name: 'Comment on lines 9–11' })).toBeTruthy()
})

test('asking sends all comments and words at once; what was refused is still there', async () => {
  await show()
  await user.keyboard('{Enter}{Enter}c')
  await user.keyboard('why?{Enter}')
  await user.keyboard('a')
  world.refusals.set('review.comment', new Refusal('Its conversation is open in another program.'))
  expect((await dialog()).textContent).toContain('src/charge.ts, line 10')
  await user.keyboard('Please answer.')
  await user.click(button('Send 1 comment'))
  expect((await dialog()).textContent).toContain('open in another program')
  await user.click(button('Send 1 comment'))
  expect(bridge.inputsOf('review.comment').at(-1)).toEqual({
    folder: '/work/shop',
    id: 'one',
    words: 'Please answer.',
    comments: [
      { path: 'src/charge.ts', side: 'after', line: 10, lastLine: null, quote: 'line ten', text: 'why?' },
    ],
  })
  await waitFor(() => expect(screen.queryByRole('dialog', { name: /Ask/ })).toBeNull())
  expect(grid().textContent).not.toContain('why?')
  expect(card('refactorer').textContent).not.toContain('not sent')
})

test('what is refused leaves everything, with the words and the files; then it is merged', async () => {
  await show()
  world.refusals.set(
    'review.merge',
    new Refusal(
      'src/charge.ts has changes of yours that are not committed. Nothing was changed.',
      'would-overwrite',
    ),
  )
  await user.keyboard('m')
  expect((await dialog()).textContent).toContain('troupe/one: 2 commits, 3 files')
  await user.click(within(await dialog()).getByRole('button', { name: 'Merge into main' }))
  expect((await dialog()).textContent).toContain('src/charge.ts has changes of yours')
  await user.click(within(await dialog()).getByRole('button', { name: 'Merge into main' }))
  expect(merges().at(-1)).toEqual({
    folder: '/work/shop',
    id: 'one',
    method: 'merge',
    into: null,
    commits: [],
    message: null,
  })
  expect(await screen.findByText(/refactorer is in main now: 2 commits, 3 files/)).toBeTruthy()
  expect(card('refactorer').textContent).toContain('merged into main')
})

test('chosen commits go in the order in which they were made, into another branch; a branch that is not there is told', async () => {
  await show()
  await user.click(button('Other ways to merge'))
  await user.click(await screen.findByRole('menuitem', { name: /Cherry-pick chosen commits/ }))
  const box = await dialog()
  expect(
    within(box)
      .getByRole('button', { name: /Cherry-pick into/ })
      .getAttribute('aria-disabled'),
  ).toBe('true')
  for (const commit of await within(box).findAllByRole('checkbox')) await user.click(commit)
  const into = within(box).getByRole('combobox', { name: 'Into the branch' })
  await user.clear(into)
  await user.type(into, 'relaese')
  expect(box.textContent).toContain('There is no branch “relaese” here. There are main, release/2.4.')
  await user.type(into, '{Enter}')
  expect(merges()).toEqual([])
  await user.clear(into)
  await user.type(into, 'release/2.4{Enter}')
  expect(merges()).toEqual([
    {
      folder: '/work/shop',
      id: 'one',
      method: 'cherry-pick',
      into: 'release/2.4',
      commits: ['aaaaaaaa1111', 'bbbbbbbb1111'],
      message: null,
    },
  ])
})

test('in order, one after the other, up to the first that is refused', async () => {
  await show([ONE, TWO, madeUpWorktree({ id: 'three', agentName: 'bench' })])
  await user.click(button('Merge 3 in order…'))
  await user.click(button('Merge 3 worktrees'))
  expect(await screen.findByText(/troupe\/two conflicts with main in/)).toBeTruthy()
  expect((await dialog()).textContent).toContain('1 of 3 merged.')
  expect(merges().map(({ id }) => id)).toEqual(['one', 'two'])
  await user.click(button('Go on with the rest'))
  expect((await dialog()).textContent).toContain('2 of 3 merged.')
  expect(merges().map(({ id }) => id)).toEqual(['one', 'two', 'three'])
  await user.click(within(await dialog()).getByRole('button', { name: 'Close' }))
  expect(selected()).toContain('test-writer')
})

test('conflicts are shown with both sides; the agent resolves them, or they are taken back', async () => {
  await show()
  await user.click(card('test-writer'))
  await user.click(screen.getByRole('radio', { name: /Conflicts · 2/ }))
  const side = await screen.findByText('const k = 3')
  expect(side).toBeTruthy()
  expect(screen.getAllByText('both changed it')).toHaveLength(1)
  await user.click(button('Let test-writer resolve it'))
  expect(bridge.inputsOf('review.resolve')).toEqual([{ folder: '/work/shop', id: 'two' }])
  expect(await screen.findByText(/not finished: 1 file left/)).toBeTruthy()
  expect(card('test-writer').textContent).toContain('resolving 1 conflict')
  await user.click(button('Abort: as it was before'))
  expect(bridge.inputsOf('review.abortResolve')).toHaveLength(1)
  expect(await screen.findByText('const k = 3')).toBeTruthy()
})

test('unmerged work is discarded only with the name of its branch, and comes back', async () => {
  await show()
  await user.keyboard('d')
  const box = await dialog()
  expect(box.textContent).toContain('2 commits in it are nowhere else')
  const name = within(box).getByRole('textbox')
  await user.type(name, 'troupe/two{Enter}')
  expect(box.textContent).toContain('That is not its name. It is troupe/one.')
  expect(bridge.inputsOf('review.discard')).toEqual([])
  await user.clear(name)
  await user.type(name, 'troupe/one{Enter}')
  expect(bridge.inputsOf('review.discard')).toEqual([
    { folder: '/work/shop', id: 'one', confirm: 'troupe/one' },
  ])
  expect(within(worktrees()).queryByRole('option', { name: /^refactorer/ })).toBeNull()
  await user.click(await screen.findByRole('button', { name: 'Undo: bring troupe/one back' }))
  expect(card('refactorer')).toBeTruthy()
})

test('what is merged goes with one click, and one that changed meanwhile asks for its name', async () => {
  await show([DONE])
  world.refusals.set('review.discard', new Refusal('Type the branch’s name: troupe/done.', 'confirm'))
  await user.keyboard('d')
  await user.click(within(await dialog()).getByRole('button', { name: 'Discard' }))
  expect(bridge.inputsOf('review.discard').at(-1)?.confirm).toBeNull()
  expect(within(await dialog()).getByRole('textbox')).toBeTruthy()
})

test('all that are merged are removed, and it is told which stayed and why', async () => {
  await show([
    DONE,
    madeUpWorktree({
      id: 'kept',
      agentName: 'i18n',
      state: 'merged',
      commits: 0,
      uncommitted: 2,
      merged: null,
    }),
  ])
  await user.click(button('Remove all that are merged…'))
  await user.click(button('Remove 2 worktrees'))
  expect((await dialog()).textContent).toContain('1 worktree removed')
  expect((await dialog()).textContent).toContain('troupe/kept has changes that are not committed.')
})

test('what is not in the worktree of an agent at work can be carried over', async () => {
  await show()
  await user.click(card('doc-writer'))
  expect(screen.getByText(/3 files of yours with uncommitted changes are not in it/)).toBeTruthy()
  await user.click(button('Carry over'))
  expect(bridge.inputsOf('review.carryOver')).toEqual([{ folder: '/work/shop', id: 'busy' }])
  expect(await screen.findByText(/3 files carried over: src\/cart.ts/)).toBeTruthy()
})

test('while its agent works a worktree can’t be merged, and says why', async () => {
  await show()
  await user.click(card('doc-writer'))
  worktrees().focus()
  await user.keyboard('m')
  expect(await screen.findByText(/Its agent still works/)).toBeTruthy()
  expect(screen.queryByRole('dialog', { name: /Merge/ })).toBeNull()
})

test('what an agent still writes appears; the selection, and a comment that is half written, stay', async () => {
  await show([BUSY])
  await user.keyboard('{Enter}{Enter}jc')
  await user.keyboard('and th')
  act(() =>
    world.change(
      'busy',
      {},
      { changes: [textChange('docs/a.md', null, 'one\ntwo\nthree\n'), textChange('docs/b.md', null, 'b\n')] },
    ),
  )
  await waitFor(() => expect(grid().textContent).toContain('three'))
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Comment on line 2' }))
  await user.keyboard('ree?{Enter}')
  expect(grid().textContent).toContain('You on line 2: and three?')
  expect(file()).toContain('a.md')
})

test('a comment on lines that are others by now is kept, with what they were', async () => {
  await show([BUSY])
  await user.keyboard('{Enter}{Enter}c')
  await user.keyboard('why one?{Enter}')
  act(() => world.change('busy', {}, { changes: [textChange('docs/a.md', null, 'other\ntwo\n')] }))
  await waitFor(() => expect(grid().textContent).toContain('other'))
  expect(grid().textContent).toContain('These lines are other ones by now. They were:one')
})

test('a deleted folder, a problem and notes are told; names that hide something are spelt out', async () => {
  await show([
    madeUpWorktree(
      {
        id: 'gone',
        agentName: 'i18n',
        folderGone: true,
        notes: ['Its commits are under the name “Troupe”.'],
        problem: 'Its branch can’t be read: git says “bad ref”.',
        task: 'safe\u202egnp.exe',
      },
      { changes: [textChange('src/a\u200b.ts', 'x\n', 'x \u202e y\nfree\u2066\n')] },
    ),
  ])
  expect(screen.getByText(/Its folder was deleted/)).toBeTruthy()
  expect(screen.getByText('Its commits are under the name “Troupe”.')).toBeTruthy()
  expect(screen.getAllByText(/git says “bad ref”/)).toBeTruthy()
  expect(button('Open folder').getAttribute('aria-disabled')).toBe('true')
  expect(card('i18n').textContent).toContain('RLO')
  expect(file()).toContain('ZWSP')
  expect(grid().textContent).toContain('RLO')
  expect(grid().textContent).toContain('freeLRI')
})

test('files without lines say what they are', async () => {
  await show([
    madeUpWorktree(
      { id: 'files', agentName: 'artist' },
      {
        changes: [
          { path: 'a.png', text: { kind: 'binary', bytesBefore: null, bytesAfter: 12_400 } },
          { path: 'b.json', text: { kind: 'too-large', bytesBefore: 3_000_000, bytesAfter: 2_500_000 } },
          { path: 'lib', text: { kind: 'submodule', before: 'aaaa', after: 'bbbb' } },
          textChange('new.ts', 'a\n', 'a\n', { kind: 'renamed', oldPath: 'old.ts' }),
        ],
      },
    ),
  ])
  expect(screen.getByText('Not a text')).toBeTruthy()
  await user.keyboard('{Enter}j')
  expect(screen.getByText('Too large to show')).toBeTruthy()
  await user.keyboard('j')
  expect(screen.getByText('A submodule')).toBeTruthy()
  await user.keyboard('j')
  expect(screen.getByText('Renamed, with nothing else changed')).toBeTruthy()
})

test('five hundred files: few are in the page, a search finds the others', async () => {
  await show([
    madeUpWorktree(
      { id: 'mod', agentName: 'codemod' },
      { changes: Array.from({ length: 500 }, (_, index) => textChange(`src/m-${index}.ts`, 'a\n', 'b\n')) },
    ),
  ])
  expect(within(files()).getAllByRole('option').length).toBeLessThan(100)
  await user.keyboard('/')
  await user.keyboard('m-487{Enter}')
  await user.keyboard('{Home}')
  expect(file()).toContain('m-487.ts')
})

test('no worktree: what would fill the place; no repository: why there can be none', async () => {
  await show([])
  expect(screen.getByText('No worktrees yet')).toBeTruthy()
  expect(screen.getByText('isolation: worktree')).toBeTruthy()
  cleanup()
  await show([], (made) => {
    made.problem = 'This folder is not in a git repository.'
  })
  expect(screen.getByText('This folder is not in a git repository.')).toBeTruthy()
})

test('worktrees, changes or a file that can’t be read can be tried again', async () => {
  const fresh = { ...ONE, worktree: { ...ONE.worktree, id: 'fresh' } }
  await show([fresh], (made) => made.refusals.set('review.watch', new Refusal('git is not installed.')))
  expect(screen.getByText('git is not installed.')).toBeTruthy()
  world.refusals.set('review.changes', new Refusal('The index is locked.'))
  await user.click(button('Try again'))
  expect(await screen.findByText('The index is locked.')).toBeTruthy()
  world.refusals.set('review.file', new Refusal('It may not be read.'))
  await user.click(button('Try again'))
  expect(await screen.findByText('It may not be read.')).toBeTruthy()
  await user.click(button('Try again'))
  expect((await screen.findByRole('grid')).textContent).toContain('line ten')
  // What is known stays on the screen where the newest can't be had.
  world.refusals.set('review.changes', new Refusal('The index is locked.'))
  act(() => world.change('fresh', { insertions: 9 }))
  expect((await screen.findByRole('alert')).textContent).toContain('The index is locked.')
  expect(grid().textContent).toContain('line ten')
})
