import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AgentEvent } from '../../shared/events/agent-event.ts'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import type { ConversationSnapshot } from '../../shared/state/conversation-snapshot.ts'
import { SampleLog, snapshotOf, stateAfter } from '../../shared/testing/sample-log.ts'
import { deferred } from '../testing/deferred.ts'
import { type FakeBridge, installFakeBridge } from '../testing/fake-bridge.ts'
import { connectStores } from '../testing/start-window.tsx'
import {
  needId,
  showConversation,
  useAgent,
  useAgentIds,
  useConversation,
  useNeeds,
  useTotals,
} from './conversation-store.ts'

let bridge: FakeBridge
let script: SampleLog
let disconnect = () => {}

afterEach(cleanup)

beforeEach(() => {
  disconnect()
  script = new SampleLog()
  bridge = installFakeBridge()
  disconnect = connectStores(() => {})
})

const delta = (event: AgentEvent): WindowDelta => ({ type: 'event', conversationId: 'c1', event })

function snapshot(...logs: AgentEvent[][]): ConversationSnapshot {
  const agents = logs.map(stateAfter)
  return {
    ...snapshotOf('c1', agents, { title: 'A title' }),
    order: Math.max(...logs.flat().map((event) => event.order)),
  }
}

function LastLine({ agentId, onRender }: { readonly agentId: string; readonly onRender: () => void }) {
  onRender()
  return <p>{useAgent(agentId)?.lastLine}</p>
}

function Lists({ onRender }: { readonly onRender: () => void }) {
  onRender()
  return (
    <p>
      {useAgentIds().length} {useNeeds().length}
    </p>
  )
}

function Figures() {
  return <p>{JSON.stringify(useTotals())}</p>
}

const lineOf = (agentId: string) => useConversation.getState().agents.get(agentId)?.lastLine

test('events before the snapshot wait for it, and no event counts twice', async () => {
  const spawned = script.spawn('main')
  const first = script.says('main', 'one')
  const second = script.says('main', 'two')
  const answer = deferred<ConversationSnapshot>()
  bridge.answer({ 'conversation.subscribe': () => answer.promise })
  const shown = showConversation('c1')
  bridge.push(delta(first), delta(second))
  answer.resolve(snapshot([spawned, first]))
  await shown
  expect(lineOf('main')).toBe('two')
  expect(useConversation.getState().agents.get('main')?.usage.output).toBe(10)
})

test('a gap in an agent’s event numbers requests a new snapshot', async () => {
  const log = [script.spawn('main'), script.says('main', 'one')]
  bridge.answer({ 'conversation.subscribe': () => snapshot(log) })
  await showConversation('c1')
  log.push(script.says('main', 'lost on the way'), script.says('main', 'three'))
  bridge.push(delta(log[3]!))
  await act(async () => {})
  expect(bridge.inputsOf('conversation.subscribe')).toHaveLength(2)
  expect(lineOf('main')).toBe('three')
  expect(useConversation.getState().phase).toBe('ready')
})

test('a batch changes the store once and renders only its agents', async () => {
  const main = [script.spawn('main')]
  const other = [script.spawn('other', { parentId: 'main', parentToolUseId: 'call-1', depth: 1 })]
  bridge.answer({ 'conversation.subscribe': () => snapshot(main, other) })
  await showConversation('c1')
  const renders = { main: 0, other: 0, lists: 0 }
  const counted = (name: keyof typeof renders) => () => {
    renders[name] += 1
  }
  render(
    <>
      <LastLine agentId="main" onRender={counted('main')} />
      <LastLine agentId="other" onRender={counted('other')} />
      <Lists onRender={counted('lists')} />
    </>,
  )
  const before = { ...renders }
  let sets = 0
  const stop = useConversation.subscribe(() => {
    sets += 1
  })
  act(() => bridge.push(delta(script.says('main', 'a')), delta(script.says('main', 'b'))))
  stop()
  expect(screen.getByText('b')).toBeTruthy()
  expect(sets).toBe(1)
  expect(renders).toEqual({ ...before, main: before.main + 1 })
})

test('permission requests of all agents are one list, oldest first, until answered', async () => {
  const main = [script.spawn('main')]
  const other = [script.spawn('other', { parentId: 'main', parentToolUseId: 'call-1', depth: 1 })]
  bridge.answer({ 'conversation.subscribe': () => snapshot(main, other) })
  await showConversation('c1')
  bridge.push(delta(script.asks('other', 'p1')), delta(script.asks('main', 'p2')))
  const ids = () => useConversation.getState().needs.map(needId)
  expect(ids()).toEqual(['p1', 'p2'])
  bridge.push(delta(script.answered('other', 'p1')))
  expect(ids()).toEqual(['p2'])
  expect(useConversation.getState().childrenByToolUse.get('call-1')).toBe('other')
})

test('an agent spawned later is listed under the call that started it', async () => {
  bridge.answer({ 'conversation.subscribe': () => snapshot([script.spawn('main')]) })
  await showConversation('c1')
  bridge.push(delta(script.spawn('late', { parentId: 'main', parentToolUseId: 'call-9' })))
  expect(useConversation.getState().agentIds).toEqual(['main', 'late'])
  expect(useConversation.getState().childrenByToolUse.get('call-9')).toBe('late')
})

test('deltas and late answers of other conversations change nothing', async () => {
  const slow = deferred<ConversationSnapshot>()
  bridge.answer({ 'conversation.subscribe': () => slow.promise })
  const first = showConversation('c1')
  await showConversation(null)
  slow.resolve(snapshot([script.spawn('main')]))
  await first
  bridge.push(delta(script.spawn('x')))
  expect(useConversation.getState()).toMatchObject({ conversationId: null, phase: 'none' })
  expect(useConversation.getState().agents.size).toBe(0)
})

test('an unreadable conversation shows the reason', async () => {
  bridge.answer({
    'conversation.subscribe': () => {
      throw new Error('Its file is damaged in line 7.')
    },
  })
  await showConversation('c1')
  expect(useConversation.getState()).toMatchObject({
    phase: 'failed',
    failure: 'Its file is damaged in line 7.',
  })
})

test('totals add tokens as limits count them', async () => {
  bridge.answer({
    'conversation.subscribe': () => snapshot([script.spawn('main'), script.says('main', 'x')]),
  })
  await showConversation('c1')
  const { container } = render(<Figures />)
  expect(JSON.parse(container.textContent ?? '')).toEqual({
    live: 1,
    tokens: 18,
    cachedShare: 0.75,
    costUsd: 0.01,
    priced: true,
  })
})
