import { expect, test } from 'vitest'
import type { ConversationSummary } from '../../shared/conversation-summary.ts'
import { watchUnshownConversations } from './unshown-conversations.ts'

const summary = (more: Partial<ConversationSummary>) =>
  ({ id: 'c', title: 'Fix it', scratch: false, running: 0, requests: 0, ...more }) as ConversationSummary

function watching(shown: readonly string[] = []) {
  const notices: string[] = []
  const watch = watchUnshownConversations({
    isShown: (id) => shown.includes(id),
    notify: ({ title }) => notices.push(title),
  })
  return {
    notices,
    see: (more: Partial<ConversationSummary>) =>
      watch({ type: 'conversation', summary: summary(more) } as Parameters<typeof watch>[0]),
  }
}

test('a request and the end of all agents are notified once each', () => {
  const { notices, see } = watching()
  see({ running: 1 })
  see({ running: 1, requests: 1 })
  see({ running: 1, requests: 1 })
  see({ running: 0 })
  see({ running: 0 })
  expect(notices).toEqual(['Fix it needs you', 'All agents are done'])
})

test('a new conversation is not done: its main agent waits for the first message', () => {
  const { notices, see } = watching()
  see({ title: '', running: 1 })
  see({ title: '', running: 0 })
  expect(notices).toEqual([])
})

test('a conversation in a window and a scratch conversation are not notified', () => {
  const { notices, see } = watching(['c'])
  see({ running: 1 })
  see({ running: 0 })
  see({ id: 'd', scratch: true, running: 1 })
  see({ id: 'd', scratch: true, running: 0 })
  expect(notices).toEqual([])
})
