import { describe, expect, test, vi } from 'vitest'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import { emptyReview, type ReviewWorktree } from '../../../../shared/worktrees/review.ts'
import type { Runtime } from '../../../runtime/ports/runtime.ts'
import type { Review } from '../../../runtime/ports/worktrees.ts'
import { reviewHandlers } from './review-handlers.ts'

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
  const comment: Review['comment'] = async (_key, _asked, send) => {
    const sent = await send()
    return sent.ok ? ok(undefined) : sent
  }
  const commands = reviewHandlers({
    review: { list: async () => here, comment, ...review } as Review,
    runtime: runtime as Runtime,
    isTrusted: (folder) => folder !== '/stranger',
  })
  return { commands }
}

test('only repositories of trusted folders are asked for work to review', async () => {
  const conversations = vi.fn(async (folderOf: (id: string) => string | null) =>
    ['c-1', 'c-2', 'c-3'].filter((id) => folderOf(id) !== null),
  )
  const summaries = [
    { id: 'c-1', folder: '/repo' },
    { id: 'c-2', folder: '/stranger' },
  ]
  const { commands } = open({ conversations }, { conversations: async () => summaries as never })
  expect(await commands['review.conversations']({})).toEqual(ok(['c-1']))
})

test('each command reaches the review with its worktree', async () => {
  const changes = vi.fn(async () => ok({} as never))
  const file = vi.fn(async () => ok({} as never))
  const conflicts = vi.fn(async () => ok([]))
  const { commands } = open({ changes, file, conflicts })
  await commands['review.changes']({ ...at, range: null })
  const range = { kind: 'commit' as const, commit: 'a'.repeat(40) }
  await commands['review.file']({ ...at, path: 'a.ts', range })
  await commands['review.conflicts']({ ...at, with: null, into: 'dev' })
  await commands['review.conflicts']({ ...at, with: 'other-2', into: null })
  expect(changes).toHaveBeenCalledWith(at, null)
  expect(file).toHaveBeenCalledWith(at, 'a.ts', range)
  expect(conflicts.mock.calls).toEqual([
    [at, { into: 'dev' }],
    [at, { id: 'other-2' }],
  ])
})

test('changes reach the review with what the user saw and typed', async () => {
  const done = async () => ok(undefined)
  const merge = vi.fn(async () => fail({ type: 'conflicts' as const, message: 'a.ts' }))
  const discard = vi.fn(done)
  const { commands } = open({
    merge,
    discard,
    undoDiscard: done,
    abortResolving: done,
    carryOver: async () => ok({ files: ['a'] }),
    removeMerged: async () => ok({ removed: ['x'], kept: [] }),
  })
  const plain = { method: 'merge' as const, into: null, commits: [], seen: 'v1' }
  expect(await commands['review.merge']({ ...at, ...plain, message: null })).toMatchObject({
    failure: { type: 'conflicts' },
  })
  expect(merge).toHaveBeenLastCalledWith(at, plain)
  await commands['review.merge']({ ...at, ...plain, message: 'Why.' })
  expect(merge).toHaveBeenLastCalledWith(at, { ...plain, message: 'Why.' })
  await commands['review.discard']({ ...at, confirm: 'troupe/writer-1', seen: 'v1' })
  expect(discard).toHaveBeenCalledWith(at, 'troupe/writer-1', 'v1')
  await commands['review.undoDiscard'](at)
  await commands['review.abortResolve'](at)
  expect(await commands['review.carryOver'](at)).toEqual(ok({ files: ['a'] }))
  expect(await commands['review.removeMerged']({ folder: '/repo', ids: null })).toEqual(
    ok({ removed: ['x'], kept: [] }),
  )
})

describe('comments', () => {
  const comment = { path: 'a.ts', line: 3, lastLine: null, side: 'after' as const, quote: 'x', text: 'Why?' }

  test('are one message to the worktree’s agent', async () => {
    const send = vi.fn(async () => ok({ messageId: 'm', queued: false }))
    const { commands } = open({}, { dispatch: send as never })
    expect(await commands['review.comment']({ ...at, comments: [comment, comment], message: '' })).toEqual(
      ok(undefined),
    )
    expect(send.mock.calls).toEqual([
      [
        {
          type: 'conversation.send',
          conversationId: 'c-1',
          agentId: 'a-1',
          content: expect.stringContaining('left 2 comments'),
        },
      ],
    ])
  })

  test('without any text are not sent', async () => {
    const answer = await open().commands['review.comment']({ ...at, comments: [], message: ' ' })
    expect(answer).toMatchObject({ failure: { type: 'empty' } })
  })

  test.each([
    ['not-found', 'no longer exists'],
    ['locked', 'Another Troupe runs'],
    ['not-there', 'Its branch is gone.'],
  ])('that can’t be sent (%s) return the reason', async (type, message) => {
    const send = async () => fail({ type, message: 'Its branch is gone.' })
    const { commands } = open({}, { dispatch: send as never })
    const answer = await commands['review.comment']({ ...at, comments: [comment], message: '' })
    expect(answer).toMatchObject({ ok: false, failure: { type } })
    expect(answer.ok ? '' : answer.failure.message).toContain(message)
    expect(answer.ok ? '' : answer.failure.message).toMatch(/Nothing was sent\.$/)
  })

  test('on a worktree that no longer exists are refused with a message', async () => {
    const answer = await open().commands['review.comment']({
      ...at,
      id: 'gone',
      comments: [comment],
      message: '',
    })
    expect(answer).toMatchObject({ failure: { type: 'not-there' } })
  })
})

describe('conflicts for the agent to resolve', () => {
  const begun = async () => ok({ into: 'main', files: ['a.ts'] })

  test('are merged into its worktree, and the message lists them', async () => {
    const send = vi.fn(async () => ok({ messageId: 'm', queued: false }))
    const { commands } = open({ beginResolving: begun }, { dispatch: send as never })
    expect(await commands['review.resolve']({ ...at, into: null })).toEqual(ok({ files: ['a.ts'] }))
    expect(send).toHaveBeenCalledWith(
      expect.objectContaining({
        agentId: 'a-1',
        content: expect.stringContaining('- a.ts'),
      }),
    )
  })

  test('are removed again if the agent can’t be messaged', async () => {
    const abortResolving = vi.fn(async () => ok(undefined))
    const send = async () => fail({ type: 'locked', message: '' })
    const { commands } = open({ beginResolving: begun, abortResolving }, { dispatch: send as never })
    expect(await commands['review.resolve']({ ...at, into: null })).toMatchObject({
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
      { dispatch: (async () => fail({ type: 'locked', message: '' })) as never },
    )
    expect(await commands['review.resolve']({ ...at, into: null })).toMatchObject({
      failure: { type: 'locked' },
    })
  })

  test('that could not be merged into the worktree are not sent', async () => {
    const { commands } = open({ beginResolving: async () => fail({ type: 'in-use', message: 'It works.' }) })
    expect(await commands['review.resolve']({ ...at, into: null })).toMatchObject({
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
  expect(await commands['review.merge'](choices)).toEqual(ok(merged))
  const agent = { conversationId: 'c-1', agentId: 'a-1' }
  expect(workMerged).toHaveBeenLastCalledWith({ ...agent, merged })
  expect(await commands['review.merge'](choices)).toMatchObject({ ok: false })
  expect(workMerged).toHaveBeenCalledTimes(1)
  await commands['review.undoMerge'](at)
  expect(workMerged).toHaveBeenLastCalledWith({ ...agent, merged: null })
})
