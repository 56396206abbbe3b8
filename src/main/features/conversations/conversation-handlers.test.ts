import { describe, expect, test, vi } from 'vitest'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { isCovered } from '../../../shared/rules/trusted-folder.ts'
import { defaultSettings, type Settings } from '../../../shared/settings/settings.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import { conversationHandlers, conversationsBySettings } from './conversation-handlers.ts'

/** Calls the handlers as the desktop does. */
function conversations(runtime: Partial<Runtime>, changed: Partial<Settings> = {}, isRehearsal = false) {
  const settings = { current: { ...defaultSettings, ...changed } }
  const isTrusted = (folder: string) => isCovered(settings.current.trustedFolders, folder, '/home')
  return conversationHandlers({
    runtime: runtime as Runtime,
    store: { toolOutput: () => Promise.reject(new Error('not expected')) },
    settings,
    newConversation: conversationsBySettings({ settings, isTrusted, isRehearsal: () => isRehearsal }),
  })
}

describe('a new conversation', () => {
  const create = vi.fn(async (_: object) => ok({ id: 'c' } as ConversationSummary))

  test('starts with the model, effort and mode of the settings, and is marked in rehearsal', async () => {
    const settings = { model: 'opus', effort: 'high', thinking: 'off', permissionMode: 'plan' } as const
    await conversations({ create }, settings, true)['conversation.create']({ folder: '/repo' })
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
      const settings = { coordinatorMode: set }
      const input = { folder: '/repo', ...(asked === undefined ? {} : { coordinator: asked }) }
      await conversations({ create }, settings)['conversation.create'](input)
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
    const settings = { mainAgent: 'gemini', ...more }
    await conversations({ create }, settings)['conversation.create']({ folder: '/repo', ...input })
    const [made] = create.mock.lastCall ?? []
    expect((made as { agent?: string } | undefined)?.agent).toBe(agent)
  })

  test('a rehearsal keeps its own main agent', async () => {
    const settings = { mainAgent: 'gemini' }
    await conversations({ create }, settings, true)['conversation.create']({ folder: '/repo' })
    expect(create).toHaveBeenLastCalledWith(expect.not.objectContaining({ agent: 'gemini' }))
  })

  test('a main agent that is gone is told with where it was chosen', async () => {
    const gone = vi.fn(async () => fail({ type: 'unknown-agent', message: 'No agent is named gemini.' }))
    const { 'conversation.create': start } = conversations({ create: gone }, { mainAgent: 'gemini' })
    const message = async (input: object) => {
      const started = await start({ folder: '/repo', ...input })
      return started.ok ? '' : started.failure.message
    }
    expect(await message({})).toContain('The settings name it as the main agent')
    expect(await message({ agent: 'gemini' })).toBe('No agent is named gemini.')
  })

  test('bypasses permissions in marked folders only', async () => {
    const settings: Partial<Settings> = {
      permissionMode: 'bypassPermissions',
      trustedFolders: ['/marked', '/repo'],
      bypassFolders: ['/marked', '/no-longer-trusted'],
    }
    const { 'conversation.create': start } = conversations({ create }, settings)
    for (const folder of ['/repo', '/no-longer-trusted']) {
      await start({ folder })
      expect(create).toHaveBeenLastCalledWith(expect.objectContaining({ permissionMode: 'default' }))
    }
    await start({ folder: '/marked' })
    expect(create).toHaveBeenLastCalledWith(expect.objectContaining({ permissionMode: 'bypassPermissions' }))
  })
})

describe('a message', () => {
  test('consists of images and text; an empty one is refused', async () => {
    const send = vi.fn(async () => ok({ messageId: 'm', queued: false }))
    const { 'conversation.send': say } = conversations({ send })
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } } as const
    const to = { conversationId: 'c', agentId: null }
    await say({ ...to, text: 'Look', images: [image] })
    expect(send).toHaveBeenLastCalledWith({ ...to, content: [image, { type: 'text', text: 'Look' }] })
    await say({ ...to, text: ' ', images: [image] })
    expect(send).toHaveBeenLastCalledWith({ ...to, content: [image] })
    expect(await say({ ...to, text: ' \n', images: [] })).toMatchObject({
      ok: false,
      failure: { type: 'empty' },
    })
    expect(send).toHaveBeenCalledTimes(2)
  })
})

test('only a denial carries feedback', async () => {
  const answer = vi.fn(async () => ok(undefined))
  const { 'agent.answer': reply } = conversations({ answer })
  const prompt = { conversationId: 'c', agentId: 'a', requestId: 'p' }
  await reply({ ...prompt, decision: 'deny', feedback: 'Not there' })
  expect(answer).toHaveBeenLastCalledWith(prompt, { decision: 'deny', feedback: 'Not there' })
  await reply({ ...prompt, decision: 'allow-always', feedback: 'ignored' })
  expect(answer).toHaveBeenLastCalledWith(prompt, { decision: 'allow-always' })
  const wider = { ...prompt, feedback: null, rule: 'Bash(npm test:*)' }
  await reply({ ...wider, decision: 'allow-always' })
  expect(answer).toHaveBeenLastCalledWith(prompt, { decision: 'allow-always', rule: 'Bash(npm test:*)' })
  await reply({ ...wider, decision: 'allow-once' })
  expect(answer).toHaveBeenLastCalledWith(prompt, { decision: 'allow-once' })
})

const summary = (id: string, more: Partial<ConversationSummary>): ConversationSummary =>
  ({ id, scratch: true, readOnly: false, updatedAt: 0, ...more }) as ConversationSummary

const LIST = [
  summary('held', {}),
  summary('left', {}),
  summary('real', { scratch: false }),
  summary('elsewhere', { readOnly: true }),
  summary('new', { updatedAt: Number.MAX_SAFE_INTEGER }),
]

test('scratch conversations of an earlier run are trashed with the first list, once, as later ones may be in use', async () => {
  const trashed: string[] = []
  let all = LIST
  const { 'conversation.list': list } = conversations({
    conversations: async () => all,
    trash: async (id) => {
      trashed.push(id)
      return id === 'held' ? fail({ type: 'locked', message: 'Another program has it.' }) : ok(undefined)
    },
  })
  expect(await list({})).toEqual(ok(LIST))
  await expect.poll(() => trashed).toEqual(['held', 'left'])
  all = [...all, summary('tried out in a window', {})]
  await list({})
  await expect.poll(() => trashed).toEqual(['held', 'left'])
})
