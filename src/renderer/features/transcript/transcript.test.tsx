import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { createRef } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AgentEvent, LiveEvent } from '../../../shared/events/agent-event.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { showPlace } from '../../stores/shown-place.ts'
import { resetTranscripts } from '../../stores/transcript-store.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { connectStores } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { Transcript, type TranscriptHandle } from './transcript.tsx'

let bridge: FakeBridge
let script: SampleLog
let disconnect = () => {}

beforeEach(() => {
  script = new SampleLog()
  bridge = installFakeBridge()
  disconnect = connectStores(() => {})
  resetTranscripts('c1')
  // happy-dom has no layout: every element gets the same size.
  for (const size of ['clientHeight', 'clientWidth', 'offsetHeight', 'offsetWidth'] as const)
    vi.spyOn(HTMLElement.prototype, size, 'get').mockReturnValue(400)
})
afterEach(() => {
  cleanup()
  disconnect()
  vi.useRealTimers()
})

/** Opens the transcript of agent `a` with these events; `pages` answers requests for older events, in order. */
async function open(events: readonly AgentEvent[], older: readonly (readonly AgentEvent[])[] = []) {
  const pages = [events, ...older]
  let asked = 0
  bridge.answer({
    'agent.transcript': () => {
      const page = { events: pages[asked] ?? [], older: asked + 1 < pages.length, live: [] }
      asked += 1
      return page
    },
  })
  const all = [...older.flat(), ...events]
  const state = stateAfter(all.length === 0 ? [new SampleLog().spawn('a')] : all)
  useConversation.setState({ conversationId: 'c1', phase: 'ready', agents: new Map([['a', state]]) })
  const handle = createRef<TranscriptHandle>()
  const view = render(
    <TooltipProvider>
      <Transcript agentId="a" ref={handle} />
    </TooltipProvider>,
  )
  await act(async () => {})
  return { ...view, handle }
}

const push = (...events: (AgentEvent | LiveEvent)[]) =>
  act(async () => {
    bridge.push(
      ...events.map((event) =>
        'seq' in event
          ? ({ type: 'event', conversationId: 'c1', event } as const)
          : ({ type: 'live', conversationId: 'c1', event } as const),
      ),
    )
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  })
const live = (append: string): LiveEvent => ({
  type: 'live-block',
  agentId: 'a',
  index: 0,
  kind: 'text',
  name: '',
  append,
})

test('is a log without live announcements, named after its agent', async () => {
  await open([script.spawn('a'), script.says('a', 'hello')])
  const log = screen.getByRole('log', { name: 'Transcript of Main agent' })
  expect(log.getAttribute('aria-live')).toBe('off')
  expect(log.textContent).toContain('hello')
})

test('only visible rows are in the page', async () => {
  const events = [
    script.spawn('a'),
    ...Array.from({ length: 1000 }, (_, index) => script.says('a', `row ${index}`)),
  ]
  const { container } = await open(events)
  expect(container.querySelectorAll('[data-row]').length).toBeLessThan(30)
})

test('a text streams word by word, and stays the same element when it is finished', async () => {
  const { container } = await open([script.spawn('a'), script.says('a', 'before')])
  await push(live('The key is '), live('made '))
  await push(live('**once**'))
  expect(container.querySelector('strong')?.textContent).toBe('once')
  expect(container.querySelector('[data-caret]')).not.toBeNull()
  const strong = container.querySelector('strong')
  const position = strong?.closest('[data-selectable]')
  await push(
    { type: 'live-clear', agentId: 'a', reason: 'finished' },
    script.says('a', 'The key is made **once**'),
  )
  expect(container.querySelector('[data-caret]')).toBeNull()
  expect(container.querySelector('strong')).toBe(strong)
  // The element was not moved, so a selection in it stays.
  expect(strong?.closest('[data-selectable]')).toBe(position)
  expect(strong?.closest('[data-row]')).not.toBeNull()
  expect(container.textContent?.match(/The key is made once/g)).toHaveLength(1)
})

