import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { callOf, SampleLog } from '../../../shared/testing/sample-log.ts'
import { addToTimeline, emptyTimeline } from '../../../shared/timeline/timeline.ts'
import { useLook, useTimelineStore } from '../../features/timeline/timeline-store.ts'
import { TimelineStrip } from '../../features/timeline/timeline-strip.tsx'
import { useOverlay } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { useStage } from '../../stores/stage-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { TimelineView } from './timeline-view.tsx'

afterEach(() => {
  cleanup()
  useTimelineStore.setState(useTimelineStore.getInitialState(), true)
  useLook.setState(useLook.getInitialState(), true)
})
beforeEach(() => {
  // The width of a wide window.
  window.innerWidth = 1440
})
const user = userEvent.setup()

/** A main agent that starts one agent, which reads a file and runs the tests, which fail. */
function sampleLog(): SampleLog {
  const log = new SampleLog({ conversationId: 'c1', step: 0 })
  log.begins('Fix it.')
  log.add('main', 'request-started')
  log
    .pass(4000)
    .answers('main', { calls: [{ agentId: 'tests', type: 'test-writer', task: 'Failing test first' }] })
  log.starts({
    ...{ id: 'tests', name: 'test-writer', color: 'green', task: 'Failing test first' },
    ...{ parentId: 'main', call: callOf('tests') },
  })
  log.add('tests', 'request-started', { turn: 1 })
  log.pass(3000).add('tests', 'assistant-message', { turn: 1, costUsd: 0.25 })
  log.add('tests', 'tool-started', { toolUseId: 't-1', name: 'Read', summary: 'src/charge.ts' })
  log.pass(1000).add('tests', 'tool-ended', { toolUseId: 't-1', name: 'Read', note: '40 lines' })
  log.add('tests', 'tool-started', { toolUseId: 't-2', name: 'Bash', summary: 'npm test' })
  log.pass(9000).add('tests', 'tool-ended', {
    ...{ toolUseId: 't-2', name: 'Bash', isError: true, note: 'exit 1', content: '1 failed, 2 passed' },
  })
  return log
}

async function show(log: SampleLog, shown: ReactNode = <TimelineView />): Promise<FakeBridge> {
  const bridge = await startWindow()
  const timeline = emptyTimeline()
  for (const event of log.events) addToTimeline(timeline, event)
  bridge.answer({
    'conversation.subscribe': () => log.snapshot({ title: 'Payments' }),
    'conversation.timeline': () => ({ timeline, problem: null }),
    'agent.transcript': ({ agentId, before }) => ({
      events: log.events.filter((event) => event.agentId === agentId && event.seq < (before ?? Infinity)),
      ...{ older: false, live: [] },
    }),
  })
  await act(() => openConversation('c1'))
  render(<TooltipProvider>{shown}</TooltipProvider>)
  return bridge
}

const spans = () => screen.getByRole('listbox')
const chosen = () => within(spans()).queryByRole('option', { selected: true })?.textContent ?? null
const push = (bridge: FakeBridge, event: AgentEvent) =>
  act(async () => bridge.push({ type: 'event', conversationId: 'c1', event }))

