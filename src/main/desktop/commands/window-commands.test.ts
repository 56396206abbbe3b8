import { describe, expect, test, vi } from 'vitest'
import type { AgentEvent, LiveEvent } from '../../../shared/events/agent-event.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { ConversationSnapshot } from '../../../shared/state/conversation-snapshot.ts'
import { emptyReview } from '../../../shared/worktrees/review.ts'
import { DeltaStream } from '../deltas/delta-stream.ts'
import { fakeProgram, fakeSettings } from '../testing/fake-program.ts'
import { settingsCommands, updateCommands } from './settings-commands.ts'
import { streamCommands, type WindowParts, windowCommands } from './window-commands.ts'

function call() {
  const stream = new DeltaStream({ now: () => 0 })
  const hold = vi.fn()
  return { stream, hold }
}

describe('subscribing', () => {
  test('holds the stream from the snapshot until the window has it', async () => {
    const order: string[] = []
    const one = call()
    one.hold.mockImplementation(() => order.push('held'))
    const snapshot = async () => {
      order.push('made')
      return ok({ order: 4 } as ConversationSnapshot)
    }
    const { 'conversation.subscribe': subscribe } = streamCommands({
      program: async () => fakeProgram({ runtime: { snapshot } }),
    })
    expect(await subscribe({ conversationId: 'c' }, one)).toEqual(ok({ order: 4 }))
    expect(order).toEqual(['made', 'held'])
  })

  test('listeners learn of each subscription, but not of failed ones', async () => {
    const subscriptions = { subscribed: vi.fn(), unsubscribed: vi.fn() }
    const snapshot = async (id: string) =>
      id === 'gone' ? fail({ type: 'not-found', message: '' }) : ok({ order: 4 } as ConversationSnapshot)
    const { 'conversation.subscribe': subscribe, 'conversation.unsubscribe': unsubscribe } = streamCommands({
      program: async () => fakeProgram({ runtime: { snapshot } }),
      subscriptions,
    })
    await subscribe({ conversationId: 'c' }, call())
    await subscribe({ conversationId: 'gone' }, call())
    await unsubscribe({ conversationId: 'c' }, call())
    expect(subscriptions.subscribed.mock.calls).toEqual([['c']])
    expect(subscriptions.unsubscribed.mock.calls).toEqual([['c']])
  })
})

describe('updates', () => {
  const source = { url: 'https://example.com/troupe/', key: 'MCow' }
  const parts = ({ isUsable = true, agrees = true } = {}) => {
    const settings = fakeSettings()
    const checked = isUsable ? ok(undefined) : fail({ type: 'settings', message: 'Not a public key.' })
    const updates = {
      checkSource: async () => checked,
      install: async (confirm: (version: string) => Promise<boolean>) =>
        ok((await confirm('1.10.0')) ? ('installed' as const) : ('canceled' as const)),
    }
    const given = {
      program: async () => fakeProgram({ updates: updates as never }),
      settings,
      askToUpdate: vi.fn(async () => agrees),
      askAboutUpdates: vi.fn(async () => agrees),
      restart: vi.fn(),
    }
    return { ...given, commands: updateCommands(given) }
  }

  test('an address with a key is used after a question that no page answers', async () => {
    const { commands, settings, askAboutUpdates } = parts()
    await commands['update.source'](source, call())
    expect(askAboutUpdates.mock.calls).toEqual([[source.url, source.key]])
    expect(settings.current).toMatchObject({ updateUrl: source.url, updateKey: source.key })
    await commands['update.source']({ url: '', key: source.key }, call())
    expect([askAboutUpdates.mock.calls.length, settings.current.updateUrl]).toEqual([1, ''])
  })

  test.each([
    [{ agrees: false }, ok(null)],
    [{ isUsable: false }, fail({ type: 'settings', message: 'Not a public key.' })],
  ])('a declined or wrong one changes nothing: %o', async (choices, answer) => {
    const { commands, settings } = parts(choices)
    expect(await commands['update.source'](source, call())).toEqual(answer)
    expect(settings.current.updateUrl).toBe('')
  })

  test('no page sets them with other settings', async () => {
    const { settings } = parts()
    const { 'settings.change': change } = settingsCommands({ settings })
    expect(await change({ patch: { updateKey: 'MCow' } }, call())).toMatchObject({
      failure: { type: 'not-here' },
    })
  })

  test('the program starts again after an installation only', async () => {
    const agreed = parts()
    await agreed.commands['update.install']({}, call())
    expect(agreed.restart).toHaveBeenCalledOnce()
    const declined = parts({ agrees: false })
    expect(await declined.commands['update.install']({}, call())).toEqual(ok('canceled'))
    expect(declined.restart).not.toHaveBeenCalled()
  })
})

