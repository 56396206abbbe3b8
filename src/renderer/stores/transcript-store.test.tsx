import { act, cleanup, render } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AgentEvent, LiveEvent } from '../../shared/events/agent-event.ts'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import { SampleLog } from '../../shared/testing/sample-log.ts'
import { rowText, type TranscriptPage } from '../../shared/transcript/transcript-rows.ts'
import { deferred } from '../testing/deferred.ts'
import { type FakeBridge, installFakeBridge } from '../testing/fake-bridge.ts'
import {
  receiveTranscripts,
  resetTranscripts,
  transcriptOf,
  useLiveOutput,
  useTranscript,
} from './transcript-store.ts'

let bridge: FakeBridge
let script: SampleLog

afterEach(cleanup)

beforeEach(() => {
  script = new SampleLog()
  bridge = installFakeBridge()
  resetTranscripts('c1')
})

const event = (event: AgentEvent): WindowDelta => ({ type: 'event', conversationId: 'c1', event })
const live = (event: LiveEvent): WindowDelta => ({ type: 'live', conversationId: 'c1', event })
const text = (append: string, index = 0): LiveEvent => ({
  type: 'live-block',
  agentId: 'a',
  index,
  kind: 'text',
  name: '',
  append,
})
const page = (events: readonly AgentEvent[], more: Partial<TranscriptPage> = {}): TranscriptPage => ({
  events,
  older: false,
  live: [],
  ...more,
})

/** Shows what a panel would show: the texts of the rows, then of the live blocks. */
function Panel({ agentId = 'a' }: { readonly agentId?: string }) {
  const view = useTranscript(agentId)
  return (
    <ol data-phase={view.phase} data-version={view.version}>
      {view.rows.map((row) => (
        <li key={row.key}>{row.kind === 'tool' ? `${row.name} ${row.note}` : rowText(row)}</li>
      ))}
      {view.discarded.map((block) => (
        <li key={`void-${block.index}`}>void: {block.text}</li>
      ))}
      {view.live.map((block) => (
        <li key={`live-${block.index}`}>{block.text}…</li>
      ))}
    </ol>
  )
}

function RowsWatcher({ onRows }: { readonly onRows: (rows: readonly unknown[]) => void }) {
  onRows(useTranscript('a').rows)
  return null
}

function Output() {
  return <pre>{useLiveOutput('a', 't1')}</pre>
}

const lines = (container: HTMLElement) =>
  [...container.querySelectorAll('li')].map((line) => line.textContent)

async function openPanel() {
  const view = render(<Panel />)
  await act(async () => {})
  return view.container
}

test('events that arrive while a page loads are neither lost nor duplicated', async () => {
  const log = [script.spawn('a'), script.says('a', 'one'), script.says('a', 'two'), script.says('a', 'three')]
  const answer = deferred<TranscriptPage>()
  bridge.answer({ 'agent.transcript': () => answer.promise })
  const container = await openPanel()
  act(() => receiveTranscripts([event(log[2]!), event(log[3]!)]))
  expect(lines(container)).toEqual([])
  await act(async () => answer.resolve(page(log.slice(0, 3))))
  expect(lines(container)).toEqual(['one', 'two', 'three'])
})

test('a gap loads the page again', async () => {
  const log = [script.spawn('a'), script.says('a', 'one')]
  bridge.answer({ 'agent.transcript': () => page(log) })
  const container = await openPanel()
  log.push(script.says('a', 'lost'), script.says('a', 'three'))
  await act(async () => receiveTranscripts([event(log[3]!)]))
  expect(lines(container)).toEqual(['one', 'lost', 'three'])
})

test('a log with a gap on disk is shown without endless requests', async () => {
  const log = [script.spawn('a'), script.says('a', 'one')]
  bridge.answer({ 'agent.transcript': () => page(log) })
  const container = await openPanel()
  script.says('a', 'never written')
  await act(async () => receiveTranscripts([event(script.says('a', 'three'))]))
  expect(lines(container)).toEqual(['one', 'three'])
  expect(bridge.inputsOf('agent.transcript')).toHaveLength(2)
})

test('streamed text grows, and its message replaces it without a gap', async () => {
  bridge.answer({ 'agent.transcript': () => page([script.spawn('a')], { live: [text('It ')] }) })
  const container = await openPanel()
  act(() => receiveTranscripts([live(text('wor')), live(text('ks.'))]))
  expect(lines(container)).toEqual(['It works.…'])
  act(() => receiveTranscripts([live({ type: 'live-clear', agentId: 'a', reason: 'finished' })]))
  expect(lines(container)).toEqual(['It works.…'])
  act(() => receiveTranscripts([event(script.says('a', 'It works.'))]))
  expect(lines(container)).toEqual(['It works.'])
  act(() => receiveTranscripts([live(text('More', 1)), live(text('First', 0))]))
  expect(lines(container)).toEqual(['It works.', 'First…', 'More…'])
})

test('a duplicate of an old event does not end the current stream', async () => {
  const log = [script.spawn('a'), script.says('a', 'one')]
  bridge.answer({ 'agent.transcript': () => page(log, { live: [text('two is com')] }) })
  const container = await openPanel()
  act(() => receiveTranscripts([event(log[1]!), live(text('ing'))]))
  expect(lines(container)).toEqual(['one', 'two is coming…'])
})

test('text streamed before a retry is marked as discarded until more text arrives', async () => {
  bridge.answer({ 'agent.transcript': () => page([script.spawn('a')]) })
  const container = await openPanel()
  act(() =>
    receiveTranscripts([live(text('half a')), live({ type: 'live-clear', agentId: 'a', reason: 'retry' })]),
  )
  expect(lines(container)).toEqual(['void: half a'])
  act(() => receiveTranscripts([live(text('again'))]))
  expect(lines(container)).toEqual(['again…'])
})

