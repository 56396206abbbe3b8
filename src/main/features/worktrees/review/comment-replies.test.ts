import { expect, test } from 'vitest'
import type { AgentEvent } from '../../../../shared/events/agent-event.ts'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import { sampleEvent } from '../../../../shared/testing/sample-events.ts'
import { createCommentReplies } from './comment-replies.ts'

const agent = { conversationId: 'c-1', agentId: 'a-1' }
const START = 1_700_000_000_000

/** A transcript that grows: each event a second after the one before. `reads`: the events that were read. */
function transcript() {
  const events: AgentEvent[] = []
  const state = { reads: 0, isSaved: true }
  const replies = createCommentReplies({
    saved: async () => (state.isSaved ? ok(undefined) : fail({ type: 'locked', message: 'Another Troupe.' })),
    store: {
      async page(_agentId, { before, limit }) {
        const end = before ?? events.length
        const page = events.slice(Math.max(0, end - limit), end)
        state.reads += page.length
        return ok({ events: page, total: events.length })
      },
    },
  })
  const add = (event: AgentEvent) =>
    events.push({ ...event, seq: events.length, order: events.length, at: START + events.length * 1000 })
  return {
    state,
    reads: (messageId: string) => add(sampleEvent('user-message', { messageId, from: 'user' })),
    says: (text: string) =>
      add(sampleEvent('assistant-message', { content: [{ type: 'text', text }], stopReason: 'end_turn' })),
    works: (text = 'I look at it.') =>
      add(
        sampleEvent('assistant-message', {
          content: [
            { type: 'text', text },
            { type: 'tool_use', id: 't', name: 'Read', input: {} },
          ],
          stopReason: 'tool_use',
        }),
      ),
    ends: (status: 'completed' | 'failed' | 'stopped' | 'interrupted') =>
      add(sampleEvent('agent-ended', { status })),
    fill(count: number) {
      for (let index = 0; index < count; index++) add(sampleEvent('notice'))
    },
    async of(...ids: string[]) {
      const sent = ids.map((messageId) => ({ messageId, at: START }))
      return [...(await replies(agent, sent)).values()]
    },
  }
}

test('comments are sent, then read, then answered', async () => {
  const agent = transcript()
  agent.reads('task')
  agent.says('All done.')
  expect(await agent.of('m-1')).toEqual([{ state: 'sent' }])
  agent.reads('m-1')
  expect(await agent.of('m-1')).toEqual([{ state: 'read', at: START + 2000 }])
  agent.works()
  expect(await agent.of('m-1')).toEqual([{ state: 'read', at: START + 2000 }])
  agent.says('### Comment 1\nRenamed.')
  agent.ends('completed')
  expect(await agent.of('m-1')).toMatchObject([{ state: 'answered', text: '### Comment 1\nRenamed.' }])
})

test('a later message of the agent replaces its answer until the user writes again', async () => {
  const agent = transcript()
  agent.reads('m-1')
  agent.says('I wait for a subagent.')
  agent.works()
  agent.says('Renamed.')
  agent.reads('other')
  agent.says('You are welcome.')
  expect(await agent.of('m-1')).toMatchObject([{ text: 'Renamed.' }])
})

test('comments that are read together have one answer', async () => {
  const agent = transcript()
  agent.reads('m-1')
  agent.works()
  agent.reads('m-2')
  agent.says('Both are changed.')
  expect(await agent.of('m-1', 'm-2')).toMatchObject([
    { text: 'Both are changed.' },
    { text: 'Both are changed.' },
  ])
})

test('a run that ends without an answer is told, and a resumed one counts again', async () => {
  const agent = transcript()
  agent.reads('m-1')
  agent.works()
  agent.ends('stopped')
  expect(await agent.of('m-1')).toMatchObject([{ state: 'unanswered', because: 'stopped' }])
  agent.works()
  expect(await agent.of('m-1')).toMatchObject([{ state: 'read' }])
  agent.says('Now.')
  agent.ends('failed')
  expect(await agent.of('m-1')).toMatchObject([{ state: 'answered', text: 'Now.' }])
})

test('a long transcript is read once; after that only new events are read', async () => {
  const agent = transcript()
  agent.reads('m-1')
  agent.fill(900)
  agent.says('Renamed.')
  expect(await agent.of('m-1')).toMatchObject([{ state: 'answered' }])
  agent.state.reads = 0
  agent.reads('m-2')
  expect(await agent.of('m-1', 'm-2')).toMatchObject([{ state: 'answered' }, { state: 'read' }])
  expect(agent.state.reads).toBeLessThanOrEqual(200)
})

test('nothing is told about a conversation that can’t be read', async () => {
  const agent = transcript()
  agent.reads('m-1')
  agent.state.isSaved = false
  expect(await agent.of('m-1')).toEqual([])
})