describe('a transcript', () => {
  const events = [{ seq: 3 }, { seq: 4 }] as unknown as AgentEvent[]
  const live: LiveEvent[] = [
    { type: 'live-block', agentId: 'a', index: 0, kind: 'text', name: '', append: 'x' },
  ]
  const open = (page = ok({ events, total: 5 })) =>
    streamCommands({
      program: async () =>
        fakeProgram({ store: { page: async () => page } as never, runtime: { live: () => live } }),
    })
  const input = { conversationId: 'c', agentId: 'a', limit: 10 }

  test('deltas continue from its newest page and the live events', async () => {
    const one = call()
    const watchFrom = vi.spyOn(one.stream, 'watchFrom')
    expect(await open()['agent.transcript']({ ...input, before: null }, one)).toEqual(
      ok({ events, older: true, live }),
    )
    expect(one.hold).toHaveBeenCalled()
    expect(watchFrom).toHaveBeenCalledWith('c', 'a', live)
  })

  test('an older page has no live events', async () => {
    const one = call()
    expect(await open()['agent.transcript']({ ...input, before: 5 }, one)).toEqual(
      ok({ events, older: true, live: [] }),
    )
    expect(one.hold).not.toHaveBeenCalled()
    const first = ok({ events: [{ seq: 0 }] as unknown as AgentEvent[], total: 1 })
    expect(await open(first)['agent.transcript']({ ...input, before: 1 }, call())).toMatchObject({
      value: { older: false },
    })
  })

  test('an unreadable one is a failure, and still releases the stream', async () => {
    const one = call()
    const broken = fail({ type: 'damaged', message: 'Line 7.' }) as never
    expect(await open(broken)['agent.transcript']({ ...input, before: null }, one)).toMatchObject({
      ok: false,
    })
    expect(one.hold).toHaveBeenCalledTimes(1)
  })
})

test.each(['access', 'baseUrl', 'trustedFolders', 'bypassFolders', 'plugins'] as const)(
  '%s has its own command and can’t be changed here',
  async (key) => {
    const settings = fakeSettings()
    const { 'settings.change': change } = settingsCommands({ settings })
    const value = {
      access: { kind: 'api' },
      baseUrl: 'https://evil.example',
      trustedFolders: ['/'],
      bypassFolders: ['/'],
      plugins: [{ path: '/evil', enabled: true }],
    }
    const patch = { theme: 'dark', [key]: value[key] } as never
    expect(await change({ patch }, call())).toMatchObject({ ok: false, failure: { type: 'not-here' } })
    expect(settings.current.theme).toBe('system')
    expect((await change({ patch: { theme: 'dark' } }, call())).ok).toBe(true)
  },
)

test('the window gets the quick list of worktrees, and no delta before it has the list', async () => {
  const here = emptyReview('/repo', null)
  const follow = vi.fn(async () => here)
  const known = async (path: string) =>
    path === '/closed'
      ? fail({ type: 'not-open', message: 'Open it first.' })
      : ok(path === '/link' ? '/repo' : path)
  const { 'review.watch': watch } = windowCommands({
    folders: { known },
    reviewWatch: { follow },
    tutorial: { handlers: {} },
  } as unknown as WindowParts)
  const one = call()
  expect(await watch({ folder: '/link', watched: true }, one)).toEqual(ok(here))
  expect(follow).toHaveBeenCalledWith('/repo', true)
  expect(one.hold).toHaveBeenCalledTimes(1)
  expect(await watch({ folder: '/closed', watched: true }, call())).toMatchObject({
    failure: { type: 'not-open' },
  })
})

test('an imported conversation is told to all windows; one that is gone already is not', async () => {
  const pushAll = vi.fn()
  const summary = { id: 'c-new' }
  const conversations = vi.fn(async (): Promise<unknown> => [summary])
  const shared = { import: async () => ok({ conversationId: 'c-new', title: 'Shop', agents: 1, events: 9 }) }
  const { 'system.importConversation': run } = windowCommands({
    askForImport: async () => '/file',
    program: async () => ({ runtime: { conversations }, shared }),
    pushAll,
    tutorial: { handlers: {} },
  } as unknown as WindowParts)
  expect(await run({}, call())).toMatchObject({ ok: true, value: { summary, events: 9 } })
  expect(pushAll.mock.calls).toEqual([[{ type: 'conversation', summary }]])
  conversations.mockResolvedValue([])
  expect(await run({}, call())).toMatchObject({ failure: { type: 'not-found' } })
  expect(pushAll).toHaveBeenCalledOnce()
})
