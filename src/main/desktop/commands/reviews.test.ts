import { describe, expect, test, vi } from 'vitest'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { emptyReview, type ReviewWorktree } from '../../../shared/worktrees/review.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import type { Review } from '../../runtime/ports/worktrees.ts'
import { DeltaStream } from '../deltas/delta-stream.ts'
import { fakeProgram, fakeSettings } from '../testing/fake-program.ts'
import { reviewCommands } from './reviews.ts'

const call = () => ({ stream: new DeltaStream({ now: () => 0 }), hold: vi.fn() })
const worktree = {
  id: 'writer-1',
  path: '/data/worktrees/repo/writer-1',
  branch: 'troupe/writer-1',
  target: 'main',
  agentId: 'a-1',
  conversationId: 'c-1',
  agentName: 'writer',
  resolving: null as ReviewWorktree['resolving'],
} as ReviewWorktree
const at = { folder: '/repo', id: 'writer-1' }
const here = { ...emptyReview('/repo', null), worktrees: [worktree] }

function open(review: Partial<Review> = {}, runtime: Partial<Runtime> = {}) {
  const reviewWatch = { follow: vi.fn(async () => here), changed: vi.fn() }
  const comment: Review['comment'] = (_key, _asked, send) => send()
  const commands = reviewCommands({
    program: async () => fakeProgram({ review: { list: async () => here, comment, ...review }, runtime }),
    settings: fakeSettings({ trustedFolders: ['/repo'] }),
    folders: {
      // Open are a link to the folder, the folder itself, and an untrusted folder.
      known: async (path: string) =>
        path === '/closed'
          ? fail({ type: 'not-open', message: 'Open it first.' })
          : ok(path === '/link' ? '/repo' : path),
    } as never,
    reviewWatch,
  })
  return { commands, reviewWatch }
}

test('the window gets the quick list, and no delta before it has the list', async () => {
  const { commands, reviewWatch } = open()
  const one = call()
  expect(await commands['review.watch']({ folder: '/link', watched: true }, one)).toEqual(ok(here))
  expect(reviewWatch.follow).toHaveBeenCalledWith('/repo', true)
  expect(one.hold).toHaveBeenCalledTimes(1)
  expect(await commands['review.watch']({ folder: '/closed', watched: true }, call())).toMatchObject({
    failure: { type: 'not-open' },
  })
})

test('each command reaches the review with the real path of the folder', async () => {
  const changes = vi.fn(async () => ok({} as never))
  const file = vi.fn(async () => ok({} as never))
  const conflicts = vi.fn(async () => ok([]))
  const { commands, reviewWatch } = open({ changes, file, conflicts })
  const key = { folder: '/link', id: 'writer-1' }
  await commands['review.changes']({ ...key, range: null }, call())
  const range = { kind: 'commit' as const, commit: 'a'.repeat(40) }
  await commands['review.file']({ ...key, path: 'a.ts', range }, call())
  await commands['review.conflicts']({ ...key, with: null, into: 'dev' }, call())
  await commands['review.conflicts']({ ...key, with: 'other-2', into: null }, call())
  expect(changes).toHaveBeenCalledWith(at, null)
  expect(file).toHaveBeenCalledWith(at, 'a.ts', range)
  expect(conflicts.mock.calls).toEqual([
    [at, { into: 'dev' }],
    [at, { id: 'other-2' }],
  ])
  expect(reviewWatch.changed).not.toHaveBeenCalled()
})

test('after a change the list is refreshed, even after a failure', async () => {
  const done = async () => ok(undefined)
  const merge = vi.fn(async () => fail({ type: 'conflicts' as const, message: 'a.ts' }))
  const discard = vi.fn(done)
  const { commands, reviewWatch } = open({
    merge,
    discard,
    undoDiscard: done,
    abortResolving: done,
    carryOver: async () => ok({ files: ['a'] }),
    removeMerged: async () => ok({ removed: ['x'], kept: [] }),
  })
  const plain = { method: 'merge' as const, into: null, commits: [], seen: 'v1' }
  expect(await commands['review.merge']({ ...at, ...plain, message: null }, call())).toMatchObject({
    failure: { type: 'conflicts' },
  })
  expect(merge).toHaveBeenLastCalledWith(at, plain)
  await commands['review.merge']({ ...at, ...plain, message: 'Why.' }, call())
  expect(merge).toHaveBeenLastCalledWith(at, { ...plain, message: 'Why.' })
  await commands['review.discard']({ ...at, confirm: 'troupe/writer-1', seen: 'v1' }, call())
  expect(discard).toHaveBeenCalledWith(at, 'troupe/writer-1', 'v1')
  await commands['review.undoDiscard'](at, call())
  await commands['review.abortResolve'](at, call())
  expect(await commands['review.carryOver'](at, call())).toEqual(ok({ files: ['a'] }))
  expect(await commands['review.removeMerged']({ folder: '/link', ids: null }, call())).toEqual(
    ok({ removed: ['x'], kept: [] }),
  )
  expect(reviewWatch.changed).toHaveBeenCalledTimes(7)
})

test('in an untrusted folder git is not called', async () => {
  const { commands } = open()
  const key = { folder: '/stranger', id: 'x' }
  for (const answer of [
    await commands['review.changes']({ ...key, range: null }, call()),
    await commands['review.discard']({ ...key, confirm: null, seen: null }, call()),
    await commands['review.removeMerged']({ folder: '/stranger', ids: null }, call()),
    await commands['review.comment']({ ...key, comments: [], message: 'x' }, call()),
    await commands['review.resolve']({ ...key, into: null }, call()),
  ])
    expect(answer).toMatchObject({ ok: false, failure: { type: 'not-trusted' } })
})

