import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { noLimits, type SpendLimits } from '../../../shared/agent-event.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useLimits } from '../../stores/limits-store.ts'
import { EventScript, stateAfter } from '../../testing/event-script.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/tooltip.tsx'
import { LimitsButton, SpendingMeter } from './agent-limits.tsx'

beforeEach(async () => {
  const limits = { ...noLimits, tokens: 1000, usd: 20 }
  await startWindow({ conversations: [summaryOf('c1', { limits })] })
})
afterEach(cleanup)

/** Each has spent 45 tokens and a cent: a main agent, one that it started, and one below that. */
function know(limits: Partial<SpendLimits>) {
  const script = new EventScript()
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

test('the meter is that of the limit that ends first, whoever has it', () => {
  const agent = know({ tokens: 100 })
  render(<SpendingMeter agent={agent} />)
  // 90 tokens of the 100 of the agent above it; of the conversation 135 of 1,000.
  expect(screen.getByText('90% of what it may spend')).toBeTruthy()
  expect(document.querySelector('[data-meter]')?.getAttribute('data-meter')).toBe('near')
  know({ tokens: 100, usd: 0.0201 })
  expect(screen.getByText('99% of what it may spend')).toBeTruthy()
  know({})
  expect(screen.getByText('13% of what it may spend')).toBeTruthy()
})

test('the button lists everything that holds for it, with what is spent and whose it is', async () => {
  render(
    <TooltipProvider>
      <LimitsButton agent={know({ tokens: 100, spawns: 3 })} />
    </TooltipProvider>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'What it may spend' }))
  const rows = within(await screen.findByRole('table'))
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.children].map((cell) => cell.textContent))
  expect(rows).toEqual([
    ['Turns', '0 of 12', '0%', 'its own'],
    ['Tokens', '90 of 100', '90%', 'a’s'],
    ['Tokens', '135 of 1k', '14%', 'the conversation’s'],
    ['Money', '$0.03 of $20', '0%', 'the conversation’s'],
    ['Time', '0:00', '', 'no limit'],
    ['Agents started', '0', '', 'no limit'],
  ])
  expect(screen.getByText(/Nearest to its end: 90 of 100 tokens/)).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Limits of this conversation…' }))
  expect(useLimits.getState().shownFor).toBe('c1')
})
