import { expect, test } from 'vitest'
import { ok } from '../../../shared/kernel/result.ts'
import { echo } from '../../runtime/testing/scripts.ts'
import { createTestRuntime } from '../../runtime/testing/test-runtime.ts'
import type { EditorContext } from './editor-context.ts'
import { EditorSessions } from './editor-sessions.ts'

/** A real folder: editors name one. */
const folder = import.meta.dirname

const unused = () => {
  throw new Error('This is not used here.')
}

test('a loaded session shows each message of the user once, also one that no agent has read', async () => {
  const script = { script: echo }
  const before = createTestRuntime(script)
  const id = await before.begin('Hello')
  await before.runtime.settled(id)
  // The editor and its program ended after the second message was accepted, and before an agent read it.
  const store = before.store.afterCrash()
  const record = store.records.get(id)!
  const read = before.events.find((event) => event.type === 'user-message')!
  const message = { agentId: record.mainAgentId, from: 'user' as const, sender: null }
  const queued = [
    { ...message, messageId: read.messageId, content: [{ type: 'text' as const, text: 'Hello' }] },
    { ...message, messageId: 'm-unread', content: [{ type: 'text' as const, text: 'Begin' }] },
  ]
  store.records.set(id, { ...record, folder, queued })
  const after = createTestRuntime({ ...script, store })

  const shown: unknown[] = []
  const context: EditorContext = {
    runtime: after.runtime,
    store,
    slash: { list: async () => [], expand: unused } as unknown as EditorContext['slash'],
    model: 'sonnet',
    permissionMode: 'default',
    coordinator: false,
    agent: null,
    rehearsal: false,
    models: [],
    readFolders: async () => {},
    isTrusted: () => true,
    bypassAllowed: () => false,
    trust: null,
    noAccess: null,
    giveServers: () => {},
    version: '1',
    now: () => 0,
    newKey: () => 'key',
    complain: unused,
  }
  const sessions = new EditorSessions(context, {
    can: () => ({ childSessions: false, forms: { fields: false, pages: false } }),
    notify: (_, update) => shown.push(update),
    askPermission: unused,
    askForm: unused,
  })
  expect(await sessions.load({ sessionId: id, cwd: folder }, { replay: true })).toEqual(ok(expect.anything()))
  const said = (text: string) => ({
    sessionUpdate: 'user_message_chunk',
    content: { type: 'text', text },
    messageId: text === 'Hello' ? read.messageId : 'm-unread',
  })
  expect(shown.filter((update) => JSON.stringify(update).includes('user_message_chunk'))).toEqual([
    said('Hello'),
    said('Begin'),
  ])
  sessions.close()
})
