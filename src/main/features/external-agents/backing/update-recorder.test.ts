import { describe, expect, test } from 'vitest'
import type { AgentEventDraft } from '../../../../shared/events/agent-event.ts'
import { CostMeter } from './cost-meter.ts'
import { MOST_CALLS, UpdateRecorder } from './update-recorder.ts'

function createRecorder() {
  const events: AgentEventDraft[] = []
  let isLive = 0
  const recorder = new UpdateRecorder({
    agentId: 'a-1',
    now: () => 0,
    emit: (draft) => events.push(draft),
    live: () => isLive++,
    model: () => 'program',
    cost: new CostMeter(0),
  })
  recorder.begin()
  return { recorder, events, lives: () => isLive }
}

const chunk = (
  text: string,
  sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' = 'agent_message_chunk',
) => ({
  sessionUpdate,
  content: { type: 'text' as const, text },
})

describe('what a program that floods leaves', () => {
  test('a message with its thoughts has at most a million characters', () => {
    const { recorder, events } = createRecorder()
    for (let n = 0; n < 5; n++) {
      recorder.take(chunk('t'.repeat(900_000)))
      recorder.take(chunk('h'.repeat(900_000), 'agent_thought_chunk'))
    }
    recorder.finish('end_turn')
    expect(JSON.stringify(events).length).toBeLessThan(1_001_000)
  })

  test('many tiny parts are too much some time', () => {
    const { recorder, lives } = createRecorder()
    for (let n = 0; n < 20_000; n++) {
      recorder.take(chunk('t'))
      recorder.take(chunk('h', 'agent_thought_chunk'))
    }
    expect(lives()).toBeLessThan(20_000)
  })

  test('the next message is kept again', () => {
    const { recorder } = createRecorder()
    recorder.take(chunk('t'.repeat(2_000_000)))
    recorder.finish('end_turn')
    recorder.begin()
    recorder.take(chunk('Done.'))
    expect(recorder.finish('end_turn')).toBe('Done.')
  })

  test('plans count as calls', () => {
    const { recorder } = createRecorder()
    for (let n = 0; n <= MOST_CALLS; n++) recorder.take({ sessionUpdate: 'plan', entries: [] })
    expect(recorder.callCount).toBeGreaterThan(MOST_CALLS)
  })

  test('the input and the title of a call are cut', () => {
    const { recorder, events } = createRecorder()
    const huge = 'x'.repeat(3_000_000)
    const call = { toolCallId: 'c', title: huge, rawInput: { command: huge }, status: 'completed' as const }
    recorder.take({ sessionUpdate: 'tool_call', ...call })
    expect(JSON.stringify(events).length).toBeLessThan(50_000)
    expect(events.find(({ type }) => type === 'tool-started')).toMatchObject({
      input: { input: '[3000014 characters were left out.]' },
    })
  })
})
