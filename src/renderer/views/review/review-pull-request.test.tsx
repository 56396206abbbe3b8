import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import type { PullRequestView, PushPreview } from '../../../shared/pull-requests/pull-request.ts'
import { usePullRequests } from '../../features/pull-requests/pull-request-store.ts'
import { madeUpWorktree, textChange } from '../../features/worktrees/testing/review-world.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { button, grid, prepareReview, showReview, worktrees } from './testing/review-stage.tsx'

prepareReview()
beforeEach(() => {
  localStorage.removeItem('pull-request-panel')
  usePullRequests.setState(usePullRequests.getInitialState(), true)
})

const forge = { kind: 'github', name: 'GitHub', host: 'github.com', program: 'gh', problem: null } as const
const NONE: PullRequestView = {
  ...{ forge, pull: null, branch: null, pushedAt: null, toPush: 0, sent: [], sentByItself: 0 },
  ...{ nothingMissing: false, readAt: 1, nextIn: null, problem: null },
}
const OPEN: PullRequestView = {
  ...{ ...NONE, branch: 'troupe/keys', pushedAt: 1, toPush: 1 },
  pull: {
    ...{ number: 482, title: 'Charge \u202eonce', url: 'https://github.com/a/b/pull/482', state: 'open' },
    ...{ branch: 'troupe/keys', base: 'main', head: 'a'.repeat(40), conflicts: false },
    ...{ files: 1, commits: 2, insertions: 3, deletions: 1 },
    checks: [
      { id: '31', name: 'integration', state: 'failed', startedAt: 1, ms: 112_000, url: null, hasLog: true },
      { id: '32', name: 'unit', state: 'passed', startedAt: 1, ms: 48_000, url: null, hasLog: true },
    ],
    comments: [
      {
        ...{
          id: '77',
          author: 'ann',
          path: 'a.ts',
          line: 1,
          lastLine: 1,
          side: 'after',
          at: 1,
          resolved: false,
        },
        ...{ text: 'Should this throw?', replies: [] },
      },
    ],
  },
}
const PREVIEW: PushPreview = {
  ...{
    remotes: ['origin'],
    remote: 'origin',
    address: 'git@github.com:a/b.git',
    forge,
    branch: 'troupe/keys',
  },
  ...{ base: 'main', head: 'b'.repeat(40), change: 'new', replaces: null, moreCommits: 0, moreFiles: 0 },
  commits: [{ sha: 'b'.repeat(40), subject: 'One key', author: 'Ada' }],
  files: [{ path: 'a.ts', insertions: 1, deletions: 0 }],
  ...{ uncommitted: 2, notes: ['Changes what the forge runs: ci.yml.'], obstacle: null, number: null },
  ...{ title: 'Charge once', body: 'It is done.', template: null },
}

const one = () =>
  madeUpWorktree({ id: 'keys', agentName: 'keys' }, { changes: [textChange('a.ts', 'old\n', 'new\n')] })

async function show(view: PullRequestView, answers: object = {}) {
  const shown = await showReview([one()])
  shown.bridge.answer({ 'pullRequest.state': () => view, ...answers })
  await userEvent.keyboard('r')
  await act(async () => {})
  return shown
}

const panel = () => screen.getByRole('complementary', { name: 'Pull request' })

test('R shows and hides the pull request, and the choice is kept', async () => {
  await show(NONE)
  expect(within(panel()).getByText('No pull request')).toBeTruthy()
  expect(localStorage.getItem('pull-request-panel')).toBe('open')
  await userEvent.keyboard('r')
  expect(screen.queryByRole('complementary', { name: 'Pull request' })).toBeNull()
})

test('nothing is pushed before the dialog has shown what goes where and is confirmed', async () => {
  const open = vi.fn(() => ({ number: 482, url: 'https://github.com/a/b/pull/482', inBrowser: false }))
  await show(NONE, { 'pullRequest.preview': () => PREVIEW, 'pullRequest.open': open })
  await userEvent.click(button('Push and open…'))
  const dialog = await screen.findByRole('dialog', { name: 'Push and open a pull request' })
  for (const text of [
    'git@github.com:a/b.git',
    'One key',
    '2 files have uncommitted changes, which are not pushed.',
    'Changes what the forge runs: ci.yml.',
  ])
    expect(within(dialog).getByText(text)).toBeTruthy()
  expect(open).not.toHaveBeenCalled()
  await userEvent.clear(within(dialog).getByLabelText('Title'))
  expect(
    button('Push 1 commit and open').getAttribute('aria-disabled') ??
      button('Push 1 commit and open').getAttribute('disabled'),
  ).not.toBeNull()
  await userEvent.type(within(dialog).getByLabelText('Title'), 'Once')
  await userEvent.click(button('Push 1 commit and open'))
  await waitFor(() => expect(open).toHaveBeenCalledOnce())
  expect(open.mock.calls[0]).toEqual([
    expect.objectContaining({
      ...{ remote: 'origin', branch: 'troupe/keys', base: 'main', head: 'b'.repeat(40), replaces: null },
      text: { title: 'Once', body: 'It is done.', draft: false },
    }),
  ])
  expect(screen.queryByRole('dialog', { name: 'Push and open a pull request' })).toBeNull()
})

