/** A model provider is one function: the runtime retries, streams, logs and counts for any `ModelClient`. */
import { expect, test } from 'vitest'
import { fail, ok } from '../../shared/kernel/result.ts'
import type { ModelClient, ModelRequest } from './ports/model.ts'
import { createTestRuntime } from './testing/test-runtime.ts'

/** A provider without streaming: it is overloaded once, starts an agent, and repeats the report. */
function createParrot(requests: ModelRequest[]): ModelClient {
  return {
    async request(request) {
      requests.push(request)
      if (requests.length === 1)
        return fail({ type: 'overloaded', message: 'Busy', status: 529, retryAfterMs: null })
      const isMain = request.tools.some(({ name }) => name === 'Agent')
      const starts = isMain && request.messages.length === 1
      return ok({
        id: `reply-${requests.length}`,
        model: 'parrot-1',
        content: starts
          ? [
              {
                type: 'tool_use',
                id: 'call-1',
                name: 'Agent',
                input: { description: 'Repeat it', prompt: 'Say polly.' },
              },
            ]
          : [{ type: 'text', text: isMain ? 'The agent said polly.' : 'polly' }],
        stopReason: starts ? 'tool_use' : 'end_turn',
        usage: { input: 10, output: 2, cacheRead: 0, cacheWrite: 0 },
        pace: [],
      })
    },
  }
}

test('another provider runs a conversation with a subagent and a retry', async () => {
  const requests: ModelRequest[] = []
  const troupe = createTestRuntime({
    script: () => {
      throw new Error('The scripted model must not be asked.')
    },
    ports: { model: createParrot(requests) },
  })
  const id = await troupe.begin('Ask an agent.')
  const main = await troupe.runtime.settled(id)

  expect(main.lastLine).toBe('The agent said polly.')
  expect(troupe.events.filter(({ type }) => type === 'request-failed')).toMatchObject([
    { attempt: 1, failure: { type: 'overloaded' } },
  ])
  const messages = troupe.events.filter((event) => event.type === 'assistant-message')
  expect(messages.map(({ model, usage }) => [model, usage.input])).toEqual([
    ['parrot-1', 10],
    ['parrot-1', 10],
    ['parrot-1', 10],
  ])
  expect(requests).toHaveLength(4)
})