test('without a conversation, the view says what it is for and leads to the composer', async () => {
  await startWindow()
  useSession.setState({ view: 'timeline' })
  render(<TimelineView />)
  expect(screen.getByText(/A lane for each agent shows/)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Write a message' }))
  expect(useSession.getState().view).toBe('stage')
})

test('the keys reach every span of every agent, and Enter opens its place in the transcript', async () => {
  await show(sampleLog())
  await screen.findByRole('listbox')
  expect(document.activeElement).toBe(spans())
  expect(spans().getAttribute('aria-label')).toBe('Spans of Main agent')
  await user.keyboard('j{ArrowRight}')
  expect(spans().getAttribute('aria-label')).toBe('Spans of Failing test first')
  expect(chosen()).toBe('model, 0:04.0 to 0:07.0 · 3.0 s, answered')
  await user.keyboard('{ArrowRight}{ArrowRight}')
  expect(chosen()).toBe('Bash, npm test, 0:08.0 to 0:17.0 · 9.0 s, exit 1')
  await user.keyboard('{ArrowRight}{Home}{End}')
  expect(chosen()).toMatch(/^Bash/)
  const details = screen.getByRole('region', { name: 'Details' })
  expect(await within(details).findByText('1 failed, 2 passed')).toBeTruthy()
  expect(within(details).getByText('exit 1')).toBeTruthy()
  await user.keyboard('{Enter}')
  expect(useSession.getState().view).toBe('stage')
  expect(useStage.getState().reveal).toMatchObject({ agentId: 'tests' })
})

test('the details of a span count its tokens as its panel does', async () => {
  const log = sampleLog()
  log.answers('tests', { text: 'Done.', tokens: 10_000 })
  await show(log)
  await screen.findByRole('listbox')
  await user.keyboard('j{End}')
  const details = screen.getByRole('region', { name: 'Details' })
  // 900 + 1,000 + 0.1 · 7,300 + 1.25 · 800
  expect(within(details).getByText(/^3,630 tokens \(10,000 with all cached ones\) · /)).toBeTruthy()
})

test('a span that begins while the view is open is in its lane at once', async () => {
  const log = sampleLog()
  const bridge = await show(log)
  await screen.findByRole('listbox')
  await user.keyboard('j{End}')
  expect(chosen()).toMatch(/^Bash/)
  await push(bridge, log.add('tests', 'request-started', { turn: 2 }))
  await user.keyboard('{End}')
  expect(chosen()).toMatch(/^model, since 0:17.0/)
})

test('the conversation is exported from its timeline', async () => {
  await show(sampleLog())
  await user.click(await screen.findByRole('button', { name: 'Export…' }))
  expect(useOverlay.getState()).toMatchObject({ overlay: 'export', about: 'c1' })
})

test('the filter finds agents and calls by words, and says when nothing matches', async () => {
  await show(sampleLog())
  await screen.findByRole('listbox')
  await user.keyboard('/npm')
  expect(screen.getByText('1 agent')).toBeTruthy()
  await user.tab()
  await user.click(screen.getByRole('textbox', { name: /Filter/ }))
  await user.keyboard(' nowhere')
  expect(screen.getByText(/No agent and no call matches/)).toBeTruthy()
  await user.keyboard('{Escape}')
  expect(screen.getByText('2 agents')).toBeTruthy()
})

test('the legend hides a kind of span from the lanes and from the keys', async () => {
  await show(sampleLog())
  await screen.findByRole('listbox')
  await user.click(screen.getByRole('button', { name: 'Tools', pressed: true }))
  act(() => spans().focus())
  await user.keyboard('j{End}')
  expect(chosen()).toMatch(/^model/)
  await user.click(screen.getByRole('button', { name: 'Tools', pressed: false }))
  act(() => spans().focus())
  await user.keyboard('{End}')
  expect(chosen()).toMatch(/^Bash/)
})

test('plus and minus zoom, Shift with an arrow moves, 0 shows everything again', async () => {
  await show(sampleLog())
  await screen.findByRole('listbox')
  const fit = screen.getByRole('button', { name: /Fit/ })
  expect(fit).toHaveProperty('disabled', true)
  await user.keyboard('+++')
  const near = useLook.getState().range
  expect(fit).toHaveProperty('disabled', false)
  await user.keyboard('{Shift>}{ArrowRight}{/Shift}')
  expect(useLook.getState().range?.from).toBeGreaterThan(near?.from ?? 0)
  await user.keyboard('0')
  expect(useLook.getState().range).toBeNull()
  await user.keyboard('-')
  expect(useLook.getState().range).toBeNull()
})

test('without a span, the details say what took the time and what cost the money', async () => {
  await show(sampleLog())
  await screen.findByRole('listbox')
  const details = await screen.findByRole('region', { name: 'Details' })
  const time = (await within(details).findByText('What took the time')).parentElement as HTMLElement
  expect(
    within(time)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toContain('Bash1 time, 1 failed9.0 s')
  const money = within(details).getByText('What cost the money').parentElement as HTMLElement
  expect(within(money).getAllByRole('listitem')[0]?.textContent).toContain('Failing test first')
})

test('logs that can’t be read are a sentence, and the view stays', async () => {
  const bridge = await startWindow()
  const log = sampleLog()
  bridge.answer({
    'conversation.subscribe': () => log.snapshot(),
    'conversation.timeline': () => {
      throw new Error('Line 7 of main is damaged.')
    },
  })
  await act(() => openConversation('c1'))
  render(<TimelineView />)
  expect(await screen.findByText(/Line 7 of main is damaged/)).toBeTruthy()
})

test('the strip under the stage opens the timeline at a time, and stays folded once it was', async () => {
  useSession.setState({ view: 'stage' })
  await show(sampleLog(), <TimelineStrip />)
  const strip = screen.getByRole('region', { name: 'Timeline' })
  await expect.poll(() => within(strip).queryByText('Main agent')).not.toBeNull()
  fireEvent.click(strip.querySelector('canvas') as HTMLCanvasElement, { clientX: 0 })
  expect(useSession.getState().view).toBe('timeline')
  const { timeline } = useTimelineStore.getState()
  expect(useLook.getState().range).toMatchObject({ from: timeline.from })
  await user.click(within(strip).getByRole('button', { name: 'Fold the timeline' }))
  expect(within(strip).queryByText('Main agent')).toBeNull()
  cleanup()
  render(<TooltipProvider>{<TimelineStrip />}</TooltipProvider>)
  expect(screen.getByRole('button', { name: 'Unfold the timeline' })).toBeTruthy()
})