test('new rows stay in the tail until the window is idle; then older rows move to the list', async () => {
  const quiet: (() => void)[] = []
  vi.stubGlobal('requestIdleCallback', (run: () => void) => quiet.push(run))
  vi.stubGlobal('cancelIdleCallback', () => {})
  const { container } = await open([script.spawn('a'), script.says('a', 'first')])
  const inTail = () => container.querySelectorAll('[data-row]:not([data-index])').length
  for (let index = 0; index < 35; index++) await push(script.says('a', `row ${index}`))
  expect(inTail()).toBe(35)
  await act(async () => {
    for (const run of quiet) run()
  })
  expect(inTail()).toBe(10)
  expect(container.textContent).toContain('row 34')
})

test('an agent that waits for the user shows no cursor', async () => {
  const { container } = await open([script.spawn('a'), script.status('a', 'running')])
  expect(container.querySelector('.pulse-soft')).not.toBeNull()
  cleanup()
  const asking = await open([script.spawn('a'), script.status('a', 'running'), script.asks('a', 'r1')])
  expect(asking.container.querySelector('.pulse-soft')).toBeNull()
})

test('text streamed before the connection was lost is marked as discarded', async () => {
  const { container } = await open([script.spawn('a')])
  await push(live('half a sen'))
  await push({ type: 'live-clear', agentId: 'a', reason: 'retry' })
  expect(container.textContent).toContain('half a sen')
  expect(container.textContent).toContain('Retrying this part.')
})

test('find loads older pages, counts, wraps around, and closes with Escape', async () => {
  const first = [script.spawn('a'), script.says('a', 'a needle in the oldest page')]
  const { handle } = await open([script.says('a', 'another needle, needle')], [first])
  act(() => handle.current?.find())
  await act(async () => {})
  const field = screen.getByRole('textbox', { name: 'Find in Main agent' })
  await act(async () => {
    fireEvent.change(field, { target: { value: 'NEEDLE' } })
  })
  expect(bridge.inputsOf('agent.transcript').at(-1)).toMatchObject({ before: 2 })
  const bar = screen.getByRole('search', { name: 'Find in the transcript of Main agent' })
  expect(bar.textContent).toContain('3 of 3')
  fireEvent.keyDown(field, { key: 'Enter' })
  expect(bar.textContent).toContain('1 of 3')
  fireEvent.keyDown(field, { key: 'Enter', shiftKey: true })
  expect(bar.textContent).toContain('3 of 3')
  await act(async () => {
    fireEvent.change(field, { target: { value: 'nowhere' } })
  })
  expect(bar.textContent).toContain('Nothing found')
  fireEvent.keyDown(field, { key: 'Escape' })
  expect(screen.queryByRole('search')).toBeNull()
})

/** Types into find, and returns the bar. */
async function findText(handle: { readonly current: TranscriptHandle | null }, text: string) {
  act(() => handle.current?.find())
  await act(async () => {})
  await act(async () => {
    fireEvent.change(screen.getByRole('textbox', { name: 'Find in Main agent' }), { target: { value: text } })
  })
  return screen.getByRole('search', { name: 'Find in the transcript of Main agent' })
}

test('find counts rows that are not in the page, folded output and streaming text', async () => {
  const start = script.spawn('a')
  const rows = Array.from({ length: 500 }, (_, index) => script.says('a', `needle ${index}`))
  const { handle } = await open([start, ...rows])
  const bar = await findText(handle, 'needle')
  expect(bar.textContent).toContain('500 of 500')
  await push(script.says('a', 'one more **nee**dle'))
  expect(bar.textContent).toContain('500 of 501')
  await push(live('a needle that '), live('streams, needle'))
  await expect.poll(() => bar.textContent).toContain('500 of 503')
  await push(
    { type: 'live-clear', agentId: 'a', reason: 'finished' },
    script.says('a', 'a needle that streams, needle'),
  )
  expect(bar.textContent).toContain('500 of 503')
})

