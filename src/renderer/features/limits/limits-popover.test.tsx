import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { noLimits } from '../../../shared/events/agent-event.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { openLimits, useLimits } from '../../stores/limits-store.ts'
import { useSession } from '../../stores/session-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { LimitsPopover } from './limits-popover.tsx'

const LIMITS = { tokens: 50_000_000, usd: 20, usdByDefault: true, ms: null, spawns: null } as const
const user = userEvent.setup()
let bridge: FakeBridge

beforeEach(async () => {
  bridge = await startWindow({ conversations: [summaryOf('c1', { limits: LIMITS })] })
  bridge.answer({
    'conversation.setLimits': ({ limits }) => summaryOf('c1', { limits: limits ?? LIMITS }),
  })
})
afterEach(() => {
  cleanup()
  act(() => useLimits.setState({ shownFor: null }))
})

/** One agent that has spent 18 tokens and a cent, changed by `own`. */
async function open(own: Partial<AgentState> = {}, readOnly = false) {
  const script = new SampleLog()
  const main = { ...stateAfter([script.spawn('main'), script.says('main', 'x')]), ...own }
  useConversation.setState({
    conversationId: 'c1',
    phase: 'ready',
    record: null,
    readOnly,
    agents: new Map([['main', main]]),
  })
  render(
    <>
      <button type="button" data-limits-anchor="" onClick={() => openLimits('c1')}>
        $0.01 of $20
      </button>
      <LimitsPopover />
    </>,
  )
  await user.click(screen.getByRole('button', { name: '$0.01 of $20' }))
  await screen.findByRole('dialog', { name: 'Conversation limits' })
}

const field = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name })
const sent = () => bridge.inputsOf('conversation.setLimits')
const isOpen = () => screen.queryByRole('dialog') !== null
async function write(name: string, text: string) {
  await user.clear(field(name))
  if (text !== '') await user.type(field(name), text)
}

test('shows the usage of each limit, and focuses the first field', async () => {
  await open()
  expect(field('Tokens').value).toBe('50,000,000')
  expect(field('US dollars').value).toBe('20')
  expect(field('Minutes').value).toBe('')
  const described = (name: string) =>
    document.getElementById(field(name).getAttribute('aria-describedby')?.split(' ')[0] ?? '')?.textContent
  expect(described('Tokens')).toBe('18 spent')
  expect(described('US dollars')).toBe('$0.01 spent')
  await waitFor(() => expect(document.activeElement).toBe(field('Tokens')))
})

test('the time of all runs is shown as spent, also between two messages', async () => {
  await open({ workedMs: 3_600_000, runStartedAt: null, heldAt: null })
  const [spent, message] = (field('Minutes').getAttribute('aria-describedby') ?? '').split(' ')
  expect(document.getElementById(spent ?? '')?.textContent).toBe('1:00:00 spent')
  await write('Minutes', '5')
  expect(document.getElementById(message ?? '')?.textContent).toBe(
    'The limit counts from a message to the idle main agent: 0:00 now.',
  )
})

test('Enter saves the changes, closes, and returns the focus', async () => {
  await open()
  await write('Minutes', '90')
  await write('Tokens', '')
  await write('US dollars', '$35.50{Enter}')
  expect(sent()).toEqual([
    { conversationId: 'c1', limits: { tokens: null, usd: 35.5, ms: 5_400_000, spawns: null } },
  ])
  await waitFor(() => expect(isOpen()).toBe(false))
  expect(useSession.getState().conversations[0]?.limits.usd).toBe(35.5)
  const opener = screen.getByRole('button', { name: '$0.01 of $20' })
  await waitFor(() => expect(document.activeElement).toBe(opener))
})

test('Escape closes without a change', async () => {
  await open()
  await write('Tokens', '7{Escape}')
  await waitFor(() => expect(isOpen()).toBe(false))
  expect(sent()).toEqual([])
})

