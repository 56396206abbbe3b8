import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { emptyReview, type ReviewSnapshot, type ReviewWorktree } from '../../../shared/worktrees/review.ts'
import type { RuntimeDelta } from '../../runtime/ports/runtime.ts'
import { createReviewWatch, type ReviewWatch } from './review-watch.ts'

/** The calls of git: `quick /repo`, `thorough /repo`, `tidy /repo`, with the time in ms. */
let asked: { readonly what: string; readonly at: number }[]
let pushed: ReviewSnapshot[]
let trusted: Set<string>
let open: string | null
/** The number of lists running now, and the maximum. */
let [working, mostWorking] = [0, 0]
/** ms per list. */
let takes: number
/** The times of the stamps, the stamp, and the ms that it takes. */
let stamps: number[]
let stamp: string | Error
let stampTakes: number
let visible: boolean
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
  stamps = []
  stamp = 'first'
  stampTakes = 1
  visible = true
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
      stamp: async () => {
        stamps.push(Date.now())
        await new Promise((resolve) => setTimeout(resolve, stampTakes))
        if (stamp instanceof Error) throw stamp
        return stamp
      },
      tidy: async (folder) => {
        asked.push({ what: `tidy ${folder}`, at: Date.now() })
      },
    }),
    folder: () => open,
    isTrusted: (folder) => trusted.has(folder),
    isVisible: () => visible,
    agent: (_conversation, agentId) =>
      agentId.startsWith('tree') ? ({ worktree: {} } as never) : { worktree: null },
    push: (snapshot) => pushed.push(snapshot),
    onError: (cause) => failures.push(cause),
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

/** Starts watching the folder, and clears the recorded calls. */
async function watched() {
  const subscriptions = watch.follow('/repo', true)
  await pass(1000)
  asked = []
  pushed = []
  return subscriptions
}

describe('a call to follow', () => {
  test('gets a quick list at once; a thorough one follows while the folder is watched', async () => {
    const subscriptions = watch.follow('/repo', true)
    await pass(1000)
    expect((await subscriptions).worktrees).toMatchObject([{ id: 'a', check: null }])
    expect(pushed.at(-1)?.worktrees).toMatchObject([{ id: 'a', check: { kind: 'clean' }, bytes: 7 }])
    expect(names()).toEqual(['tidy /repo', 'quick /repo', 'quick /repo', 'thorough /repo'])
  })

  test('without watching gets the quick list only', async () => {
    const subscriptions = watch.follow('/repo', false)
    await pass(1000)
    expect((await subscriptions).worktrees).toHaveLength(1)
    expect(names()).toEqual(['tidy /repo', 'quick /repo'])
    expect(pushed).toEqual([])
  })

  test('in an untrusted folder gets the reason, and nothing runs', async () => {
    trusted.clear()
    const { problem, worktrees } = await watch.follow('/repo', true)
    watch.schedule()
    watch.onDelta(event('tree', { type: 'work-saved' }))
    await pass(5000)
    expect(problem).toContain('Trust the folder first')
    expect(worktrees).toEqual([])
    expect(asked).toEqual([])
    trusted.add('/repo')
    watch.schedule()
    await pass(1000)
    expect(pushed.at(-1)).toMatchObject({ problem: null, worktrees: [{ id: 'a' }] })
  })

  test('from a reloaded window gets the thorough list again', async () => {
    await watched()
    const subscriptions = watch.follow('/repo', true)
    await pass(1000)
    await subscriptions
    expect(pushed.at(-1)?.worktrees).toMatchObject([{ check: { kind: 'clean' } }])
  })
})

