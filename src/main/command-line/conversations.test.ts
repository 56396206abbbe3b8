import { expect, test } from 'vitest'
import type { ConversationSummary } from '../../shared/ipc-contract.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { conversationsList } from './conversations.ts'

const summary = (id: string, updatedAt: number, scratch = false): ConversationSummary =>
  ({ id, updatedAt, scratch, title: `Title of ${id}`, folder: '/p' }) as ConversationSummary

test.each([false, true])(
  'the list has the newest first, and nothing that was only tried out (json: %s)',
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
