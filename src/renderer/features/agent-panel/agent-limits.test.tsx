import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { noLimits, type SpendLimits } from '../../../shared/events/agent-event.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useLimits } from '../../stores/limits-store.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { LimitMeter, LimitsButton } from './agent-limits.tsx'

beforeEach(async () => {
  const limits = { ...noLimits, tokens: 1000, usd: 20 }
  await startWindow({ conversations: [summaryOf('c1', { limits })] })
})
afterEach(cleanup)

/** Each agent has spent 18 tokens and one cent: a main agent, its child, and its grandchild. */
function know(limits: Partial<SpendLimits>) {
  const script = new SampleLog()
  const line = [
    [script.spawn('main'), script.says('main', 'x')],
    [script.spawn('a', { parentId: 'main', limits: { ...noLimits, ...limits } }), script.says('a', 'x')],
    [script.spawn('b', { parentId: 'a', maxTurns: 12 }), script.says('b', 'x')],
  ].map(stateAfter)
  act(() =>
    useConversation.setState({
      conversationId: 'c1',
      record: null,
      agents: new Map(line.map((state) => [state.id, state])),
    }),
  )
  const agent = line.at(-1)
  if (agent === undefined) throw new Error('there is no agent')
  return agent
}

test('the meter shows the closest limit, whoever owns it', () => {
  const agent = know({ tokens: 40 })
  render(<LimitMeter agent={agent} />)
  // The parent’s limit: 36 of 40 tokens. The conversation’s limit: 54 of 1,000.
  expect(screen.getByText('90% of its closest limit')).toBeTruthy()
  expect(document.querySelector('[data-meter]')?.getAttribute('data-meter')).toBe('near')
  know({ tokens: 40, usd: 0.0201 })
  expect(screen.getByText('99% of its closest limit')).toBeTruthy()
  know({})
  expect(screen.getByText('5% of its closest limit')).toBeTruthy()
})

test('the button lists every limit of the agent, with its usage and owner', async () => {
  render(
    <TooltipProvider>
      <LimitsButton agent={know({ tokens: 40, spawns: 3 })}>the figures</LimitsButton>
    </TooltipProvider>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'the figures' }))
  const rows = within(await screen.findByRole('table'))
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.children].map((cell) => cell.textContent))
  expect(rows).toEqual([
    ['Turns', '0 of 12', '0%', 'its own'],
    ['Tokens', '36 of 40', '90%', 'a’s'],
    ['Tokens', '54 of 1k', '5%', 'the conversation’s'],
    ['Money', '$0.03 of $20', '0%', 'the conversation’s'],
    ['Time', '0:00', '', 'no limit'],
    ['Agents started', '0', '', 'no limit'],
  ])
  expect(screen.getByText(/Closest limit: 36 of 40 tokens/)).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Conversation limits…' }))
  expect(useLimits.getState().shownFor).toBe('c1')
})