test('find opens what hides the match: a call in a group, a long message', async () => {
  const start = script.spawn('a')
  const calls = [0, 1, 2, 3].flatMap((id) => [script.uses('a', `t${id}`), script.toolEnds('a', `t${id}`)])
  const long = `${Array.from({ length: 200 }, (_, at) => `Line ${at}`).join('\n\n')}\n\nthe treasure`
  const { handle, container } = await open([start, ...calls, script.says('a', long)])
  expect(container.textContent).not.toContain('treasure')
  const bar = await findText(handle, 'treasure')
  expect(bar.textContent).toContain('1 of 1')
  await expect.poll(() => container.textContent).toContain('the treasure')
  expect(screen.getByRole('button', { name: /^Read 4 files/ }).getAttribute('aria-expanded')).toBe('false')
  await findText(handle, 'read')
  expect(screen.getByRole('button', { name: /^Read 4 files/ }).getAttribute('aria-expanded')).toBe('true')
})

test('a shown place is loaded, opened and marked until the user clicks', async () => {
  const old = [script.spawn('a'), script.says('a', 'the key is made once')]
  for (const id of ['r1', 'r2', 'r3']) old.push(script.uses('a', id), script.toolEnds('a', id))
  const older = old.slice(0, 2)
  const { container } = await open(
    Array.from({ length: 20 }, (_, index) => script.says('a', `row ${index}`)),
    [old.slice(2), older],
  )
  const marked = () => container.querySelector('[data-place]')
  const show = (sequence: number, text?: string) =>
    act(async () => {
      await showPlace({ conversationId: 'c1', agentId: 'a', sequence, ...(text && { text }) })
      for (let frame = 0; frame < 12; frame++) {
        await new Promise(requestAnimationFrame)
        fireEvent.scroll(screen.getByRole('log'))
      }
    })
  expect(bridge.inputsOf('agent.transcript')).toHaveLength(1)
  await show(1, 'KEY IS')
  expect(bridge.inputsOf('agent.transcript')).toHaveLength(3)
  expect(marked()?.textContent).toContain('the key is made once')
  // The call is one of several in a row, which are folded. Its end belongs to the same row.
  await show(old[5]?.seq ?? 0)
  expect(container.querySelectorAll('[data-place]')).toHaveLength(1)
  expect(marked()?.getAttribute('data-call')).toBe('tool:r2')
  fireEvent.pointerDown(screen.getByRole('log'))
  expect(marked()).toBeNull()
})

test('Escape closes find also while the focus is elsewhere, and is handled then', async () => {
  const { handle } = await open([script.spawn('a'), script.says('a', 'hello')])
  act(() => handle.current?.find())
  await act(async () => {})
  const outside = document.createElement('textarea')
  document.body.append(outside)
  const inDialog = document.createElement('div')
  inDialog.setAttribute('role', 'dialog')
  document.body.append(inDialog)
  fireEvent.keyDown(inDialog, { key: 'Escape' })
  expect(screen.queryByRole('search')).not.toBeNull()
  expect(fireEvent.keyDown(outside, { key: 'Escape' })).toBe(false)
  expect(screen.queryByRole('search')).toBeNull()
  expect(fireEvent.keyDown(outside, { key: 'Escape' })).toBe(true)
  outside.remove()
  inDialog.remove()
})

test('Ctrl F opens find in the focused transcript', async () => {
  await open([script.spawn('a'), script.says('a', 'hello')])
  fireEvent.keyDown(screen.getByRole('log'), { key: 'f', ctrlKey: true })
  expect(screen.getByRole('search', { name: 'Find in the transcript of Main agent' })).toBeTruthy()
})

test('read-only calls in a row are one row, also as they arrive; find opens it', async () => {
  const calls = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => [
      script.uses('a', `t${from + index}`),
      script.toolEnds('a', `t${from + index}`),
    ]).flat()
  const { handle } = await open([script.spawn('a'), ...calls(0, 2)])
  expect(screen.getAllByRole('button', { name: /^Read/ })).toHaveLength(2)
  await push(...calls(2, 8))
  expect(screen.getAllByRole('button', { name: /^Read/ })).toHaveLength(1)
  expect(screen.getByRole('button', { name: /^Read 8 files/ }).getAttribute('aria-expanded')).toBe('false')
  act(() => handle.current?.find())
  await act(async () => {
    fireEvent.change(screen.getByRole('textbox', { name: 'Find in Main agent' }), {
      target: { value: 'read' },
    })
  })
  expect(screen.getByRole('button', { name: /^Read 8 files/ }).getAttribute('aria-expanded')).toBe('true')
})

