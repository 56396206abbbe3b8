import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { emptyConversation, foldConversation } from '../../../shared/state/conversation-state.ts'
import { callOf, SampleLog } from '../../../shared/testing/sample-log.ts'
import { addToTimeline, emptyTimeline } from '../../../shared/timeline/timeline.ts'
import { ExportDialog } from '../../features/sharing/export-dialog.tsx'
import { useLook, useTimelineStore } from '../../features/timeline/timeline-store.ts'
import { stopAll } from '../../stores/conversation-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useOverlay } from '../../stores/overlay-store.ts'
import { leaveReplay, useReplay } from '../../stores/replay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { runCommand } from '../command-actions.ts'
import { StageView } from '../stage/stage-view.tsx'
import { TimelineView } from './timeline-view.tsx'

afterEach(async () => {
  await leaveReplay()
  cleanup()
  useTimelineStore.setState(useTimelineStore.getInitialState(), true)
  useLook.setState(useLook.getInitialState(), true)
})
beforeEach(() => {
  window.innerWidth = 1440
})
const user = userEvent.setup()

/** A main agent and a subagent, which asks for a permission that the user denies, and fails. */
function sampleLog(): SampleLog {
  const log = new SampleLog({ conversationId: 'c1', step: 0 })
  log.begins('Fix it.')
  log
    .pass(1000)
    .answers('main', { text: 'I start one.', calls: [{ agentId: 'tests', type: 'x', task: 'Run tests' }] })
  log.starts({
    ...{ id: 'tests', name: 'x', color: 'green', task: 'Run tests', parentId: 'main', call: callOf('tests') },
  })
  log.pass(2000).asks('tests', 'p1')
  log.pass(3000).answered('tests', 'p1', { decision: 'deny' })
  log.pass(1000).answers('tests', { text: 'I can’t.', cost: 0.5 })
  log.pass(1000).ends('tests', 'No.', 'failed', 'No permission.')
  log.pass(1000).answers('main', { text: 'It failed.' })
  return log
}

async function show(log: SampleLog): Promise<FakeBridge> {
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
    'conversation.past': ({ order, after }) => {
      const events = log.events.filter((event) => event.order <= order && event.order > (after ?? -1))
      if (after !== null) return { snapshot: null, events }
      const { agents } = foldConversation(emptyConversation, events)
      return { snapshot: { ...log.snapshot({ title: 'Payments' }), agents: [...agents.values()], order } }
    },
  })
  await act(() => openConversation('c1'))
  return bridge
}

const shown = (element: React.ReactElement) => render(<TooltipProvider>{element}</TooltipProvider>)
const momentOf = (log: SampleLog, at: number) =>
  foldConversation(
    emptyConversation,
    log.events.filter((event) => event.at <= at),
  )

test('a replay goes from stop to stop, and the window shows what it showed then', async () => {
  const log = sampleLog()
  await show(log)
  shown(<TimelineView />)
  await screen.findByRole('listbox')
  await user.click(screen.getByRole('radio', { name: 'Replay' }))
  await user.click(screen.getByRole('button', { name: /^To the start/ }))
  await expect.poll(() => useConversation.getState().agents.has('tests')).toBe(false)
  await user.click(screen.getByRole('button', { name: /^Next stop/ }))
  await expect.poll(() => useConversation.getState().needs).toHaveLength(1)
  const { at } = useReplay.getState()
  const { agents, readOnly, pastAt } = useConversation.getState()
  expect(agents).toEqual(momentOf(log, at ?? 0).agents)
  expect({ readOnly, pastAt }).toEqual({ readOnly: true, pastAt: at })
  expect(screen.getAllByText('up to the cursor')).toHaveLength(2)
  expect(screen.getAllByText('$0.00').length).toBeGreaterThan(0)
  // Forward, with the events since.
  await user.click(screen.getByRole('button', { name: /^To the end/ }))
  await expect.poll(() => useConversation.getState().agents.get('tests')?.status).toBe('failed')
  expect(useConversation.getState().agents).toEqual(momentOf(log, Infinity).agents)
  await user.click(screen.getByRole('radio', { name: 'Live' }))
  await expect.poll(() => useConversation.getState().pastAt).toBeNull()
  expect(useConversation.getState().readOnly).toBe(false)
})

test('a playing replay comes to the end by itself, and Space pauses it', async () => {
  await show(sampleLog())
  shown(<TimelineView />)
  const list = await screen.findByRole('listbox')
  await user.click(screen.getByRole('radio', { name: 'Replay' }))
  // The log lasts 9 s: slowly, its end is far.
  await user.click(screen.getByRole('radio', { name: '1×' }))
  act(() => list.focus())
  await user.keyboard(' ')
  expect(useReplay.getState().isPlaying).toBe(true)
  await user.keyboard(' ')
  expect(useReplay.getState().isPlaying).toBe(false)
  await user.click(screen.getByRole('radio', { name: '16×' }))
  act(() => list.focus())
  await user.keyboard(' ')
  await expect.poll(() => useReplay.getState().isPlaying).toBe(false)
  expect(useReplay.getState().at).toBe(useTimelineStore.getState().timeline.to)
})

