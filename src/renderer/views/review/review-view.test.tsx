import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, onTestFinished, test } from 'vitest'
import { newEnvironment } from '../../../shared/environments/environment.ts'
import type { DraftToStore, StoredDraft } from '../../../shared/messages/draft.ts'
import {
  type MadeUpWorktree,
  madeUpWorktree,
  type ReviewWorld,
  textChange,
} from '../../features/worktrees/testing/review-world.ts'
import { saveNow, startDraftSaving, useDrafts } from '../../stores/draft-store.ts'
import { receiveEnvironments, useEnvironments } from '../../stores/environments-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
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
      textChange('src/zone.ts', null, 'const fresh = true\n'),
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
            version: 'v1',
            base: null,
            ours: null,
            theirs: null,
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
    merged: { into: 'main', commit: 'f00', method: 'squash', at: 0, undoable: false },
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

const card = (name: string) => within(worktrees()).getByRole('option', { name: new RegExp(name) })
const selected = () => within(worktrees()).getByRole('option', { selected: true }).textContent
/** A dialog that is not a notice. */
const dialog = () => screen.findByRole('dialog', { name: /^(?!Notice|Error)/ })
const merges = () => bridge.inputsOf('review.merge')

test('worktrees are grouped in merge order; leaving Review ends the watch', async () => {
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
  expect(card('test-writer').textContent).toContain('1 conflict with “One key”')
  expect(screen.getByText('4 worktrees')).toBeTruthy()
  expect(screen.getByText('main is 2 commits ahead of origin')).toBeTruthy()
  cleanup()
  expect(bridge.inputsOf('review.watch')).toEqual([
    { folder: '/work/shop', watched: true },
    { folder: '/work/shop', watched: false },
  ])
})

