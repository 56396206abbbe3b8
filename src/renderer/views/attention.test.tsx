import { act, cleanup, render } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../shared/events/agent-event.ts'
import { SampleLog, snapshotOf, stateAfter } from '../../shared/testing/sample-log.ts'
import { openConversation } from '../stores/shown-conversation.ts'
import type { FakeBridge } from '../testing/fake-bridge.ts'
import { startWindow, summaryOf } from '../testing/start-window.tsx'
import { useAttention } from './attention.ts'

let bridge: FakeBridge
let script: SampleLog
const focused = { now: false }

function Attention() {
  useAttention()
  return null
}

beforeEach(async () => {
  vi.spyOn(document, 'hasFocus').mockImplementation(() => focused.now)
  focused.now = false
  script = new SampleLog()
  bridge = await startWindow({
    conversations: [summaryOf('c1'), summaryOf('c2', { requests: 1, running: 2 })],
  })
  const main = [script.spawn('main'), script.status('main', 'running')]
  const helper = [script.spawn('helper', { parentId: 'main' }), script.status('helper', 'running')]
  bridge.answer({
    'conversation.subscribe': () =>
      snapshotOf('c1', [stateAfter(main), stateAfter(helper)], { title: 'Fix the cart' }),
  })
  await act(() => openConversation('c1'))
  render(<Attention />)
})
afterEach(cleanup)

const push = (...events: AgentEvent[]) =>
  act(() => bridge.push(...events.map((event) => ({ type: 'event' as const, conversationId: 'c1', event }))))
const notified = () => bridge.inputsOf('system.notify').map(({ title, needsYou }) => [title, needsYou])
const ends = (agentId: string, status: 'completed' | 'failed') =>
  script.next(agentId, {
    type: 'agent-ended',
    status,
    report: '',
    failure: status === 'failed' ? { type: 'api', message: 'The key was refused.' } : null,
    reachedLimit: null,
    limitOf: null,
  })

test('a permission request in a background window: the title counts it, and one notification is sent', () => {
  push(script.asks('helper', 'p1'))
  expect(document.title).toBe('(1) Fix the cart — shop — Troupe')
  push(script.says('main', 'meanwhile'))
  expect(notified()).toEqual([['“helper” needs your permission', 2]])
  push(script.answered('helper', 'p1'))
  expect(document.title).toBe('Fix the cart — shop — Troupe')
})

test('a failure and the end of all agents send a notification, the end of one agent does not', () => {
  push(ends('helper', 'completed'))
  expect(notified()).toEqual([])
  push(ends('main', 'failed'))
  expect(notified()).toEqual([['Main agent failed', 1]])
})

test('the end of all agents sends a notification', () => {
  push(ends('helper', 'completed'), ends('main', 'completed'))
  expect(notified()).toEqual([['All agents are done', 1]])
})

test('a window in front sends no notification', () => {
  focused.now = true
  push(script.asks('helper', 'p1'), ends('main', 'failed'))
  expect(notified()).toEqual([])
})

test('another conversation sends no notification: the main process knows whether a window shows it', () => {
  act(() => bridge.push({ type: 'conversation', summary: summaryOf('c2', { requests: 2, running: 2 }) }))
  expect(notified()).toEqual([])
})
