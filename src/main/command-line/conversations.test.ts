import { expect, test } from 'vitest'
import type { ConversationSummary } from '../../shared/conversation-summary.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { conversationsList } from './conversations.ts'

const summary = (id: string, updatedAt: number, scratch = false): ConversationSummary =>
  ({ id, updatedAt, scratch, title: `Title of ${id}`, folder: '/p' }) as ConversationSummary

test.each([false, true])(
  'the list has the newest conversation first, and no scratch conversations (json: %s)',
  async (json) => {
    const list = [summary('old', 1), summary('tried', 3, true), summary('new', 2)]
    const runtime = { conversations: async () => list } as unknown as Runtime
    let output = ''
    const write = {
      write: (text: string) => {
        output += text
      },
    }
    await conversationsList({ runtime, store: null as never, json, output: write, errors: write })
    expect([...output.matchAll(/Title of (\w+)/g)].map(([, id]) => id)).toEqual(['new', 'old'])
  },
)

test('--json keeps the published key of the number of pending requests', async () => {
  const one = { ...summary('a', 1), requests: 2 }
  const runtime = { conversations: async () => [one] } as unknown as Runtime
  let output = ''
  const write = {
    write: (text: string) => {
      output += text
    },
  }
  await conversationsList({ runtime, store: null as never, json: true, output: write, errors: write })
  expect(JSON.parse(output)).toMatchObject({ id: 'a', prompts: 2 })
  expect(JSON.parse(output)).not.toHaveProperty('requests')
})