test('a tool call split across pages is complete once the older page loads', async () => {
  const older = [script.spawn('a'), script.says('a', 'one'), script.uses('a', 't1')]
  const newer = [script.toolEnds('a', 't1', '412 lines'), script.says('a', 'two')]
  bridge.answer({
    'agent.transcript': ({ before }) => (before === null ? page(newer, { older: true }) : page(older)),
  })
  const container = await openPanel()
  expect(lines(container)).toEqual(['two'])
  await act(() => transcriptOf('a').loadOlder())
  expect(lines(container)).toEqual(['one', 'Read 412 lines', 'two'])
  expect(bridge.inputsOf('agent.transcript').map((input) => input.before)).toEqual([null, newer[0]?.seq])
  await act(() => transcriptOf('a').loadOlder())
  expect(bridge.inputsOf('agent.transcript')).toHaveLength(2)
})

test('an append does not copy the rows, and a batch renders once', async () => {
  const log = [
    script.spawn('a'),
    ...Array.from({ length: 500 }, (_, index) => script.says('a', `line ${index}`)),
  ]
  bridge.answer({ 'agent.transcript': () => page(log) })
  const seen: (readonly unknown[])[] = []
  render(<RowsWatcher onRows={(rows) => seen.push(rows)} />)
  await act(async () => {})
  const before = seen.length
  act(() => receiveTranscripts([event(script.says('a', 'x')), event(script.says('a', 'y'))]))
  expect(seen.length).toBe(before + 1)
  expect(seen.at(-1)).toBe(seen.at(-2))
  expect(seen.at(-1)).toHaveLength(502)
})

test('pages back to an event are loaded one after the other and shown at once', async () => {
  const all = [script.spawn('a'), ...Array.from({ length: 9 }, (_, at) => script.says('a', `row ${at}`))]
  bridge.answer({
    'agent.transcript': ({ before }) => {
      const end = before ?? all.length
      const start = Math.max(0, end - 2)
      return page(all.slice(start, end), { older: start > 0 })
    },
  })
  const shown = new Set<readonly unknown[]>()
  render(<RowsWatcher onRows={(rows) => shown.add(rows)} />)
  await act(async () => {})
  const before = shown.size
  await act(() => transcriptOf('a').loadBackTo(3))
  expect(bridge.inputsOf('agent.transcript').map((input) => input.before)).toEqual([null, 8, 6, 4])
  expect(shown.size).toBe(before + 1)
  expect(transcriptOf('a').getView()).toMatchObject({ older: true, loadingOlder: false })
  const indexes = transcriptOf('a').rowsOfEvent(3)
  expect(indexes.map((index) => transcriptOf('a').getView().rows[index])).toMatchObject([{ text: 'row 2' }])
})

test('the main process receives the wanted agents once per batch of changes', async () => {
  bridge.answer({ 'agent.transcript': ({ agentId }) => page([script.spawn(agentId)]) })
  const { rerender, unmount } = render(
    <>
      <Panel agentId="a" />
      <Panel agentId="a" />
      <Panel agentId="b" />
    </>,
  )
  await act(async () => {})
  rerender(<Panel agentId="a" />)
  await act(async () => {})
  unmount()
  await act(async () => {})
  expect(bridge.inputsOf('agent.watch').map((input) => input.agentIds)).toEqual([['a', 'b'], ['a'], []])
  expect(bridge.inputsOf('agent.transcript')).toHaveLength(2)
})

test('a reopened panel has its rows at once and receives new events', async () => {
  const log = [script.spawn('a'), script.says('a', 'one')]
  bridge.answer({ 'agent.transcript': () => page(log) })
  const { unmount } = render(<Panel />)
  await act(async () => {})
  unmount()
  log.push(script.says('a', 'two'))
  const again = render(<Panel />)
  expect(lines(again.container)).toEqual(['one'])
  await act(async () => {})
  expect(lines(again.container)).toEqual(['one', 'two'])
})

test('an unreadable transcript shows the reason and can be retried', async () => {
  let broken = true
  bridge.answer({
    'agent.transcript': () => {
      if (broken) throw new Error('The file is gone.')
      return page([script.spawn('a'), script.says('a', 'back')])
    },
  })
  const container = await openPanel()
  expect(container.querySelector('ol')?.dataset['phase']).toBe('failed')
  broken = false
  await act(() => transcriptOf('a').open())
  expect(lines(container)).toEqual(['back'])
})

test('output of a running tool reaches its row, keeps its end, and disappears when the tool ends', async () => {
  bridge.answer({ 'agent.transcript': () => page([script.spawn('a'), script.uses('a', 't1')]) })
  const { container } = render(
    <>
      <Panel />
      <Output />
    </>,
  )
  await act(async () => {})
  const print = (append: string) =>
    act(() => receiveTranscripts([live({ type: 'live-output', agentId: 'a', toolUseId: 't1', append })]))
  print('RUN ')
  print('ok')
  const shown = () => container.querySelector('pre')?.textContent ?? ''
  expect(shown()).toBe('RUN ok')
  print('x'.repeat(200_000))
  print('the end')
  expect(shown().length).toBeLessThan(200_000)
  expect(shown().endsWith('the end')).toBe(true)
  act(() => receiveTranscripts([event(script.toolEnds('a', 't1'))]))
  expect(shown()).toBe('')
})
