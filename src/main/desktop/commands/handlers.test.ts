import { describe, expect, test, vi } from 'vitest'
import type { AgentEvent, LiveEvent } from '../../../shared/events/agent-event.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { ConversationSnapshot } from '../../../shared/state/conversation-snapshot.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import { DeltaStream } from '../deltas/delta-stream.ts'
import { fakeProgram, fakeSettings } from '../testing/fake-program.ts'
import { conversationCommands } from './conversations.ts'
import { agentCommands, settingsCommands } from './create-commands.ts'

function call() {
  const stream = new DeltaStream({ now: () => 0 })
  const hold = vi.fn()
  return { stream, hold }
}

const conversations = (runtime: Partial<Runtime>, settings = fakeSettings(), isRehearsal = false) =>
  conversationCommands({
    program: async () => fakeProgram({ runtime }),
    settings,
    isRehearsal: () => isRehearsal,
  })

describe('a new conversation', () => {
  const create = vi.fn(async (_: object) => ok({ id: 'c' } as ConversationSummary))

  test('starts with the model, effort and mode of the settings, and is marked in rehearsal', async () => {
    const settings = fakeSettings({ model: 'opus', effort: 'high', thinking: 'off', permissionMode: 'plan' })
    await conversations({ create }, settings, true)['conversation.create']({ folder: '/repo' }, call())
    expect(create).toHaveBeenLastCalledWith({
      folder: '/repo',
      model: 'opus',
      effort: 'high',
      thinking: 'off',
      permissionMode: 'plan',
      rehearsal: true,
      coordinator: false,
    })
  })

  test.each([
    [undefined, true, true],
    [false, true, false],
    [true, false, true],
  ])(
    'with %s for coordinator mode, and %s in the settings, it is created with %s',
    async (asked, set, mode) => {
      const settings = fakeSettings({ coordinatorMode: set })
      const input = { folder: '/repo', ...(asked === undefined ? {} : { coordinator: asked }) }
      await conversations({ create }, settings)['conversation.create'](input, call())
      expect(create).toHaveBeenLastCalledWith(expect.objectContaining({ coordinator: mode }))
    },
  )

  test.each([
    ['the settings', {}, {}, 'gemini'],
    ['the window', {}, { agent: 'codex' }, 'codex'],
    ['the window, without any', {}, { agent: null }, undefined],
    ['nobody in coordinator mode', { coordinatorMode: true }, {}, undefined],
    ['the window, also in coordinator mode', { coordinatorMode: true }, { agent: 'codex' }, 'codex'],
  ])('its main agent is chosen by %s', async (_, more, input, agent) => {
    const settings = fakeSettings({ mainAgent: 'gemini', ...more })
    await conversations({ create }, settings)['conversation.create']({ folder: '/repo', ...input }, call())
    const [made] = create.mock.lastCall ?? []
    expect((made as { agent?: string } | undefined)?.agent).toBe(agent)
  })

  test('a rehearsal keeps its own main agent', async () => {
    const settings = fakeSettings({ mainAgent: 'gemini' })
    await conversations({ create }, settings, true)['conversation.create']({ folder: '/repo' }, call())
    expect(create).toHaveBeenLastCalledWith(expect.not.objectContaining({ agent: 'gemini' }))
  })

  test('a main agent that is gone is told with where it was chosen', async () => {
    const gone = vi.fn(async () => fail({ type: 'unknown-agent', message: 'No agent is named gemini.' }))
    const { 'conversation.create': start } = conversations(
      { create: gone },
      fakeSettings({ mainAgent: 'gemini' }),
    )
    const message = async (input: object) => {
      const started = await start({ folder: '/repo', ...input }, call())
      return started.ok ? '' : started.failure.message
    }
    expect(await message({})).toContain('The settings name it as the main agent')
    expect(await message({ agent: 'gemini' })).toBe('No agent is named gemini.')
  })

  test('bypasses permissions in marked folders only', async () => {
    const settings = fakeSettings({
      permissionMode: 'bypassPermissions',
      trustedFolders: ['/marked', '/repo'],
      bypassFolders: ['/marked', '/no-longer-trusted'],
    })
    const { 'conversation.create': start } = conversations({ create }, settings)
    for (const folder of ['/repo', '/no-longer-trusted']) {
      await start({ folder }, call())
      expect(create).toHaveBeenLastCalledWith(expect.objectContaining({ permissionMode: 'default' }))
    }
    await start({ folder: '/marked' }, call())
    expect(create).toHaveBeenLastCalledWith(expect.objectContaining({ permissionMode: 'bypassPermissions' }))
  })
})