test('invalid input shows a message beside its field, and nothing is saved', async () => {
  await open()
  for (const [name, text, shownText] of [
    ['Tokens', 'many', 'A whole number from 1. Leave it empty for no limit.'],
    ['US dollars', '0', 'An amount above 0. Leave it empty for no limit.'],
    ['Minutes', '-5', 'A number above 0. Leave it empty for no limit.'],
  ] as const) {
    await write(name, `${text}{Enter}`)
    expect(screen.getByText(shownText)).toBeTruthy()
    expect(field(name).getAttribute('aria-invalid')).toBe('true')
  }
  expect(screen.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true')
  expect(sent()).toEqual([])
})

test('a limit below the amount spent is allowed, with a note', async () => {
  await open()
  const shownText = /Already spent/
  await write('Tokens', '19')
  expect(screen.queryByText(shownText)).toBeNull()
  await write('Tokens', '18')
  expect(screen.getByText(shownText)).toBeTruthy()
  await user.keyboard('{Enter}')
  expect(sent()[0]?.limits?.tokens).toBe(18)
})

test('a conversation can return to the defaults, unless it uses them', async () => {
  await open()
  expect(screen.queryByRole('button', { name: 'Use defaults' })).toBeNull()
  await write('Tokens', '100k{Enter}')
  await waitFor(() => expect(isOpen()).toBe(false))
  act(() => openLimits('c1'))
  await user.click(await screen.findByRole('button', { name: 'Use defaults' }))
  expect(sent().at(-1)).toEqual({ conversationId: 'c1', limits: null })
})

test('the field of the reached limit gets the focus', async () => {
  bridge.push({ type: 'conversation', summary: summaryOf('c1', { limits: { ...noLimits, usd: 0.01 } }) })
  await open()
  await waitFor(() => expect(document.activeElement).toBe(field('US dollars')))
})

test('a model without a price is named beside a money limit, with a next step', async () => {
  await open({ model: 'local-llama', priced: false, costUsd: 0 })
  const byDefault = /The cost of local-llama is unknown: this default limit does not count it/
  const own = /The cost of local-llama is unknown: its requests are refused under a money limit of your own/
  expect(screen.getByText(byDefault)).toBeTruthy()
  await write('US dollars', '30')
  expect(screen.getByText(own)).toBeTruthy()
  await write('US dollars', '')
  expect(screen.queryByText(/is unknown/)).toBeNull()
})

test('a changed money limit is the user’s own, an unchanged one stays the default', async () => {
  await open()
  await write('Tokens', '100k{Enter}')
  await waitFor(() => expect(sent()[0]?.limits).toMatchObject({ usd: 20, usdByDefault: true }))
  act(() => openLimits('c1'))
  await write('US dollars', '30{Enter}')
  await waitFor(() => expect(sent()[1]?.limits).toMatchObject({ usd: 30 }))
  expect(sent()[1]?.limits?.usdByDefault).toBeUndefined()
})

test('a refusal is shown beside the fields, which keep their text', async () => {
  bridge.answer({
    'conversation.setLimits': () => {
      throw new Refusal('The conversation could not be written: the disk is full.')
    },
  })
  await open()
  await write('Tokens', '99{Enter}')
  expect(await screen.findByText(/the disk is full/)).toBeTruthy()
  expect(field('Tokens').value).toBe('99')
})

test('the limits of a conversation that another program runs are read-only', async () => {
  await open({}, true)
  expect(screen.getByText(/Another program runs this conversation/)).toBeTruthy()
  expect(field('Tokens').readOnly).toBe(true)
  await user.type(field('Tokens'), '9{Enter}')
  expect(sent()).toEqual([])
})

test('with many agents at work an estimate is shown, and whether a limit stops them', async () => {
  await open()
  expect(screen.queryByText(/Estimate/)).toBeNull()
  const script = new SampleLog()
  const working = Array.from({ length: 12 }, (_, index) => {
    const id = `a${index}`
    return [id, stateAfter([script.spawn(id, { parentId: 'main' }), script.status(id, 'running')])] as const
  })
  act(() => useConversation.setState(({ agents }) => ({ agents: new Map([...agents, ...working]) })))
  expect(screen.getByText(/Estimate for the 12 agents at work: about 960k tokens/).textContent).toContain(
    'more than the limits leave',
  )
})