test('Home goes to the very start: it loads all pages and stays there while rows are measured', async () => {
  const rows = [script.spawn('a'), ...Array.from({ length: 40 }, (_, at) => script.says('a', `row ${at}`))]
  const [oldest, older, newest] = [rows.slice(0, 10), rows.slice(10, 20), rows.slice(20)]
  await open(newest, [older, oldest])
  const log = screen.getByRole('log')
  log.scrollTop = 700
  expect(fireEvent.keyDown(log, { key: 'Home' })).toBe(false)
  expect(log.scrollTop).toBe(0)
  // Rows that are measured or loaded above move the view.
  log.scrollTop = 900
  await expect.poll(() => log.scrollTop).toBe(0)
  await expect.poll(() => bridge.inputsOf('agent.transcript')).toHaveLength(3)
  expect(screen.queryByRole('button', { name: 'To the end' })).not.toBeNull()
  expect(fireEvent.keyDown(log, { key: 'End' })).toBe(false)
  expect(screen.queryByRole('button', { name: 'To the end' })).toBeNull()
})

test('PageUp and PageDown scroll by less than a page; keys in fields are theirs', async () => {
  const { handle } = await open([script.spawn('a'), script.says('a', 'hello')])
  const log = screen.getByRole('log')
  log.scrollTop = 1000
  fireEvent.keyDown(log, { key: 'PageUp' })
  expect(log.scrollTop).toBe(640)
  fireEvent.keyDown(log, { key: 'PageDown' })
  expect(log.scrollTop).toBe(1000)
  expect(fireEvent.keyDown(log, { key: 'Home', shiftKey: true })).toBe(true)
  await findText(handle, 'hello')
  expect(fireEvent.keyDown(screen.getByRole('textbox'), { key: 'Home' })).toBe(true)
})

const TO_END = { name: 'To the end' }
const changeSelection = (change: (selection: Selection) => void) =>
  act(async () => {
    const selection = getSelection()
    if (selection) change(selection)
  })

test('what the user sends brings the end into view', async () => {
  await open([script.spawn('a'), script.receives('a', 'go', 'user'), script.says('a', 'hello')])
  await changeSelection((selection) => selection.selectAllChildren(screen.getByText('hello')))
  await push(script.says('a', 'more'))
  expect(screen.queryByRole('button', { name: '1 new' })).not.toBeNull()
  await push(script.receives('a', 'and now', 'user'))
  expect(screen.queryByRole('button', { name: /new|To the end/ })).toBeNull()
})

test('selected text stops following; without a selection it follows again', async () => {
  await open([script.spawn('a'), script.says('a', 'hello')])
  expect(screen.queryByRole('button', TO_END)).toBeNull()
  await changeSelection((selection) => selection.selectAllChildren(screen.getByText('hello')))
  expect(screen.queryByRole('button', TO_END)).not.toBeNull()
  // Neither scroll events nor new rows follow the end now.
  fireEvent.scroll(screen.getByRole('log'))
  await push(script.says('a', 'more'))
  expect(screen.queryByRole('button', { name: '1 new' })).not.toBeNull()
  await changeSelection((selection) => selection.removeAllRanges())
  expect(screen.queryByRole('button', { name: /new|To the end/ })).toBeNull()
})

test('a selection outside does not stop following', async () => {
  await open([script.spawn('a'), script.says('a', 'hello')])
  const outside = document.createElement('p')
  outside.textContent = 'outside'
  document.body.append(outside)
  await changeSelection((selection) => selection.selectAllChildren(outside))
  expect(screen.queryByRole('button', TO_END)).toBeNull()
  outside.remove()
})