describe('a message', () => {
  test('consists of images and text; an empty one is refused', async () => {
    const send = vi.fn(async () => ok({ messageId: 'm', queued: false }))
    const { 'conversation.send': say } = conversations({ send })
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } } as const
    const to = { conversationId: 'c', agentId: null }
    await say({ ...to, text: 'Look', images: [image] }, call())
    expect(send).toHaveBeenLastCalledWith({ ...to, content: [image, { type: 'text', text: 'Look' }] })
    await say({ ...to, text: ' ', images: [image] }, call())
    expect(send).toHaveBeenLastCalledWith({ ...to, content: [image] })
    expect(await say({ ...to, text: ' \n', images: [] }, call())).toMatchObject({
      ok: false,
      failure: { type: 'empty' },
    })
    expect(send).toHaveBeenCalledTimes(2)
  })
})

describe('subscribing', () => {
  test('holds the stream from the snapshot until the window has it', async () => {
    const order: string[] = []
    const one = call()
    one.hold.mockImplementation(() => order.push('held'))
    const snapshot = async () => {
      order.push('made')
      return ok({ order: 4 } as ConversationSnapshot)
    }
    const { 'conversation.subscribe': subscribe } = conversations({ snapshot })
    expect(await subscribe({ conversationId: 'c' }, one)).toEqual(ok({ order: 4 }))
    expect(order).toEqual(['made', 'held'])
  })

  test('listeners learn of each subscription, but not of failed ones', async () => {
    const subscriptions = { subscribed: vi.fn(), unsubscribed: vi.fn() }
    const snapshot = async (id: string) =>
      id === 'gone' ? fail({ type: 'not-found', message: '' }) : ok({ order: 4 } as ConversationSnapshot)
    const { 'conversation.subscribe': subscribe, 'conversation.unsubscribe': unsubscribe } =
      conversationCommands({
        program: async () => fakeProgram({ runtime: { snapshot } }),
        settings: fakeSettings(),
        isRehearsal: () => false,
        subscriptions,
      })
    await subscribe({ conversationId: 'c' }, call())
    await subscribe({ conversationId: 'gone' }, call())
    await unsubscribe({ conversationId: 'c' }, call())
    expect(subscriptions.subscribed.mock.calls).toEqual([['c']])
    expect(subscriptions.unsubscribed.mock.calls).toEqual([['c']])
  })
})

describe('a transcript', () => {
  const events = [{ seq: 3 }, { seq: 4 }] as unknown as AgentEvent[]
  const live: LiveEvent[] = [
    { type: 'live-block', agentId: 'a', index: 0, kind: 'text', name: '', append: 'x' },
  ]
  const open = (page = ok({ events, total: 5 })) =>
    agentCommands({
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

test('only a denial carries feedback', async () => {
  const answer = vi.fn(async () => ok(undefined))
  const { 'agent.answer': reply } = agentCommands({
    program: async () => fakeProgram({ runtime: { answer } }),
  })
  const prompt = { conversationId: 'c', agentId: 'a', requestId: 'p' }
  await reply({ ...prompt, decision: 'deny', feedback: 'Not there' }, call())
  expect(answer).toHaveBeenLastCalledWith(prompt, { decision: 'deny', feedback: 'Not there' })
  await reply({ ...prompt, decision: 'allow-always', feedback: 'ignored' }, call())
  expect(answer).toHaveBeenLastCalledWith(prompt, { decision: 'allow-always' })
  const wider = { ...prompt, feedback: null, rule: 'Bash(npm test:*)' }
  await reply({ ...wider, decision: 'allow-always' }, call())
  expect(answer).toHaveBeenLastCalledWith(prompt, { decision: 'allow-always', rule: 'Bash(npm test:*)' })
  await reply({ ...wider, decision: 'allow-once' }, call())
  expect(answer).toHaveBeenLastCalledWith(prompt, { decision: 'allow-once' })
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
