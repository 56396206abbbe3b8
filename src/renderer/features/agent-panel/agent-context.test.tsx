import { Popover as Base } from '@base-ui/react/popover'
import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { afterEach, expect, test } from 'vitest'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useOverlay } from '../../stores/overlay-store.ts'
import { TooltipProvider } from '../../ui/popover.tsx'
import { ContextButton, ContextParts, ContextRing } from './agent-context.tsx'
import { LimitsButton } from './agent-limits.tsx'

afterEach(() => {
  cleanup()
  useOverlay.setState({ overlay: null })
})

function agentWith(used: number | null): AgentState {
  const script = new SampleLog()
  const state = stateAfter([script.spawn('a', { parentId: 'main' }), script.status('a', 'running')])
  return { ...state, context: { prefix: 12_000, used, window: used === null ? null : 200_000 } }
}
function know(used: number | null) {
  act(() =>
    useConversation.setState({
      conversationId: 'c1',
      record: null,
      agents: new Map([['a', agentWith(used)]]),
    }),
  )
}
/** An open popover, as around the parts in a panel. */
const InPopover = ({ children }: { readonly children: ReactNode }) => (
  <Base.Root defaultOpen>
    <Base.Portal>
      <Base.Positioner>
        <Base.Popup aria-label="Limits">{children}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
const level = () => document.querySelector('[data-context]')?.getAttribute('data-context')

test('the ring states the share, shows it from half on, and is red near the end', () => {
  const { rerender, container } = render(<ContextRing agent={agentWith(null)} />)
  expect(container.textContent).toBe('')
  rerender(<ContextRing agent={agentWith(24_000)} />)
  expect(container.textContent).toBe('12% of the context window used')
  expect(level()).toBe('plain')
  rerender(<ContextRing agent={agentWith(170_000)} />)
  expect(container.textContent).toBe('85%85% of the context window used')
  expect(level()).toBe('near')
  rerender(<ContextRing agent={agentWith(195_000)} />)
  expect(level()).toBe('full')
  expect(container.innerHTML).not.toContain('needs-you')
})

test('the button opens the parts by agent, from the keyboard', async () => {
  know(84_000)
  render(<ContextButton agentId="a" />)
  screen.getByRole('button', { name: /42% of the context window used/ }).focus()
  await userEvent.keyboard('{Enter}')
  expect(useOverlay.getState().overlay).toBe('context')
  expect(useOverlay.getState().about).toBe('a')
})

test('a panel’s popover shows the fill, and when the context is compacted', async () => {
  know(84_000)
  const { rerender } = render(<ContextParts agent={agentWith(84_000)} />, { wrapper: InPopover })
  const rows = within(screen.getByRole('table'))
    .getAllByRole('row')
    .map((row) => [...row.children].map((cell) => cell.textContent))
  expect(rows).toEqual([
    ['System prompt and tools', 'about 12k'],
    ['Messages', '72k'],
    ['Free', '116k'],
    ['Used', '84k of 200k · 42%'],
  ])
  expect(screen.getByText(/From 160k tokens \(80%\) on, older tool results are left out/)).toBeTruthy()
  rerender(<ContextParts agent={agentWith(165_000)} />)
  expect(screen.getByText(/^Before the next request, older tool results/)).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Context by part…' }))
  expect(useOverlay.getState().overlay).toBe('context')
})

test('before the first answer there is no button, and the panel’s popover says so', async () => {
  know(null)
  render(
    <TooltipProvider>
      <ContextButton agentId="a" />
      <LimitsButton agent={agentWith(null)}>the figures</LimitsButton>
    </TooltipProvider>,
  )
  expect(screen.getAllByRole('button')).toHaveLength(1)
  await userEvent.click(screen.getByRole('button', { name: 'the figures' }))
  expect(await screen.findByText('Known after the first answer.')).toBeTruthy()
})