describe('comments', () => {
  const comment = { path: 'a.ts', line: 3, lastLine: null, side: 'after' as const, quote: 'x', text: 'Why?' }

  test('are one message to the worktree’s agent', async () => {
    const send = vi.fn(async () => ok({ messageId: 'm', queued: false }))
    const { commands } = open({}, { send })
    expect(
      await commands['review.comment']({ ...at, comments: [comment, comment], message: '' }, call()),
    ).toEqual(ok(undefined))
    expect(send.mock.calls).toEqual([
      [
        {
          conversationId: 'c-1',
          agentId: 'a-1',
          content: [{ type: 'text', text: expect.stringContaining('left 2 comments') }],
        },
      ],
    ])
  })

  test('without any text are not sent', async () => {
    const answer = await open().commands['review.comment']({ ...at, comments: [], message: ' ' }, call())
    expect(answer).toMatchObject({ failure: { type: 'empty' } })
  })

  test.each([
    ['not-found', 'no longer exists'],
    ['locked', 'Another Troupe runs'],
    ['not-there', 'Its branch is gone.'],
  ])('that can’t be sent (%s) return the reason', async (type, message) => {
    const send = async () => fail({ type, message: 'Its branch is gone.' })
    const { commands } = open({}, { send })
    const answer = await commands['review.comment']({ ...at, comments: [comment], message: '' }, call())
    expect(answer).toMatchObject({ ok: false, failure: { type } })
    expect(answer.ok ? '' : answer.failure.message).toContain(message)
    expect(answer.ok ? '' : answer.failure.message).toMatch(/Nothing was sent\.$/)
  })

  test('on a worktree that no longer exists are refused with a message', async () => {
    const answer = await open().commands['review.comment'](
      { ...at, id: 'gone', comments: [comment], message: '' },
      call(),
    )
    expect(answer).toMatchObject({ failure: { type: 'not-there' } })
  })
})

describe('conflicts for the agent to resolve', () => {
  const begun = async () => ok({ into: 'main', files: ['a.ts'] })

  test('are merged into its worktree, and the message lists them', async () => {
    const send = vi.fn(async () => ok({ messageId: 'm', queued: false }))
    const { commands, reviewWatch } = open({ beginResolving: begun }, { send })
    expect(await commands['review.resolve']({ ...at, into: null }, call())).toEqual(ok({ files: ['a.ts'] }))
    expect(send).toHaveBeenCalledWith(
      expect.objectContaining({
        agentId: 'a-1',
        content: [{ type: 'text', text: expect.stringContaining('- a.ts') }],
      }),
    )
    expect(reviewWatch.changed).toHaveBeenCalled()
  })

  test('are removed again if the agent can’t be messaged', async () => {
    const abortResolving = vi.fn(async () => ok(undefined))
    const send = async () => fail({ type: 'locked', message: '' })
    const { commands } = open({ beginResolving: begun, abortResolving }, { send })
    expect(await commands['review.resolve']({ ...at, into: null }, call())).toMatchObject({
      failure: { type: 'locked' },
    })
    expect(abortResolving).toHaveBeenCalledWith(at)
  })

  test('from before stay if the agent can’t be messaged, because some may be resolved', async () => {
    const { commands } = open(
      {
        list: async () => ({ ...here, worktrees: [{ ...worktree, resolving: ['a.ts'] }] }),
        beginResolving: begun,
      },
      { send: async () => fail({ type: 'locked', message: '' }) },
    )
    expect(await commands['review.resolve']({ ...at, into: null }, call())).toMatchObject({
      failure: { type: 'locked' },
    })
  })

  test('that could not be merged into the worktree are not sent', async () => {
    const { commands } = open({ beginResolving: async () => fail({ type: 'in-use', message: 'It works.' }) })
    expect(await commands['review.resolve']({ ...at, into: null }, call())).toMatchObject({
      failure: { type: 'in-use' },
    })
  })
})

test('a merge and its undo are told to the conversation of the worktree’s agent, a failed merge is not', async () => {
  const workMerged = vi.fn(async () => fail({ type: 'locked', message: 'Another Troupe has it.' }))
  const merged = { into: 'main', commit: 'c0ffee', commits: 1, files: 1 }
  const merge = vi
    .fn()
    .mockResolvedValueOnce(ok(merged))
    .mockResolvedValueOnce(fail({ type: 'conflicts', message: 'Both changed it.' }))
  const { commands } = open({ merge, undoMerge: async () => ok(undefined) }, { workMerged })
  const choices = { ...at, method: 'merge' as const, into: null, commits: [], message: null, seen: null }
  // The merge has happened, whatever becomes of the record.
  expect(await commands['review.merge'](choices, call())).toEqual(ok(merged))
  const agent = { conversationId: 'c-1', agentId: 'a-1' }
  expect(workMerged).toHaveBeenLastCalledWith({ ...agent, merged })
  expect(await commands['review.merge'](choices, call())).toMatchObject({ ok: false })
  expect(workMerged).toHaveBeenCalledTimes(1)
  await commands['review.undoMerge'](at, call())
  expect(workMerged).toHaveBeenLastCalledWith({ ...agent, merged: null })
})