test('a push that is not possible says why and can’t be pressed', async () => {
  await show(NONE, {
    'pullRequest.preview': () => ({ ...PREVIEW, change: 'diverged', obstacle: 'It has other commits.' }),
  })
  await userEvent.click(button('Push and open…'))
  expect(await screen.findByText('It has other commits.')).toBeTruthy()
  const submit = button('Push 1 commit and open')
  expect(submit.hasAttribute('disabled') || submit.getAttribute('aria-disabled') === 'true').toBe(true)
})

test('a refused push keeps the dialog with what was typed', async () => {
  await show(NONE, {
    'pullRequest.preview': () => PREVIEW,
    'pullRequest.open': () => {
      throw new Refusal('origin protects this branch.')
    },
  })
  await userEvent.click(button('Push and open…'))
  const dialog = await screen.findByRole('dialog', { name: 'Push and open a pull request' })
  await userEvent.type(within(dialog).getByLabelText('Title'), ' today')
  await userEvent.click(button('Push 1 commit and open'))
  expect(await within(dialog).findByText('origin protects this branch.')).toBeTruthy()
  expect((within(dialog).getByLabelText('Title') as HTMLInputElement).value).toBe('Charge once today')
})

test('a failed check stands first with its log and goes to the agent by one press', async () => {
  const sendCheck = vi.fn()
  await show(OPEN, { 'pullRequest.log': () => 'expected 1, got 2', 'pullRequest.sendCheck': sendCheck })
  const checks = within(panel()).getByRole('region', { name: 'Checks' })
  expect(within(checks).getByText('1 of 2 passed')).toBeTruthy()
  expect(await within(checks).findByText('expected 1, got 2')).toBeTruthy()
  expect(worktrees().textContent).toContain('#482 1/2')
  expect(panel().textContent).toContain('Charge RLOonce')
  expect(panel().textContent).toContain('Merging waits for 1 failing check.')
  await userEvent.click(within(checks).getByRole('button', { name: 'Send to agent' }))
  expect(sendCheck).toHaveBeenCalledOnce()
  expect(sendCheck.mock.calls[0]?.[0]).toMatchObject({ id: 'keys', check: '31' })
})

test('a comment stands at its line in the diff, and is answered only after a question', async () => {
  const reply = vi.fn()
  await show(OPEN, { 'pullRequest.log': () => 'x', 'pullRequest.reply': reply })
  await waitFor(() => expect(grid().textContent).toContain('ann on line 1: Should this throw?'))
  await userEvent.click(button('Reply…'))
  const dialog = await screen.findByRole('dialog', { name: 'Reply to ann' })
  expect(dialog.textContent).toContain('under your name')
  await userEvent.type(within(dialog).getByLabelText('Reply'), 'Yes.')
  expect(reply).not.toHaveBeenCalled()
  await userEvent.click(within(dialog).getByRole('button', { name: 'Reply' }))
  await waitFor(() => expect(reply.mock.calls[0]?.[0]).toMatchObject({ comment: '77', text: 'Yes.' }))
})

test('a merged pull request without anything missing takes its worktree along, with an undo', async () => {
  const remove = vi.fn()
  const view = {
    ...OPEN,
    toPush: 0,
    nothingMissing: true,
    pull: OPEN.pull && { ...OPEN.pull, state: 'merged' as const },
  }
  await show(view, { 'pullRequest.log': () => 'x', 'pullRequest.remove': remove })
  await waitFor(() => expect(remove).toHaveBeenCalled())
  expect(await screen.findByText(/Pull request #482 is merged, so .* was removed/)).toBeTruthy()
  expect(button('Undo')).toBeTruthy()
})

test('what was known stays while the forge can’t be reached', async () => {
  await show({ ...OPEN, problem: 'github.com can’t be reached.' }, { 'pullRequest.log': () => 'x' })
  expect(panel().textContent).toContain('github.com can’t be reached. This is what was known before.')
  expect(within(panel()).getByText('#482')).toBeTruthy()
})
