/** Rounds of a review: sent comments, what changed since, and the commits one by one. */
import { act, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import type { AskedChange, AskedReply } from '../../../shared/worktrees/review.ts'
import { madeUpWorktree, textChange } from '../../features/worktrees/testing/review-world.ts'
import { file, files, grid, prepareReview, showReview } from './testing/review-stage.tsx'

const user = userEvent.setup()

const SENT = 'a'.repeat(40)
const FIRST = 'b'.repeat(40)
const SECOND = 'c'.repeat(40)

const comment = {
  path: 'a.ts',
  line: 2,
  lastLine: null,
  side: 'after' as const,
  quote: 'two',
  text: 'Why two?',
}
const asked = (changedBy: AskedChange['changedBy'], reply: AskedReply | null = null): AskedChange[] => [
  { at: Date.UTC(2026, 0, 1), commit: SENT, comments: [comment], message: 'Please check.', changedBy, reply },
]
const COMMITS = [
  { sha: SECOND, subject: 'Answer the comments', author: 'Ada', at: 2 },
  { sha: FIRST, subject: 'First version', author: 'Ada', at: 1 },
]
const ALL = [textChange('a.ts', 'one\n', 'one\ntwo\nthree\n'), textChange('b.ts', 'a\n', 'b\n')]
const ONE = madeUpWorktree(
  { id: 'one', agentName: 'helper' },
  {
    changes: ALL,
    commits: COMMITS,
    asked: asked('nobody'),
    parts: new Map([
      [SENT, [textChange('a.ts', 'one\ntwo\n', 'one\ntwo\nthree\n')]],
      [FIRST, [textChange('b.ts', 'a\n', 'b\n')]],
    ]),
  },
)

prepareReview()

const paths = () =>
  within(files())
    .getAllByRole('option')
    .map((option) => option.textContent)

test('sent comments stay at their lines, with what the agent did since', async () => {
  const { world } = await showReview([ONE])
  expect(grid().textContent).toContain('You on line 2: Why two?')
  expect(grid().textContent).toMatch(/Sent \d\d:\d\d\. No changes since\./)
  expect(screen.getByText(/^1 comment sent \d\d:\d\d: no changes since\.$/)).toBeTruthy()
  await act(async () => world.change('one', { state: 'working', ended: null }))
  expect(grid().textContent).toMatch(/Sent \d\d:\d\d\. The agent is working\./)
  await act(async () => world.change('one', { state: 'ready' }, { asked: asked('agent') }))
  expect(grid().textContent).toMatch(/Sent \d\d:\d\d\. The agent changed its work since\./)
  await act(async () => world.change('one', { version: 'v3' }, { asked: asked('user') }))
  expect(grid().textContent).toMatch(/Changed since, but not by an agent\./)
  // A sent comment can't be edited; it has no buttons.
  expect(within(grid()).queryByRole('button', { name: 'Edit comment' })).toBeNull()
})

test('comments of the last message whose lines changed stay with the old lines', async () => {
  const { world } = await showReview([ONE])
  await act(async () =>
    world.change(
      'one',
      { version: 'v2' },
      { changes: [textChange('a.ts', 'one\n', 'one\nzwei\n')], asked: asked('agent') },
    ),
  )
  expect(grid().textContent).toContain('Why two?')
  expect(grid().textContent).toContain('These lines have changed since. Before:two')
})

test('the answer of the agent stands under the comment, also where no file changed since', async () => {
  const { world } = await showReview([ONE])
  const tell = (reply: AskedReply, more: Partial<AskedChange> = {}) =>
    act(async () => {
      const [first] = asked('nobody', reply) as [AskedChange]
      world.change('one', { asked: reply.state }, { asked: [{ ...first, ...more }] })
    })
  await tell({ state: 'sent' })
  expect(grid().textContent).toMatch(/Sent \d\d:\d\d\. The agent has not read it yet\./)
  await tell({ state: 'read', at: 0 })
  expect(grid().textContent).toMatch(/Read \d\d:\d\d\. No changes since\./)
  expect(screen.getByText(/^1 comment sent \d\d:\d\d, read \d\d:\d\d: no changes since\.$/)).toBeTruthy()
  await tell({ state: 'unanswered', at: 0, because: 'stopped' })
  expect(grid().textContent).toContain('Read, but the agent was stopped before it answered.')
  await tell({ state: 'answered', at: 0, text: 'I read it.\n\n### Comment 1\n**Two** is the limit.' })
  expect(grid().textContent).toMatch(/Answered \d\d:\d\d\. No changes since\./)
  const answer = within(grid()).getByRole('group', { name: 'Answer of the agent' })
  // The markdown is loaded when the first answer is shown.
  await expect.poll(() => answer.textContent).toBe('Two is the limit.')
  expect(answer.querySelector('[data-streamdown="strong"], strong')?.textContent).toBe('Two')
})

test('an answer to all comments at once is open under the first of them', async () => {
  const reply: AskedReply = { state: 'answered', at: 0, text: 'Both are changed.' }
  const [first] = asked('agent', reply) as [AskedChange]
  const comments = [comment, { ...comment, line: 3, quote: 'three', text: 'And three?' }]
  const made = madeUpWorktree(
    { id: 'one', agentName: 'helper' },
    { changes: ALL, asked: [{ ...first, comments }] },
  )
  await showReview([made])
  const answers = within(grid()).getAllByRole('group', { name: 'Answer of the agent' })
  expect(answers.map(({ textContent }) => textContent?.includes('Both are changed.'))).toEqual([true, false])
  await user.click(within(answers[1] as HTMLElement).getByRole('button', { name: 'Show answer' }))
  expect(answers[1]?.textContent).toContain('Both are changed.')
})

test('S shows only what changed since the comments, and everything again', async () => {
  const { bridge, world } = await showReview([ONE])
  expect(paths()).toHaveLength(2)
  await user.keyboard('s')
  expect(screen.getByRole('button', { name: 'Shown changes: Since your comments' })).toBeTruthy()
  expect(bridge.inputsOf('review.changes').at(-1)?.range).toEqual({ kind: 'since', commit: SENT })
  expect(bridge.inputsOf('review.file').at(-1)).toMatchObject({
    path: 'a.ts',
    range: { kind: 'since', commit: SENT },
  })
  expect(paths()).toHaveLength(1)
  expect(grid().textContent).toContain('three')
  // The comment is at its line, which is on the old side now.
  expect(grid().textContent).toContain('Why two?')
  // Part of the work is shown: nothing of it can be taken back here.
  await user.keyboard('b')
  expect(bridge.inputsOf('review.takeBack')).toEqual([])
  // Newer comments move the start.
  const next = 'd'.repeat(40)
  await act(async () =>
    world.change(
      'one',
      { version: 'v2' },
      { asked: [{ ...asked('nobody')[0], commit: next } as never, ...asked('agent')] },
    ),
  )
  expect(bridge.inputsOf('review.changes').at(-1)?.range).toEqual({ kind: 'since', commit: next })
  expect(await screen.findByText('No changes since your comments')).toBeTruthy()
  await user.keyboard('s')
  expect(paths()).toHaveLength(2)
})

test('without comments, S says so', async () => {
  await showReview([madeUpWorktree({ id: 'two', agentName: 'bench' }, { changes: ALL })])
  expect(screen.queryByRole('button', { name: /^Shown changes/ })).toBeNull()
  await user.keyboard('s')
  expect((await screen.findAllByText('You sent no comments to this agent yet.')).length).toBeGreaterThan(0)
})

test('one commit can be shown; a commit that is gone gives way to all changes', async () => {
  const { bridge, world } = await showReview([ONE])
  await user.click(screen.getByRole('button', { name: 'Shown changes: All changes, 2 commits' }))
  await user.click(await screen.findByRole('menuitemradio', { name: /First version/ }))
  expect(paths()).toHaveLength(1)
  expect(file()).toContain('b.ts')
  expect(bridge.inputsOf('review.changes').at(-1)?.range).toEqual({ kind: 'commit', commit: FIRST })
  expect(screen.getByRole('button', { name: 'Shown changes: Commit: First version' })).toBeTruthy()
  expect(grid().textContent).not.toContain('Why two?')
  await act(async () =>
    world.change('one', { version: 'v2' }, { commits: COMMITS.slice(0, 1), changes: ALL }),
  )
  expect(paths()).toHaveLength(2)
  expect(bridge.inputsOf('review.changes').at(-1)?.range).toBeNull()
})
