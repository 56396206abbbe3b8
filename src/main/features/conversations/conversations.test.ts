import { expect, test } from 'vitest'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { defaultSettings, type Settings } from '../../../shared/settings/settings.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import { isCovered } from '../../platform/system/folder-trust.ts'
import { defaultsBySettings, listForWindow } from './feature.ts'

const defaultsWith = (changed: Partial<Settings>, isRehearsal = false) => {
  const settings = { current: { ...defaultSettings, ...changed } }
  const isTrusted = (folder: string) => isCovered(settings.current.trustedFolders, folder, '/home')
  return defaultsBySettings({ settings, isTrusted, isRehearsal: () => isRehearsal })
}

test('a new conversation is as the settings say, and is marked in rehearsal', () => {
  const chosen = { model: 'opus', effort: 'high', thinking: 'off', permissionMode: 'plan' } as const
  expect(defaultsWith({ ...chosen, mainAgent: 'gemini', coordinatorMode: true }, true)('/repo')).toEqual({
    ...chosen,
    mainAgent: 'gemini',
    coordinator: true,
    rehearsal: true,
  })
})

test('bypasses permissions in marked folders only', () => {
  const modeIn = defaultsWith({
    permissionMode: 'bypassPermissions',
    trustedFolders: ['/marked', '/repo'],
    bypassFolders: ['/marked', '/no-longer-trusted'],
  })
  for (const folder of ['/repo', '/no-longer-trusted'])
    expect(modeIn(folder)).toMatchObject({ permissionMode: 'default' })
  expect(modeIn('/marked')).toMatchObject({ permissionMode: 'bypassPermissions' })
})

const summary = (id: string, more: Partial<ConversationSummary>): ConversationSummary =>
  ({ id, scratch: true, readOnly: false, updatedAt: 0, ...more }) as ConversationSummary

const LIST = [
  summary('held', {}),
  summary('left', {}),
  summary('real', { scratch: false }),
  summary('attempt', { test: true }),
  summary('elsewhere', { readOnly: true }),
  summary('new', { updatedAt: Number.MAX_SAFE_INTEGER }),
]

test('scratch conversations of an earlier run are trashed with the first list, once, as later ones may be in use; attempts are kept', async () => {
  const trashed: unknown[] = []
  let all = LIST
  const runtime = {
    conversations: async () => all,
    dispatch: (async (command: object) => {
      trashed.push(command)
      return trashed.length === 1
        ? fail({ type: 'locked', message: 'Another program has it.' })
        : ok(undefined)
    }) as never,
  }
  const list = listForWindow(runtime, () => 1000)
  const trash = (conversationId: string) => ({ type: 'conversation.trash', conversationId })
  expect(await list({})).toEqual(ok(LIST.filter(({ id }) => id !== 'attempt')))
  await expect.poll(() => trashed).toEqual([trash('held'), trash('left')])
  all = [...all, summary('tried out in a window', {})]
  await list({})
  await expect.poll(() => trashed).toEqual([trash('held'), trash('left')])
})
