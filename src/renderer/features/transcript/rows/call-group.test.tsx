import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ToolRow } from '../../../../shared/events/transcript-row.ts'
import { SampleLog, stateAfter } from '../../../../shared/testing/sample-log.ts'
import { rowForName } from '../../../../shared/tools/row-for-name.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { installFakeBridge } from '../../../testing/fake-bridge.ts'
import { inTranscript } from '../testing/in-transcript.tsx'
import { RowView } from './row-view.tsx'

afterEach(cleanup)
beforeEach(() => {
  installFakeBridge()
  useConversation.setState({ agents: new Map() })
})

const call = (id: number, more: Partial<ToolRow> = {}, name = 'Read'): ToolRow => ({
  kind: 'tool',
  key: `t${id}`,
  seq: id,
  at: 0,
  toolUseId: `t${id}`,
  name,
  call: rowForName(name),
  input: {},
  summary: name === 'Read' ? `src/file-${id}.ts` : `pattern-${id}`,
  status: 'done',
  note: '12 lines',
  content: `content ${id}`,
  display: null,
  outputFile: null,
  startedAt: 0,
  durationMs: 1,
  ...more,
})
const row = (...calls: ToolRow[]) => (
  <RowView row={{ kind: 'group', key: 't1', seq: 1, at: 0, calls }} past={false} />
)
const names = () => screen.getAllByRole('button').map((button) => button.textContent)

test('a group is one line that opens to its calls, each with its own details', () => {
  inTranscript(row(call(1), call(2), call(3, {}, 'Grep')))
  const line = screen.getByRole('button', { name: /^Read 2 files.*searched 1 time.*file-1\.ts, file-2\.ts/ })
  expect(names()).toHaveLength(1)
  fireEvent.click(line)
  expect(line.getAttribute('aria-expanded')).toBe('true')
  expect(names()).toHaveLength(4)
  fireEvent.click(screen.getByRole('button', { name: /src\/file-2\.ts/ }))
  expect(document.body.textContent).toContain('content 2')
  fireEvent.click(line)
  expect(names()).toHaveLength(1)
})

test('searches alone, and one file read several times', () => {
  const { redraw } = inTranscript(row(call(1, {}, 'Grep'), call(2, {}, 'Grep'), call(3, {}, 'Glob')))
  expect(screen.getByRole('button', { name: /^Searched 3 times/ })).toBeTruthy()
  const again = { summary: 'src/a.ts' }
  redraw(row(call(1, again), call(2, again), call(3, again)))
  expect(screen.getByRole('button', { name: /^Read 1 file.*3 calls/ })).toBeTruthy()
})

test('a call that failed or waits is visible while the group is closed', () => {
  inTranscript(
    row(
      call(1),
      call(2, { status: 'failed', note: 'no such file' }),
      call(3),
      call(4, { status: 'waiting', note: '' }),
    ),
  )
  expect(screen.getByRole('button', { name: /^Read 2 files/ }).getAttribute('aria-expanded')).toBe('false')
  expect(screen.getByRole('button', { name: /file-2\.ts.*Failed: no such file/ })).toBeTruthy()
  expect(screen.getByRole('button', { name: /file-4\.ts.*waiting/ })).toBeTruthy()
  expect(names()).toHaveLength(3)
})

test('the line is live while calls run', () => {
  const { redraw } = inTranscript(row(call(1), call(2), call(3, { status: 'running' })))
  expect(screen.getByRole('button', { name: /^Read 3 files.*running/ })).toBeTruthy()
  redraw(row(call(1), call(2), call(3), call(4, { status: 'running' })))
  expect(screen.getByRole('button', { name: /^Read 4 files.*running/ })).toBeTruthy()
  redraw(row(call(1), call(2), call(3), call(4)))
  expect(screen.getByRole('button', { name: /^Read 4 files/ }).textContent).not.toContain('running')
})

test('a call that the end of the program interrupted is visible', () => {
  const script = new SampleLog()
  const ended = { type: 'agent-ended', status: 'interrupted', report: '', failure: null } as const
  const state = stateAfter([
    script.spawn('a'),
    script.next('a', { ...ended, reachedLimit: null, limitOf: null }),
  ])
  inTranscript(row(call(1), call(2), call(3, { status: 'running' })))
  act(() => useConversation.setState({ agents: new Map([['a', state]]) }))
  expect(screen.getByRole('button', { name: /file-3\.ts.*Failed: interrupted/ })).toBeTruthy()
})

test('with fewer than two calls to fold there is no line', () => {
  inTranscript(row(call(1), call(2, { status: 'failed' }), call(3, { status: 'failed' })))
  expect(names()).toHaveLength(3)
  expect(screen.queryByRole('button', { name: /^Read 1 file/ })).toBeNull()
})