test('keys alone move through worktrees, files and lines, and back', async () => {
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

test('N and P move between changes, and on to the next file', async () => {
  await show()
  await user.keyboard('{Enter}{Enter}n')
  expect(current()).toContain('line fifty')
  await user.keyboard('p')
  expect(current()).toContain('line ten')
  await user.keyboard('nn')
  expect(file()).toContain('order.ts')
})

test('Enter expands a gap; U, X and W change layout, context and whitespace', async () => {
  await show()
  expect(grid().textContent).not.toContain('line 30')
  expect(grid().textContent).toContain('33 unchanged lines')
  await user.keyboard('{Enter}{Enter}')
  for (let presses = 0; presses < 12 && !current()?.includes('33 unchanged'); presses++)
    await user.keyboard('j')
  await user.keyboard('{Enter}')
  expect(grid().textContent).not.toContain('33 unchanged lines')
  expect(current()).toContain('line 14')
  await user.keyboard('u')
  expect(button('Diff options: Unified')).toBeTruthy()
  await user.keyboard('x')
  expect(grid().textContent).not.toContain('unchanged')
  await user.keyboard('{Escape}j')
  expect(grid().textContent).toContain('const a  =  1')
  await user.keyboard('xw')
  expect(screen.getByText('Only whitespace changed')).toBeTruthy()
})

test('a comment is written with C, kept per worktree and across restarts, edited and deleted', async () => {
  await show()
  const stored = new Map<string, StoredDraft>()
  bridge.answer({
    'draft.list': () => [...stored.values()],
    'draft.save': ({ added, ...draft }: DraftToStore) =>
      void stored.set(draft.place, { ...draft, attachments: added }),
  })
  let end = startDraftSaving()
  onTestFinished(() => end())
  await user.keyboard('{Enter}{Enter}c')
  const field = screen.getByRole('textbox', { name: 'Comment on line 10' })
  expect(document.activeElement).toBe(field)
  await user.keyboard('why ten?{Enter}')
  expect(document.activeElement).toBe(grid())
  expect(grid().textContent).toContain('You on line 10: why ten?')
  expect(card('refactorer').textContent).toContain('1 comment not sent')
  expect(JSON.stringify([...stored.values()])).toContain('why ten?')
  // Another comment is unfinished when the window closes.
  await user.keyboard('jjc')
  await user.keyboard('half of')
  await saveNow()
  cleanup()
  end()
  useDrafts.setState({ drafts: {} })
  end = startDraftSaving()
  await drawReview()
  expect(grid().textContent).toContain('You on line 10: why ten?')
  expect((screen.getByRole('textbox', { name: /Comment on line/ }) as HTMLTextAreaElement).value).toBe(
    'half of',
  )
  await user.click(button('Cancel'))
  await user.click(button('Edit comment'))
  await user.keyboard(' really{Enter}')
  expect(grid().textContent).toContain('why ten? really')
  await user.click(button('Delete comment'))
  expect(grid().textContent).not.toContain('why ten?')
})

test('lines selected with Shift share one comment; a comment can be on the old side', async () => {
  await show()
  await user.keyboard('{Enter}{Enter}{ArrowLeft}c')
  await user.keyboard('gone?{Enter}')
  expect(grid().textContent).toContain('old line 10: gone?')
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

test('a click on a line number starts a comment; Shift extends it', async () => {
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

test('asking sends all comments and the note at once; a failed message stays in the dialog', async () => {
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
    message: 'Please answer.',
    comments: [
      { path: 'src/charge.ts', side: 'after', line: 10, lastLine: null, quote: 'line ten', text: 'why?' },
    ],
  })
  await waitFor(() => expect(screen.queryByRole('dialog', { name: /Ask/ })).toBeNull())
  expect(grid().textContent).not.toContain('why?')
  expect(card('refactorer').textContent).not.toContain('not sent')
})

test('a failed merge shows the reason and can be retried', async () => {
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
    seen: 'v1',
  })
  expect(await screen.findByText(/Merged “One key” into main: 2 commits, 3 files/)).toBeTruthy()
  expect(card('refactorer').textContent).toContain('merged into main')
})

test('chosen commits are merged oldest first into another branch; an unknown branch is an error', async () => {
  await show()
  await user.click(button('Merge options'))
  await user.click(await screen.findByRole('menuitem', { name: /Cherry-pick commits/ }))
  const box = await dialog()
  expect(
    within(box)
      .getByRole('button', { name: /Cherry-pick into/ })
      .getAttribute('aria-disabled'),
  ).toBe('true')
  for (const commit of await within(box).findAllByRole('checkbox')) await user.click(commit)
  const into = within(box).getByRole('combobox', { name: 'Target branch' })
  await user.clear(into)
  await user.type(into, 'relaese')
  expect(box.textContent).toContain('No branch is named “relaese”. Branches: main, release/2.4.')
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
      seen: 'v1',
    },
  ])
})

test('merging in order stops at the first failure and can continue', async () => {
  await show([ONE, TWO, madeUpWorktree({ id: 'three', agentName: 'bench' })])
  await user.click(button('Merge 3 in order…'))
  await user.click(screen.getByRole('checkbox', { name: /^test-writer/ }))
  await user.click(button('Merge 3 worktrees'))
  expect(await screen.findByText(/troupe\/two conflicts with main in/)).toBeTruthy()
  expect((await dialog()).textContent).toContain('1 of 3 merged.')
  expect(merges().map(({ id }) => id)).toEqual(['one', 'two'])
  await user.click(button('Merge remaining'))
  expect((await dialog()).textContent).toContain('2 of 3 merged.')
  expect(merges().map(({ id }) => id)).toEqual(['one', 'two', 'three'])
  await user.click(within(await dialog()).getByRole('button', { name: 'Close' }))
  expect(selected()).toContain('test-writer')
})

test('conflicts show both sides; the agent resolves them, or the merge is aborted', async () => {
  await show()
  await user.click(card('test-writer'))
  await user.click(screen.getByRole('radio', { name: /Conflicts · 2/ }))
  const side = await screen.findByText('const k = 3')
  expect(side).toBeTruthy()
  expect(screen.getAllByText('both changed it')).toHaveLength(1)
  await user.click(button('Ask agent to resolve'))
  expect(bridge.inputsOf('review.resolve')).toEqual([{ folder: '/work/shop', id: 'two', into: null }])
  expect(await screen.findByText(/A merge into this worktree is unfinished: 1 file left/)).toBeTruthy()
  expect(card('test-writer').textContent).toContain('resolving 1 conflict')
  await user.click(button('Abort merge'))
  expect(bridge.inputsOf('review.abortResolve')).toHaveLength(1)
  expect(await screen.findByText('const k = 3')).toBeTruthy()
})