test('a pointer selection is limited to the transcript in which it starts', async () => {
  await open([script.spawn('a'), script.says('a', 'hello')])
  const log = screen.getByRole('log')
  fireEvent.pointerDown(log, { button: 0 })
  expect(log.hasAttribute('data-selection-origin')).toBe(true)
  expect(document.documentElement.hasAttribute('data-selecting')).toBe(true)
  const outside = document.createElement('p')
  outside.textContent = 'outside'
  document.body.append(outside)
  const anchor = screen.getByText('hello').firstChild
  if (anchor === null) throw new Error('no text')
  await changeSelection((selection) => selection.setBaseAndExtent(anchor, 1, outside, 1))
  fireEvent.pointerUp(window)
  expect(getSelection()?.toString()).toBe('ello')
  await changeSelection((selection) => selection.setBaseAndExtent(anchor, 1, outside, 1))
  expect(getSelection()?.toString()).toBe('ello')
  outside.remove()
  expect(log.hasAttribute('data-selection-origin')).toBe(false)
  expect(document.documentElement.hasAttribute('data-selecting')).toBe(false)
})

test('Ctrl A selects the transcript, and copying it then includes older pages', async () => {
  const written: string[] = []
  vi.stubGlobal('navigator', {
    ...navigator,
    clipboard: { writeText: async (text: string) => written.push(text) },
  })
  const first = [script.spawn('a'), script.says('a', 'the oldest')]
  await open([script.says('a', 'the newest')], [first])
  const log = screen.getByRole('log')
  expect(fireEvent.keyDown(log, { key: 'a', ctrlKey: true })).toBe(false)
  expect(getSelection()?.toString()).toContain('the newest')
  await act(async () => {
    expect(fireEvent.copy(log)).toBe(false)
  })
  expect(written).toEqual(['**Main agent:** the oldest\n\n**Main agent:** the newest'])
  // Only a part is selected: the system copies it.
  await changeSelection((selection) => selection.selectAllChildren(screen.getByText('the newest')))
  expect(fireEvent.copy(log)).toBe(true)
})

test('Ctrl A in the field of find stays in the field', async () => {
  const { handle } = await open([script.spawn('a'), script.says('a', 'hello')])
  act(() => handle.current?.find())
  await act(async () => {})
  const field = screen.getByRole('textbox', { name: 'Find in Main agent' })
  expect(fireEvent.keyDown(field, { key: 'a', ctrlKey: true })).toBe(true)
})

test('copying includes older pages', async () => {
  const written: string[] = []
  vi.stubGlobal('navigator', {
    ...navigator,
    clipboard: { writeText: async (text: string) => written.push(text) },
  })
  const first = [script.spawn('a'), script.says('a', 'the oldest')]
  const { handle } = await open([script.says('a', 'the newest')], [first])
  let copied: boolean | undefined
  await act(async () => {
    copied = await handle.current?.copyAll()
  })
  expect(copied).toBe(true)
  expect(written).toEqual(['**Main agent:** the oldest\n\n**Main agent:** the newest'])
})

test('a copy masks secrets that tools printed', async () => {
  const written: string[] = []
  vi.stubGlobal('navigator', {
    ...navigator,
    clipboard: { writeText: async (text: string) => written.push(text) },
  })
  const { handle } = await open([
    script.spawn('a'),
    script.says('a', 'It printed DB_PASSWORD=correct-horse.'),
  ])
  await act(async () => {
    await handle.current?.copyAll()
  })
  expect(written).toEqual(['**Main agent:** It printed DB_PASSWORD=[secret]'])
})

test('an unreadable transcript shows the failure and can be retried', async () => {
  bridge.answer({})
  await open([])
  cleanup()
  resetTranscripts('c1')
  bridge.answer({
    'agent.transcript': () => {
      throw new Error('The disk does not answer.')
    },
  })
  render(
    <TooltipProvider>
      <Transcript agentId="a" />
    </TooltipProvider>,
  )
  await act(async () => {})
  expect(screen.getByRole('log').textContent).toContain('The disk does not answer.')
  bridge.answer({
    'agent.transcript': () => ({
      events: [script.spawn('a'), script.says('a', 'here')],
      older: false,
      live: [],
    }),
  })
  await act(async () => {
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  })
  expect(screen.getByRole('log').textContent).toContain('here')
})