test('the stage says that the moment is past, refuses what would act, and leads back', async () => {
  const log = sampleLog()
  const bridge = await show(log)
  shown(<TimelineView />)
  await screen.findByRole('listbox')
  await user.click(screen.getByRole('radio', { name: 'Replay' }))
  await user.click(screen.getByRole('button', { name: /^To the start/ }))
  await user.click(screen.getByRole('button', { name: /^Next stop/ }))
  await expect.poll(() => useConversation.getState().needs).toHaveLength(1)
  cleanup()
  shown(<StageView />)
  expect((await screen.findByText('You see a past moment')).textContent).toBeTruthy()
  expect(screen.queryByRole('button', { name: /Allow once/ })).toBeNull()
  expect(await screen.findAllByText(/Go back to now to answer/)).not.toHaveLength(0)
  await act(() => stopAll())
  expect(bridge.inputsOf('conversation.stop')).toEqual([])
  // An export only reads it.
  useOverlay.setState({ about: 'c1' })
  shown(<ExportDialog open onClose={() => {}} />)
  await expect.poll(() => bridge.inputsOf('sharing.preview')).toHaveLength(1)
  useOverlay.setState({ about: null })
  cleanup()
  shown(<StageView />)
  // What happens now is not shown, and is there afterwards.
  const event = log.receives('main', 'Try again.', 'user')
  await act(async () => bridge.push({ type: 'event', conversationId: 'c1', event }))
  expect(useConversation.getState().agents.get('main')?.lastSeq).toBeLessThan(event.seq)
  await user.click(
    within(screen.getByRole('status', { name: '' })).getByRole('button', { name: 'Back to now' }),
  )
  await expect.poll(() => useConversation.getState().agents.get('main')?.lastSeq).toBe(event.seq)
  expect(screen.queryByText('You see a past moment')).toBeNull()
  await act(() => stopAll())
  expect(bridge.inputsOf('conversation.stop')).toHaveLength(1)
})

test('another conversation ends the replay', async () => {
  await show(sampleLog())
  shown(<TimelineView />)
  await screen.findByRole('listbox')
  await user.click(screen.getByRole('radio', { name: 'Replay' }))
  await expect.poll(() => useConversation.getState().pastAt).not.toBeNull()
  await act(() => openConversation(null))
  expect(useReplay.getState().at).toBeNull()
  expect(useConversation.getState().pastAt).toBeNull()
  expect(useSession.getState().view).toBe('stage')
})

test('the strip under the stage switches to a replay, moves its cursor, and the key leads back', async () => {
  const log = sampleLog()
  const bridge = await show(log)
  shown(<StageView />)
  const strip = await screen.findByRole('region', { name: 'Timeline' })
  await user.click(within(strip).getByRole('radio', { name: 'Replay' }))
  const { timeline } = useTimelineStore.getState()
  await expect.poll(() => useConversation.getState().pastAt).toBe(timeline.to)
  const canvas = within(strip).getByTitle('Show this moment')
  vi.spyOn(canvas, 'getBoundingClientRect').mockReturnValue({ left: 100, width: 1000 } as DOMRect)
  canvas.setPointerCapture = () => {}
  fireEvent(canvas, new MouseEvent('pointerdown', { clientX: 600, buttons: 1, bubbles: true }))
  fireEvent.click(canvas, { clientX: 600 })
  const middle = timeline.from + (timeline.to - timeline.from) / 2
  await expect.poll(() => useConversation.getState().pastAt).toBeCloseTo(middle)
  expect(useConversation.getState().agents).toEqual(momentOf(log, middle).agents)
  expect(useSession.getState().view).toBe('stage')
  // A pointer that only passes moves nothing.
  fireEvent(canvas, new MouseEvent('pointermove', { clientX: 900, buttons: 0, bubbles: true }))
  expect(useReplay.getState().at).toBeCloseTo(middle)
  act(() => runCommand('replay'))
  await expect.poll(() => useConversation.getState().pastAt).toBeNull()
  // From another view the key loads the timeline first, and shows the stage.
  act(() => {
    useTimelineStore.setState(useTimelineStore.getInitialState(), true)
    useSession.setState({ view: 'settings' })
    runCommand('replay')
  })
  await expect.poll(() => useConversation.getState().pastAt).toBe(timeline.to)
  expect(useSession.getState().view).toBe('stage')
  expect(bridge.inputsOf('conversation.timeline').length).toBeGreaterThan(1)
})