test('discarding unmerged work requires the branch name and can be undone', async () => {
  await show()
  await user.keyboard('d')
  const box = await dialog()
  expect(box.textContent).toContain('2 commits exist nowhere else')
  const name = within(box).getByRole('textbox')
  await user.type(name, 'troupe/two{Enter}')
  expect(box.textContent).toContain('The branch is named troupe/one.')
  expect(bridge.inputsOf('review.discard')).toEqual([])
  await user.clear(name)
  await user.type(name, 'troupe/one{Enter}')
  expect(bridge.inputsOf('review.discard')).toEqual([
    { folder: '/work/shop', id: 'one', confirm: 'troupe/one', seen: 'v1' },
  ])
  expect(within(worktrees()).queryByRole('option', { name: /refactorer/ })).toBeNull()
  await user.click(await screen.findByRole('button', { name: 'Undo: restore troupe/one' }))
  expect(card('refactorer')).toBeTruthy()
})

test('merged work needs no branch name, unless the worktree has changed meanwhile', async () => {
  await show([DONE])
  world.refusals.set('review.discard', new Refusal('Type the branch’s name: troupe/done.', 'confirm'))
  await user.keyboard('d')
  await user.click(within(await dialog()).getByRole('button', { name: 'Discard' }))
  expect(bridge.inputsOf('review.discard').at(-1)?.confirm).toBeNull()
  expect(within(await dialog()).getByRole('textbox')).toBeTruthy()
})

test('Remove merged lists the worktrees that were kept and why', async () => {
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
  await user.click(button('Remove merged…'))
  await user.click(button('Remove 2 worktrees'))
  expect((await dialog()).textContent).toContain('1 worktree removed')
  expect((await dialog()).textContent).toContain('troupe/kept has changes that are not committed.')
})

test('uncommitted files can be carried over to a working agent', async () => {
  await show()
  await user.click(card('doc-writer'))
  expect(screen.getByText(/Your 3 uncommitted files are not in this worktree/)).toBeTruthy()
  await user.click(button('Carry over'))
  expect(bridge.inputsOf('review.carryOver')).toEqual([{ folder: '/work/shop', id: 'busy' }])
  expect(await screen.findByText(/3 files carried over: src\/cart.ts/)).toBeTruthy()
})

test('lines that another agent changes too are named below the diff, and compared with its version', async () => {
  await show([ONE, TWO])
  const environment = (id: string, task: string) => ({
    ...{ id, task, branch: `troupe/${id}`, path: `/data/${id}`, agentId: `a-${id}`, conversationId: 'c' },
    ...{ color: 'blue', isThere: true, logSize: 0, state: newEnvironment, ports: [] },
  })
  const overlap = { path: 'src/charge.ts', first: 10, last: 10, ids: ['one', 'two'] as const, since: 1 }
  onTestFinished(() => useEnvironments.setState(useEnvironments.getInitialState(), true))
  act(() =>
    receiveEnvironments([
      {
        type: 'environments',
        snapshot: {
          ...{ folder: FOLDER.path, problem: null, commands: null, overlaps: [overlap] },
          worktrees: [environment('one', 'One key'), environment('two', 'Two refunds')],
        },
      },
    ]),
  )
  const note = screen.getByText(/“Two refunds” changes/).closest('li') as HTMLElement
  expect(note.textContent).toContain('src/charge.ts:10')
  await user.click(within(note).getByRole('button', { name: 'Compare' }))
  const dialog = await screen.findByRole('dialog', { name: 'Compare src/charge.ts:10' })
  await within(dialog).findByRole('grid')
  expect(dialog.textContent).toContain('test-writer')
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a worktree can’t be merged while its agent works', async () => {
  await show()
  await user.click(card('doc-writer'))
  worktrees().focus()
  await user.keyboard('m')
  expect(await screen.findByText(/The agent is still working/)).toBeTruthy()
  expect(screen.queryByRole('dialog', { name: /Merge/ })).toBeNull()
})

