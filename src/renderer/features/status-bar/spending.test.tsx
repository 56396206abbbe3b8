import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type AgentEvent, noLimits, type SpendLimits } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useLimits } from '../../stores/limits-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { connected, outside } from '../../testing/outside-agent.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { Spending } from './spending.tsx'

let bridge: FakeBridge
afterEach(cleanup)
beforeEach(() => useLimits.setState({ shownFor: null }))

/** A main agent that has spent 45 tokens and one cent, and a child that has spent the same. */
async function show(limits: Partial<SpendLimits>, own: Partial<AgentState> = {}, rehearsal = false) {
  bridge = await startWindow({ conversations: [summaryOf('c1', { limits: { ...noLimits, ...limits } })] })
  const script = new SampleLog()
  const main = { ...stateAfter([script.spawn('main'), script.says('main', 'x')]), ...own }
  const child = stateAfter([script.spawn('child', { parentId: 'main' }), script.says('child', 'x')])
  useConversation.setState({
    conversationId: 'c1',
    record: { rehearsal } as ConversationRecord,
    agents: new Map([
      ['main', main],
      ['child', child],
    ]),
  })
  render(<Spending />)
  return screen.getByRole('button')
}

const meter = () => document.querySelector('[data-meter]')?.getAttribute('data-meter')

test('shows the cost of all agents and the limit; a click shows the limits', async () => {
  const button = await show({ usd: 20 })
  expect(button.textContent).toMatch(/^\$0\.02 of \$20/)
  expect(meter()).toBe('plain')
  await userEvent.click(button)
  expect(useLimits.getState().shownFor).toBe('c1')
})

test('near the limit the meter is highlighted, and amber only at the limit', async () => {
  await show({ usd: 0.0245 })
  expect(meter()).toBe('near')
  cleanup()
  await show({ usd: 0.02 })
  expect(meter()).toBe('reached')
})

test('a closer limit is shown instead once it is nearly reached', async () => {
  expect((await show({ usd: 20, tokens: 200 })).textContent).toContain('$0.02 of $20')
  cleanup()
  expect((await show({ usd: 20, tokens: 40 })).textContent).toContain('36 of 40 tokens')
})

test('changed settings apply at once, but not to a conversation with its own limits', async () => {
  const settings = { ...defaultSettings, conversationUsd: 30 }
  const usual = await show({ tokens: 50_000_000, usd: 20, usdByDefault: true })
  act(() => bridge.push({ type: 'settings', settings }))
  expect(usual.textContent).toContain('$0.02 of $30')
  cleanup()
  const own = await show({ usd: 20 })
  act(() => bridge.push({ type: 'settings', settings }))
  expect(own.textContent).toContain('$0.02 of $20')
})

test('without a limit there is no meter', async () => {
  expect((await show({})).textContent).toMatch(/^\$0\.02;/)
  expect(meter()).toBeUndefined()
})

test('an unknown cost is called unknown, and never $0', async () => {
  const button = await show({ usd: 20 }, { priced: false, costUsd: 0 })
  expect(button.textContent).toContain('at least $0.01 of $20')
  expect(meter()).not.toBe('reached')
})

test('a rehearsal is free, whatever the money limit', async () => {
  expect((await show({ usd: 0.001 }, {}, true)).textContent).toContain('free')
  expect(meter()).toBeUndefined()
})

test('the sum says how many external agents don’t report their cost, and that only', async () => {
  await show({ usd: 20 })
  const script = new SampleLog()
  const silent = (id: string) => {
    const events = [
      outside(script.spawn(id, { parentId: 'main' })),
      connected(script, id),
      script.next(id, { type: 'request-started', turn: 1, attempt: 1, model: id }),
    ]
    return stateAfter([...events, { ...script.says(id, 'x'), costUsd: null } as AgentEvent])
  }
  const withCost = (id: string) => {
    const events = [outside(script.spawn(id, { parentId: 'main' })), connected(script, id)]
    return stateAfter([...events, script.says(id, 'x')])
  }
  const add = (...states: AgentState[]) =>
    act(() =>
      useConversation.setState(({ agents }) => ({
        agents: new Map([...agents, ...states.map((state) => [state.id, state] as const)]),
      })),
    )
  add(withCost('claude'))
  expect(screen.getByRole('button').textContent).toMatch(/^\$0\.03 of \$20;/)
  add(silent('codex'))
  expect(screen.getByRole('button').textContent).toContain('$0.03 of $20, 1 agent doesn’t tell')
  add(silent('gemini'))
  expect(screen.getByRole('button').textContent).toContain('$0.03 of $20, 2 agents don’t tell')
  expect(screen.getByRole('button').title).toContain('codex, gemini')
})
