import { expect, test } from 'vitest'
import type { ConversationSummary } from '../../shared/state/conversation-summary.ts'
import { watchUnshownConversations } from './desktop-watches.ts'

function fixture(shown: readonly string[] = []) {
  const notified: string[] = []
  const watch = watchUnshownConversations({
    isShown: (id) => shown.includes(id),
    notify: ({ title, body }, { folder }) => notified.push(`${folder}: ${title}. ${body}`),
  })
  const say = (id: string, running: number, requests: number, scratch = false) => {
    const summary = { id, folder: '/shop', title: `Task ${id}`, running, requests, scratch }
    watch({ type: 'conversation', summary: summary as ConversationSummary })
  }
  return { notified, say, watch }
}

test('a permission request in a conversation that no window shows is one notification', () => {
  const { notified, say } = fixture(['b'])
  say('a', 2, 0)
  say('a', 2, 1)
  say('a', 2, 1)
  say('b', 1, 1)
  expect(notified).toEqual(['/shop: Task a needs you. An agent waits for your answer.'])
  say('a', 2, 0)
  expect(notified).toHaveLength(1)
  say('a', 2, 1)
  expect(notified).toHaveLength(2)
})

test('the end of all its agents is a notification; the end of one is not', () => {
  const { notified, say } = fixture()
  say('a', 2, 0)
  say('a', 1, 0)
  expect(notified).toEqual([])
  say('a', 0, 0)
  say('a', 0, 0)
  expect(notified).toEqual(['/shop: All agents are done. Task a'])
})

test('a conversation that ended while a window showed it is not announced later', () => {
  const shown = ['a']
  const { notified, say } = fixture(shown)
  say('a', 1, 0)
  say('a', 0, 0)
  shown.pop()
  say('a', 0, 0)
  expect(notified).toEqual([])
})

test('scratch conversations and removed ones are not announced', () => {
  const { notified, say, watch } = fixture()
  say('try', 1, 1, true)
  say('try', 0, 0, true)
  say('a', 1, 0)
  watch({ type: 'conversation-gone', conversationId: 'a' })
  say('a', 0, 0)
  expect(notified).toEqual([])
})

test('a conversation that was just created is not done: its main agent waits for the first message', () => {
  const { notified, watch } = fixture()
  for (const running of [1, 0]) {
    const summary = { id: 'a', folder: '/shop', title: '', running, requests: 0, scratch: false }
    watch({ type: 'conversation', summary: summary as ConversationSummary })
  }
  expect(notified).toEqual([])
})