test('new changes of an agent appear; the selection and an unfinished comment stay', async () => {
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

test('a comment on changed lines stays, with the previous lines', async () => {
  await show([BUSY])
  await user.keyboard('{Enter}{Enter}c')
  await user.keyboard('why one?{Enter}')
  act(() => world.change('busy', {}, { changes: [textChange('docs/a.md', null, 'other\ntwo\n')] }))
  await waitFor(() => expect(grid().textContent).toContain('other'))
  expect(grid().textContent).toContain('These lines have changed since. Before:one')
})

test('a deleted folder, a problem and notes are shown; invisible characters are spelled out', async () => {
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
  expect(screen.getByText(/The folder was deleted/)).toBeTruthy()
  expect(screen.getByText('Its commits are under the name “Troupe”.')).toBeTruthy()
  expect(screen.getAllByText(/git says “bad ref”/)).toBeTruthy()
  expect(button('Open folder').getAttribute('aria-disabled')).toBe('true')
  expect(card('i18n').textContent).toContain('RLO')
  expect(file()).toContain('ZWSP')
  expect(grid().textContent).toContain('RLO')
  expect(grid().textContent).toContain('freeLRI')
})

test('files without text show their kind', async () => {
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
  expect(await screen.findByText('Binary file')).toBeTruthy()
  await user.keyboard('{Enter}j')
  expect(await screen.findByText('Too large to show')).toBeTruthy()
  await user.keyboard('j')
  expect(screen.getByText('Submodule')).toBeTruthy()
  await user.keyboard('j')
  expect(screen.getByText('Renamed without changes')).toBeTruthy()
})

test('of 500 files only visible ones are rendered; the search finds the others', async () => {
  await show([
    madeUpWorktree(
      { id: 'mod', agentName: 'codemod' },
      { changes: Array.from({ length: 500 }, (_, index) => textChange(`src/m-${index}.ts`, 'a\n', 'b\n')) },
    ),
  ])
  const tree = within(screen.getByRole('tree', { name: 'Files' }))
  expect(tree.getAllByRole('treeitem').length).toBeLessThan(100)
  await user.keyboard('/')
  await user.keyboard('m-487{Enter}')
  await user.keyboard('{Home}')
  expect(file()).toContain('m-487.ts')
})

test('Review without worktrees explains how to get one; without a repository, why there is none', async () => {
  await show([])
  expect(screen.getByText('No worktrees yet')).toBeTruthy()
  expect(screen.getByText('isolation: worktree')).toBeTruthy()
  cleanup()
  await show([], (made) => {
    made.problem = 'This folder is not in a git repository.'
  })
  expect(screen.getByText('This folder is not in a git repository.')).toBeTruthy()
})

test('loading worktrees, changes and files can be retried', async () => {
  const fresh = { ...ONE, worktree: { ...ONE.worktree, id: 'fresh' } }
  await show([fresh], (made) => made.refusals.set('review.watch', new Refusal('git is not installed.')))
  expect(screen.getByText('git is not installed.')).toBeTruthy()
  world.refusals.set('review.changes', new Refusal('The index is locked.'))
  await user.click(button('Retry'))
  expect(await screen.findByText('The index is locked.')).toBeTruthy()
  world.refusals.set('review.file', new Refusal('It may not be read.'))
  await user.click(button('Retry'))
  expect(await screen.findByText('It may not be read.')).toBeTruthy()
  await user.click(button('Retry'))
  expect((await screen.findByRole('grid')).textContent).toContain('line ten')
  // The known changes stay when newer ones can't be loaded.
  world.refusals.set('review.changes', new Refusal('The index is locked.'))
  act(() => world.change('fresh', { insertions: 9 }))
  expect((await screen.findByRole('alert')).textContent).toContain('The index is locked.')
  expect(grid().textContent).toContain('line ten')
})
