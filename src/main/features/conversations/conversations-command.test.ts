import { expect, test } from 'vitest'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import { conversationsList, conversationsShow } from './conversations-command.ts'

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
    await conversationsList({ json }, { runtime, output: write })
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
  await conversationsList({ json: true }, { runtime, output: write })
  expect(JSON.parse(output)).toMatchObject({ id: 'a', prompts: 2 })
  expect(JSON.parse(output)).not.toHaveProperty('requests')
})

test.each([
  [false, 'phase research  2026-01-02 03:04  Look.⟨ESC⟩\nphase synthesis  2026-01-02 03:05  \n\n'],
  [
    true,
    '{"type":"phase-changed","conversationId":"c","phase":"research","note":"Look.\\u001b","at":1767323040000}\n{"type":"phase-changed","conversationId":"c","phase":"synthesis","note":"","at":1767323100000}\n',
  ],
])('show prints the phases first (json: %s)', async (json, expected) => {
  const phases = [
    { phase: 'research', note: 'Look.\u001b', at: Date.UTC(2026, 0, 2, 3, 4) },
    { phase: 'synthesis', note: '', at: Date.UTC(2026, 0, 2, 3, 5) },
  ]
  const snapshot = { ok: true, value: { record: { phases }, agents: [] } }
  const runtime = { snapshot: async () => snapshot } as unknown as Runtime
  let output = ''
  const write = {
    write: (text: string) => {
      output += text
    },
  }
  await conversationsShow({ id: 'c', json }, { runtime, store: null as never, output: write, errors: write })
  expect(output).toBe(expected)
})
