/** Interceptors learn that a worktree was discarded when its agent does not work any more. */
import { expect, test } from 'vitest'
import type { Interceptor, Interceptors } from './ports/interceptors.ts'
import { createMemoryStore } from './testing/memory-store.ts'
import { createMemoryWorktrees } from './testing/memory-worktrees.ts'
import { agentCall, childrenOf, echo, script } from './testing/scripts.ts'
import { createTestRuntime } from './testing/test-runtime.ts'

async function ended(isInterested: boolean) {
  const store = createMemoryStore()
  const removed: object[] = []
  const sessions: boolean[] = []
  const interceptor: Interceptor = {
    source: 'hook clean.sh',
    timeLimitMs: 1000,
    handlers: {
      'session-start': async ({ isResumed }) => {
        sessions.push(isResumed)
        return null
      },
      ...(isInterested && {
        'worktree-remove': async ({ path, branch }, { agent: { id, type, project }, record }) => {
          removed.push({ path, branch, id, type, project })
          record({ type: 'notice', level: 'info', text: 'Cleaned.' })
          return null
        },
      }),
    },
  }
  const interceptors: Interceptors = { list: async () => [interceptor] }
  const start = () =>
    createTestRuntime({
      store,
      script: script([{ calls: [agentCall('one', { isolation: 'worktree' })] }, echo], echo),
      ports: { interceptors, worktrees: createMemoryWorktrees() },
    })
  const troupe = start()
  const conversationId = await troupe.begin('Go')
  await troupe.runtime.settled(conversationId)
  const [child] = childrenOf(troupe)
  if (!child?.worktree) throw new Error('There is no worktree.')
  expect(removed).toEqual([])
  return { troupe, start, removed, sessions, child, owner: { conversationId, agentId: child.agentId } }
}

test('in an open conversation, with what the interceptor recorded in the agent’s log', async () => {
  const { troupe, removed, child, owner } = await ended(true)
  expect(await troupe.runtime.worktreeDiscarded(owner)).toEqual({ ok: true, value: undefined })
  const { path, branch } = child.worktree!
  expect(removed).toEqual([{ path, branch, id: child.agentId, type: 'general-purpose', project: '/project' }])
  const last = troupe.events.at(-1)
  expect(last).toMatchObject({ type: 'notice', text: 'Cleaned.', agentId: child.agentId })
})

test('a closed conversation is opened only if an interceptor wants to know', async () => {
  for (const isInterested of [true, false]) {
    const { troupe, start, removed, sessions, owner } = await ended(isInterested)
    await troupe.runtime.close()
    const later = start()
    await later.runtime.worktreeDiscarded(owner)
    expect(removed).toHaveLength(isInterested ? 1 : 0)
    expect(sessions).toEqual(isInterested ? [false, true] : [false])
  }
})

test('a deleted conversation is no problem', async () => {
  const { troupe, removed, owner } = await ended(true)
  await troupe.runtime.dispatch({ type: 'conversation.trash', conversationId: owner.conversationId })
  expect(await troupe.runtime.worktreeDiscarded(owner)).toMatchObject({ failure: { type: 'not-found' } })
  expect(removed).toEqual([])
})
