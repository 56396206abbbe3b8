/**
 * Answers that the real API streamed, byte for byte: each is read and sent back as it came. The recordings are beside the
 * repository where the project is developed, and not part of it: without them this test is skipped.
 */
import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import type { AgentEvent, AgentEventDraft } from '../../../shared/events/agent-event.ts'
import { realClock } from '../../features/rehearsal/testing/rehearsed-client.ts'
import { History } from '../../runtime/loop/history.ts'
import type { ModelReply, ModelRequest } from '../../runtime/ports/model.ts'
import { recordedLines } from '../../testing/recorded.ts'
import { createAnthropicClient } from './anthropic-client.ts'
import { wireRequest } from './wire-request.ts'

interface Recorded {
  readonly source: string
  readonly sse: string
}

const recorded = recordedLines<Recorded>('streams.jsonl').filter(
  (line): line is Recorded => line.sse !== undefined,
)

/** A file may have several answers, one after the other. */
const messages = recorded.flatMap(({ source, sse }) =>
  sse
    .split(/(?=^data: \{"type": ?"message_start")/m)
    .filter((part) => part.includes('"message_start"'))
    .map((part, at) => ({ source: `${source} message ${at}`, sse: `event: message_start\n${part}` })),
)
const isWhole = ({ sse }: Recorded): boolean => /"type": ?"message_stop"/.test(sse)

const answering = (sse: string): typeof fetch =>
  (async () =>
    new Response(sse, {
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    })) as typeof fetch

const request: ModelRequest = {
  model: 'claude-sonnet-4-6',
  system: '',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  toolChoice: 'auto',
}

/** What the official SDK makes of the stream. */
async function expected(sse: string) {
  const client = new Anthropic({ apiKey: 'k', fetch: answering(sse), maxRetries: 0 })
  return await client.beta.messages
    .stream({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] })
    .finalMessage()
}

async function read(sse: string): Promise<ModelReply> {
  const client = createAnthropicClient({ apiKey: 'k', fetch: answering(sse), clock: realClock })
  const reply = await client.request(request, { signal: new AbortController().signal, onDelta: () => {} })
  if (!reply.ok) throw new Error(reply.failure.message)
  return reply.value
}

/** The assistant's blocks in the next request. */
function sentBack(reply: ModelReply): readonly unknown[] {
  const history = new History(null)
  const say = (draft: object) => history.apply({ seq: 1, at: 1, ...draft } as unknown as AgentEvent)
  const message: Partial<AgentEventDraft> = {
    type: 'assistant-message',
    content: [...reply.content],
    stopReason: reply.stopReason,
  }
  say({ type: 'user-message', from: 'user', content: [{ type: 'text', text: 'Hi' }] })
  say(message)
  const { messages } = JSON.parse(wireRequest({ ...request, messages: history.messages() }).body)
  return messages[1]?.content ?? []
}

/** Fields without a value, and blank texts, which the API refuses. */
const plain = (content: readonly object[]): readonly unknown[] =>
  content
    .map((block) => ({ ...block }) as Record<string, unknown>)
    .filter(({ type, text }) => type !== 'text' || String(text).trim() !== '')
    .map((block) =>
      Object.fromEntries(
        Object.entries(block).filter(
          ([key, value]) => key !== 'citations' || (Array.isArray(value) && value.length > 0),
        ),
      ),
    )

describe.skipIf(recorded.length === 0)('a recorded stream is read, and sent back as it came', () => {
  test.for(messages.filter(isWhole))('$source', async ({ sse }) => {
    const [reply, wanted] = await Promise.all([read(sse), expected(sse)])
    expect(sentBack(reply)).toEqual(plain(wanted.content))
    expect(reply).toMatchObject({ id: wanted.id, model: wanted.model, stopReason: wanted.stop_reason })
    expect(reply.usage.output).toBe(wanted.usage.output_tokens)
    const known = [
      'text',
      'thinking',
      'redacted_thinking',
      'tool_use',
      'server_tool_use',
      'web_search_tool_result',
    ]
    const unknown = wanted.content.some(({ type }) => !known.includes(type))
    expect(reply.notes?.length ?? 0).toBe(unknown ? 1 : 0)
  })

  test('a message that was cut off is a failure', async () => {
    const cut = messages.filter((message) => !isWhole(message))
    expect(cut.filter(({ source }) => !source.startsWith('live')).length).toBeLessThan(3)
    for (const { sse } of cut) await expect(read(sse)).rejects.toThrow('before the message was complete')
  })
})
