import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ContextReport } from '../../../shared/state/context-report.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { showOverlay, useOverlay } from '../../stores/overlay-store.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { ContextDialog } from './context-dialog.tsx'

const report = (agentId: string, more: Partial<ContextReport> = {}): ContextReport => ({
  agentId,
  model: 'sonnet',
  window: 200_000,
  used: 84_000,
  basis: 'usage',
  groups: [
    {
      kind: 'instructions',
      server: null,
      label: 'Instructions',
      tokens: 6000,
      items: [{ label: '/work/shop/CLAUDE.md', tokens: 6000 }],
      deferred: 0,
    },
    { kind: 'tools', server: 'big', label: 'Tools of big', tokens: 0, items: [], deferred: 58 },
    {
      kind: 'results',
      server: null,
      label: 'Tool results',
      tokens: 78_000,
      items: [{ label: 'Read', tokens: 78_000, count: 12, largest: 9000 }],
      deferred: 0,
    },
  ],
  ...more,
})

let bridge: FakeBridge
const events = new SampleLog()
const agent = (id: string) =>
  stateAfter([
    events.spawn(id, { parentId: id === 'main' ? null : 'main', task: '' }),
    events.status(id, 'running'),
  ])

beforeEach(() => {
  bridge = installFakeBridge({ 'agent.context': ({ agentId }) => report(agentId) })
  useConversation.setState({
    conversationId: 'c1',
    record: { mainAgentId: 'main' } as never,
    agents: new Map(['main', 'sub'].map((id) => [id, agent(id)])),
  })
})
afterEach(() => {
  cleanup()
  useOverlay.setState({ about: null })
  useOverlay.setState({ overlay: null })
})

const onClose = vi.fn()
const show = () => render(<ContextDialog open onClose={onClose} />)

test('the parts open from the keyboard, with figures, advice and the start of compaction', async () => {
  show()
  const results = await screen.findByRole('button', { name: 'Tool results' })
  expect(screen.getByText('About 84k of 200k tokens · 42%')).toBeTruthy()
  expect(screen.getByText(/Compaction begins at 160k tokens/)).toBeTruthy()
  expect(screen.getByText('58 with ToolSearch')).toBeTruthy()
  expect(screen.queryByRole('button', { name: /Tools of big/ })).toBeNull()
  const advice = within(screen.getByRole('region', { name: 'Free room' })).getAllByRole('listitem')
  expect(advice.map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('Tool results take about 78k tokens.'),
    expect.stringContaining('/work/shop/CLAUDE.md takes about 6k tokens'),
  ])
  expect(screen.queryByText('Read (12)')).toBeNull()
  results.focus()
  await userEvent.keyboard('{Enter}')
  expect(results.getAttribute('aria-expanded')).toBe('true')
  expect(screen.getByRole('row', { name: 'Read (12) 78k 39.0%' })).toBeTruthy()
  expect(screen.getByRole('row', { name: /^Free 116k/ })).toBeTruthy()
  await userEvent.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalled()
})

test('it counts again after an answer, not with other agents’ events, and keeps opened parts', async () => {
  show()
  await userEvent.click(await screen.findByRole('button', { name: 'Tool results' }))
  expect(bridge.inputsOf('agent.context')).toHaveLength(1)
  const change = (id: string, used: number) =>
    act(() =>
      useConversation.setState(({ agents }) => {
        const known = agents.get(id)
        return known === undefined
          ? {}
          : { agents: new Map(agents).set(id, { ...known, context: { prefix: 1, used, window: 200_000 } }) }
      }),
    )
  change('sub', 5)
  expect(bridge.inputsOf('agent.context')).toHaveLength(1)
  bridge.answer({ 'agent.context': ({ agentId }) => report(agentId, { used: 90_000 }) })
  change('main', 90_000)
  expect(await screen.findByText('About 90k of 200k tokens · 45%')).toBeTruthy()
  expect(screen.getByText('Read (12)')).toBeTruthy()
})

test('another agent is chosen in the dialog, or named when it opens', async () => {
  act(() => showOverlay('context', 'sub'))
  expect(useOverlay.getState().overlay).toBe('context')
  show()
  await screen.findByRole('button', { name: 'Tool results' })
  await userEvent.click(screen.getByRole('button', { name: 'Agent: sub' }))
  await userEvent.click(await screen.findByRole('menuitemradio', { name: /^Main agent/ }))
  expect(await screen.findByRole('button', { name: 'Agent: Main agent' })).toBeTruthy()
  expect(bridge.inputsOf('agent.context').map(({ agentId }) => agentId)).toEqual(['sub', 'main'])
})

test('a failure is shown and can be tried again; without a known window the shares are of what is used', async () => {
  bridge.answer({
    'agent.context': () => {
      throw new Refusal('The transcript is damaged.', 'damaged')
    },
  })
  show()
  expect((await screen.findByRole('alert')).textContent).toContain('The transcript is damaged.')
  bridge.answer({ 'agent.context': ({ agentId }) => report(agentId, { window: null, basis: 'length' }) })
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('About 84k tokens')).toBeTruthy()
  expect(screen.getByText(/context window of sonnet is unknown.*no answer has counted/)).toBeTruthy()
  expect(screen.queryByText(/Compaction begins/)).toBeNull()
})

test('the report is copied as text', async () => {
  const user = userEvent.setup()
  show()
  await user.click(await screen.findByRole('button', { name: 'Copy as text' }))
  expect(await navigator.clipboard.readText()).toContain(
    'Context of Main agent: about 84k of 200k tokens (42%)',
  )
  expect(screen.getByRole('status').textContent).toBe('Copied')
})
