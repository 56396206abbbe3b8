import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../../shared/agent-event.ts'
import { emptyReview, type ReviewSnapshot, type ReviewWorktree } from '../../../shared/review.ts'
import type { RuntimeDelta } from '../../runtime/runtime.ts'
import { createReviewWatch, type ReviewWatch } from './review-watch.ts'

/** What was asked of git: `quick /repo`, `thorough /repo`, `tidy /repo`, with the time in ms. */
let asked: { readonly what: string; readonly at: number }[]
let pushed: ReviewSnapshot[]
let trusted: Set<string>
let open: string | null
/** How many lists are at work now, and were at most. */
let [working, mostWorking] = [0, 0]
/** ms that a list takes. */
let takes: number
let worktrees: readonly Partial<ReviewWorktree>[]
let watch: ReviewWatch
let failures: unknown[]

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  asked = []
  pushed = []
  failures = []
  trusted = new Set(['/repo'])
  open = '/repo'
  ;[working, mostWorking] = [0, 0]
  takes = 10
  worktrees = [{ id: 'a', path: '/data/worktrees/repo/a', commits: 1 }]
  watch = createReviewWatch({
    review: async () => ({
      list: async (folder, { thorough }) => {
        asked.push({ what: `${thorough ? 'thorough' : 'quick'} ${folder}`, at: Date.now() })
        mostWorking = Math.max(mostWorking, ++working)
        const found = worktrees.map((worktree) => ({
          bytes: thorough ? 7 : null,
          check: thorough ? { kind: 'clean' } : null,
          resolving: null,
          ...worktree,
        })) as unknown as ReviewWorktree[]
        await new Promise((resolve) => setTimeout(resolve, takes))
        working--
        return { ...emptyReview(folder, null), worktrees: found }
      },
      tidy: async (folder) => {
        asked.push({ what: `tidy ${folder}`, at: Date.now() })
      },
    }),
    folder: () => open,
    isTrusted: (folder) => trusted.has(folder),
    agent: (_conversation, agentId) =>
      agentId.startsWith('tree') ? ({ worktree: {} } as never) : { worktree: null },
    push: (snapshot) => pushed.push(snapshot),
    failed: (cause) => failures.push(cause),
    now: () => Date.now(),
  })
})
afterEach(() => {
  watch.stop()
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const names = () => asked.map(({ what }) => what)
const event = (agentId: string, more: Partial<AgentEvent>): RuntimeDelta =>
  ({ type: 'event', conversationId: 'c', event: { agentId, ...more } }) as RuntimeDelta
const toolEnded = (agentId: string, more: object = {}) =>
  event(agentId, { type: 'tool-ended', name: 'Edit', display: null, ...more } as Partial<AgentEvent>)

/** Has the folder watched, and forgets what that took. */
async function watched() {
  const following = watch.follow('/repo', true)
  await pass(1000)
  asked = []
  pushed = []
  return following
}

describe('who asks', () => {
  test('gets a quick list at once; what is thorough comes behind it, while it is watched', async () => {
    const following = watch.follow('/repo', true)
    await pass(1000)
    expect((await following).worktrees).toMatchObject([{ id: 'a', check: null }])
    expect(pushed.at(-1)?.worktrees).toMatchObject([{ id: 'a', check: { kind: 'clean' }, bytes: 7 }])
    expect(names()).toEqual(['tidy /repo', 'quick /repo', 'quick /repo', 'thorough /repo'])
  })

  test('and does not watch gets no more than that', async () => {
    const following = watch.follow('/repo', false)
    await pass(1000)
    expect((await following).worktrees).toHaveLength(1)
    expect(names()).toEqual(['tidy /repo', 'quick /repo'])
    expect(pushed).toEqual([])
  })

  test('for a folder that is not trusted is told so, and nothing runs', async () => {
    trusted.clear()
    const { problem, worktrees } = await watch.follow('/repo', true)
    watch.soon()
    watch.hear(event('tree', { type: 'work-saved' }))
    await pass(5000)
    expect(problem).toContain('Trust the folder first')
    expect(worktrees).toEqual([])
    expect(asked).toEqual([])
    trusted.add('/repo')
    watch.soon()
    await pass(1000)
    expect(pushed.at(-1)).toMatchObject({ problem: null, worktrees: [{ id: 'a' }] })
  })

  test('anew, as a window that was loaded again, gets the thorough list again', async () => {
    await watched()
    const following = watch.follow('/repo', true)
    await pass(1000)
    await following
    expect(pushed.at(-1)?.worktrees).toMatchObject([{ check: { kind: 'clean' } }])
  })
})

describe('while it is watched', () => {
  test.each([
    ['an agent in a worktree used a tool', toolEnded('tree')],
    ['a command ran elsewhere', toolEnded('main', { display: { kind: 'terminal' } })],
    ['work was saved', event('tree', { type: 'work-saved' })],
    ['an agent in a worktree ended', event('tree', { type: 'agent-ended' })],
    ['an agent got a worktree', event('x', { type: 'agent-spawned', worktree: {} as never })],
    ['a conversation went', { type: 'conversation-gone', conversationId: 'c' } as const],
  ])('it is looked again where %s', async (_, delta) => {
    await watched()
    watch.hear(delta)
    await pass(1000)
    expect(names()).toEqual(['quick /repo', 'thorough /repo'])
  })

  test.each([
    ['an agent elsewhere used a tool', toolEnded('main')],
    ['an agent elsewhere ended', event('main', { type: 'agent-ended' })],
    ['an agent without a worktree was started', event('x', { type: 'agent-spawned', worktree: null })],
    ['words came', { type: 'live' } as never],
  ])('it is not where %s', async (_, delta) => {
    await watched()
    watch.hear(delta)
    await pass(5000)
    expect(asked).toEqual([])
  })

  test('many events are few lists: one at a time, twice a second at most, and one after the last', async () => {
    await watched()
    // Two lists take longer than the shortest time between two looks.
    takes = 300
    for (let at = 0; at < 5000; at += 10) {
      watch.hear(toolEnded('tree'))
      await pass(10)
    }
    const lastEvent = Date.now()
    await pass(3000)
    const quick = asked.filter(({ what }) => what === 'quick /repo').map(({ at }) => at)
    const gaps = quick.slice(1).map((at, index) => at - (quick[index] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(500)
    expect(quick.length).toBeGreaterThanOrEqual(7)
    expect(quick.at(-1)).toBeGreaterThanOrEqual(lastEvent)
    expect(mostWorking).toBe(1)
    expect(names().filter((name) => name === 'thorough /repo')).toHaveLength(quick.length)
  })

  test('what is as it was is not pushed again, and a quick list does not take away what is known', async () => {
    await watched()
    watch.soon()
    await pass(1000)
    expect(pushed).toEqual([])
    worktrees = [{ id: 'a', path: '/data/worktrees/repo/a', commits: 2 }]
    watch.soon()
    await pass(1000)
    expect(pushed.map(({ worktrees }) => worktrees[0]?.check)).toEqual([null, { kind: 'clean' }])
  })

  test('after a change from here nothing that was known before counts', async () => {
    await watched()
    takes = 200
    watch.soon()
    await pass(300)
    // A thorough list is at work: it began before the change.
    expect(names()).toEqual(['quick /repo', 'thorough /repo'])
    watch.changed()
    await pass(200)
    expect(pushed).toEqual([])
    await pass(1000)
    expect(pushed.map(({ worktrees }) => worktrees[0]?.check)).toEqual([null, { kind: 'clean' }])
  })

  test('a list that fails is told, and the next one is made all the same', async () => {
    await watched()
    worktrees = null as never
    watch.soon()
    await pass(1000)
    expect(failures).toHaveLength(1)
    worktrees = []
    watch.soon()
    await pass(1000)
    expect(pushed.at(-1)?.worktrees).toEqual([])
  })
})

describe('while it is not', () => {
  test('the count is kept with quick lists, and only for what makes or ends one', async () => {
    watch.hear(event('x', { type: 'agent-spawned', worktree: {} as never }))
    await pass(1000)
    expect(names()).toEqual(['tidy /repo', 'quick /repo'])
    expect(pushed).toHaveLength(1)
    watch.hear(toolEnded('tree'))
    await pass(1000)
    expect(asked).toHaveLength(2)
    watch.hear(toolEnded('main', { name: 'MergeWorktree' }))
    await pass(1000)
    expect(names()).toEqual(['tidy /repo', 'quick /repo', 'quick /repo'])
  })

  test('any more, what the window looked at before is not looked into', async () => {
    await watched()
    void watch.follow('/repo', false)
    await pass(1000)
    asked = []
    watch.soon()
    await pass(1000)
    expect(names()).toEqual(['quick /repo'])
  })

  test('a folder that is opened again is told again: the page may be another one', async () => {
    for (let times = 0; times < 2; times++) {
      watch.opened()
      await pass(1000)
    }
    expect(pushed).toHaveLength(2)
    watch.soon()
    await pass(1000)
    expect(pushed).toHaveLength(2)
  })

  test('another folder is listed when it is opened, tidied once', async () => {
    trusted.add('/other')
    for (const folder of ['/repo', '/other', '/repo']) {
      open = folder
      watch.soon()
      await pass(1000)
    }
    expect(names()).toEqual(['tidy /repo', 'quick /repo', 'tidy /other', 'quick /other', 'quick /repo'])
  })

  test('what is known of one folder is not told of another', async () => {
    await watched()
    trusted.add('/other')
    const following = watch.follow('/other', false)
    await pass(1000)
    expect((await following).worktrees).toMatchObject([{ id: 'a', check: null, bytes: null }])
  })

  test('a window that leaves one folder after it went to the next watches the next', async () => {
    trusted.add('/other')
    const all = [watch.follow('/repo', true), watch.follow('/other', true), watch.follow('/repo', false)]
    await pass(2000)
    await Promise.all(all)
    expect(names().filter((name) => name.startsWith('thorough'))).toEqual(['thorough /other'])
  })
})

test('a path is held in a worktree that was listed, and nowhere else', async () => {
  expect(watch.holds('/data/worktrees/repo/a/src')).toBe(false)
  await watched()
  expect(watch.holds('/data/worktrees/repo/a/src')).toBe(true)
  for (const path of ['/data/worktrees/repo', '/data/worktrees/repo/ab', '/'])
    expect(watch.holds(path)).toBe(false)
})

test('after the end nothing is pushed, not even what was being listed', async () => {
  watch.soon()
  await pass(45)
  expect(working).toBe(1)
  watch.stop()
  await pass(5000)
  expect(pushed).toEqual([])
})

test('after the end nothing is listed', async () => {
  watch.soon()
  watch.stop()
  watch.soon()
  await pass(5000)
  expect(asked).toEqual([])
})