describe('while the folder is watched', () => {
  test.each([
    ['an agent in a worktree used a tool', toolEnded('tree')],
    ['a command ran elsewhere', toolEnded('main', { display: { kind: 'terminal' } })],
    ['work was saved', event('tree', { type: 'work-saved' })],
    ['an agent in a worktree ended', event('tree', { type: 'agent-ended' })],
    ['an agent got a worktree', event('x', { type: 'agent-spawned', worktree: {} as never })],
    ['a conversation was removed', { type: 'conversation-gone', conversationId: 'c' } as const],
  ])('the list is refreshed after %s', async (_, delta) => {
    await watched()
    watch.onDelta(delta)
    await pass(1000)
    expect(names()).toEqual(['quick /repo', 'thorough /repo'])
  })

  test.each([
    ['an agent elsewhere used a tool', toolEnded('main')],
    ['an agent elsewhere ended', event('main', { type: 'agent-ended' })],
    ['an agent without a worktree was started', event('x', { type: 'agent-spawned', worktree: null })],
    ['text streamed', { type: 'live' } as never],
  ])('the list is not refreshed after %s', async (_, delta) => {
    await watched()
    watch.onDelta(delta)
    await pass(5000)
    expect(asked).toEqual([])
  })

  test('many events cause few lists: one at a time, at most two a second, and one after the last event', async () => {
    await watched()
    // Two lists take longer than the shortest time between two refreshes.
    takes = 300
    for (let at = 0; at < 5000; at += 10) {
      watch.onDelta(toolEnded('tree'))
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

  test('an unchanged list is not pushed again, and a quick list keeps the known checks', async () => {
    await watched()
    watch.schedule()
    await pass(1000)
    expect(pushed).toEqual([])
    worktrees = [{ id: 'a', path: '/data/worktrees/repo/a', commits: 2 }]
    watch.schedule()
    await pass(1000)
    expect(pushed.map(({ worktrees }) => worktrees[0]?.check)).toEqual([null, { kind: 'clean' }])
  })

  test('after a change from the window no earlier list counts', async () => {
    await watched()
    takes = 200
    watch.schedule()
    await pass(300)
    // A thorough list is running: it began before the change.
    expect(names()).toEqual(['quick /repo', 'thorough /repo'])
    watch.changed()
    await pass(200)
    expect(pushed).toEqual([])
    await pass(1000)
    expect(pushed.map(({ worktrees }) => worktrees[0]?.check)).toEqual([null, { kind: 'clean' }])
  })

  test('a failed list is reported, and the next one still runs', async () => {
    await watched()
    worktrees = null as never
    watch.schedule()
    await pass(1000)
    expect(failures).toHaveLength(1)
    worktrees = []
    watch.schedule()
    await pass(1000)
    expect(pushed.at(-1)?.worktrees).toEqual([])
  })
})

describe('a change by hand', () => {
  const changeByHand = (now: string) => {
    stamp = now
    worktrees = [{ id: 'a', path: '/data/worktrees/repo/a', commits: 1, version: now }]
  }
  const versions = () => pushed.map((snapshot) => snapshot.worktrees[0]?.version)

  test('is shown within two seconds, again and again, without any event', async () => {
    await watched()
    for (const now of ['second', 'third', 'fourth']) {
      pushed = []
      changeByHand(now)
      await pass(2000)
      expect(versions()).toContain(now)
    }
  })

  test('during a list is found by the next stamp', async () => {
    await watched()
    takes = 400
    watch.schedule()
    await pass(500)
    expect(working).toBe(1)
    stamp = 'second'
    await pass(600)
    worktrees = [{ id: 'a', path: '/data/worktrees/repo/a', version: 'second' }]
    await pass(3000)
    expect(versions()).toContain('second')
  })

  test('without changes only stamps are taken', async () => {
    await watched()
    await pass(10_000)
    expect(asked).toEqual([])
    expect(stamps.length).toBeGreaterThanOrEqual(9)
  })

  test('a slow repository is asked less often', async () => {
    stampTakes = 1500
    await watched()
    await pass(30_000)
    const gaps = stamps.slice(2).map((at, index) => at - (stamps[index + 1] ?? 0))
    expect(gaps.length).toBeGreaterThan(1)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1500 + 4 * 1500)
  })

  test('while the window is hidden nothing is asked; it is shown with the window', async () => {
    await watched()
    visible = false
    await pass(2000)
    stamps = []
    changeByHand('second')
    await pass(60_000)
    expect(stamps).toEqual([])
    visible = true
    watch.schedule()
    await pass(1000)
    expect(versions()).toContain('second')
    changeByHand('third')
    await pass(2000)
    expect(versions()).toContain('third')
  })

  test('is found even after a stamp failed', async () => {
    await watched()
    stamp = new Error('no git')
    await pass(2000)
    expect(failures.length).toBeGreaterThan(0)
    changeByHand('second')
    await pass(2000)
    expect(versions()).toContain('second')
  })

  test('no stamp is taken where nobody watches, in an untrusted folder, and after stop', async () => {
    watch.schedule()
    await pass(5000)
    expect(stamps).toEqual([])
    trusted.clear()
    void watch.follow('/repo', true)
    await pass(5000)
    expect(stamps).toEqual([])
    trusted.add('/repo')
    await watched()
    void watch.follow('/repo', false)
    await pass(2000)
    stamps = []
    await pass(5000)
    expect(stamps).toEqual([])
    await watched()
    watch.stop()
    stamps = []
    await pass(5000)
    expect(stamps).toEqual([])
  })
})

describe('while the folder is not watched', () => {
  test('quick lists keep the count, and only the start or end of a worktree causes one', async () => {
    watch.onDelta(event('x', { type: 'agent-spawned', worktree: {} as never }))
    await pass(1000)
    expect(names()).toEqual(['tidy /repo', 'quick /repo'])
    expect(pushed).toHaveLength(1)
    watch.onDelta(toolEnded('tree'))
    await pass(1000)
    expect(asked).toHaveLength(2)
    watch.onDelta(toolEnded('main', { display: { kind: 'merge', branch: 'troupe/x', into: 'main' } }))
    await pass(1000)
    expect(names()).toEqual(['tidy /repo', 'quick /repo', 'quick /repo'])
  })

  test('the folder that was watched before is no longer listed', async () => {
    await watched()
    void watch.follow('/repo', false)
    await pass(1000)
    asked = []
    watch.schedule()
    await pass(1000)
    expect(names()).toEqual(['quick /repo'])
  })

  test('opening a folder again pushes again: the page may be a new one', async () => {
    for (let times = 0; times < 2; times++) {
      watch.folderOpened()
      await pass(1000)
    }
    expect(pushed).toHaveLength(2)
    watch.schedule()
    await pass(1000)
    expect(pushed).toHaveLength(2)
  })

  test('another folder is listed when it opens, and cleaned up once', async () => {
    trusted.add('/other')
    for (const folder of ['/repo', '/other', '/repo']) {
      open = folder
      watch.schedule()
      await pass(1000)
    }
    expect(names()).toEqual(['tidy /repo', 'quick /repo', 'tidy /other', 'quick /other', 'quick /repo'])
  })

  test('the checks of one folder are not used for another', async () => {
    await watched()
    trusted.add('/other')
    const subscriptions = watch.follow('/other', false)
    await pass(1000)
    expect((await subscriptions).worktrees).toMatchObject([{ id: 'a', check: null, bytes: null }])
  })

  test('leaving one folder after opening the next watches the next', async () => {
    trusted.add('/other')
    const all = [watch.follow('/repo', true), watch.follow('/other', true), watch.follow('/repo', false)]
    await pass(2000)
    await Promise.all(all)
    expect(names().filter((name) => name.startsWith('thorough'))).toEqual(['thorough /other'])
  })
})

test('a path is held by the worktrees listed, and by no other folder', async () => {
  expect(watch.holds('/data/worktrees/repo/a/src')).toBe(false)
  await watched()
  expect(watch.holds('/data/worktrees/repo/a/src')).toBe(true)
  for (const path of ['/data/worktrees/repo', '/data/worktrees/repo/ab', '/'])
    expect(watch.holds(path)).toBe(false)
})

test('after stop nothing is pushed, even from a running list', async () => {
  watch.schedule()
  await pass(45)
  expect(working).toBe(1)
  watch.stop()
  await pass(5000)
  expect(pushed).toEqual([])
})

test('after stop nothing is listed', async () => {
  watch.schedule()
  watch.stop()
  watch.schedule()
  await pass(5000)
  expect(asked).toEqual([])
})
