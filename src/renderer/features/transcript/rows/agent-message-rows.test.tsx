import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../../../shared/events/agent-event.ts'
import type { ToolRow, TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import type { SentMessage } from '../../../../shared/state/message-log.ts'
import { SampleLog, stateAfter } from '../../../../shared/testing/sample-log.ts'
import { rowForName } from '../../../../shared/tools/row-for-name.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { installFakeBridge } from '../../../testing/fake-bridge.ts'
import { inTranscript } from '../testing/in-transcript.tsx'
import { RowView } from './row-view.tsx'

afterEach(cleanup)
beforeEach(() => {
  installFakeBridge()
  useConversation.setState({ agents: new Map(), queued: [], childrenByToolUse: new Map(), needs: [] })
})

const base = { key: 'k', at: 1000, seq: 1 }

const sent = (message: Partial<SentMessage> = {}, more: Partial<ToolRow> = {}): ToolRow => ({
  ...base,
  kind: 'tool',
  toolUseId: 't1',
  name: 'SendMessage',
  call: rowForName('SendMessage'),
  input: { to: 'helper', message: 'Look at **b**, too.' },
  summary: 'helper: Look at b',
  status: 'done',
  note: 'queued',
  content: 'Your message becomes part of the next turn.',
  display: { kind: 'message', messageId: 'm-1', to: 'helper', how: 'queued', ...message },
  outputFile: null,
  startedAt: 1000,
  durationMs: 12,
  ...more,
})

const said = (more: Partial<Extract<TranscriptRow, { kind: 'user' }>>): TranscriptRow => ({
  ...base,
  kind: 'user',
  from: 'agent',
  messageId: 'm-1',
  sender: 'helper',
  text: 'Look at b, too.',
  images: [],
  ...more,
})

/** An agent called helper (named ada) with these events after its start. */
function helper(...more: ((script: SampleLog) => AgentEvent)[]): void {
  const script = new SampleLog()
  const events = [
    script.spawn('helper', { parentId: 'main', name: 'ada' }),
    script.status('helper', 'running'),
  ]
  for (const next of more) events.push(next(script))
  useConversation.setState({ agents: new Map([['helper', stateAfter(events)]]) })
}
const delivered = (script: SampleLog) =>
  script.next('helper', {
    type: 'user-message',
    messageId: 'm-1',
    from: 'agent',
    sender: 'main',
    content: [],
  })
const answers = (script: SampleLog) => script.says('helper', 'I did.')
const ends =
  (status: 'completed' | 'failed' | 'stopped', reachedLimit: 'turns' | null = null) =>
  (script: SampleLog) =>
    script.next('helper', {
      type: 'agent-ended',
      status,
      report: '',
      failure: null,
      reachedLimit,
      limitOf: null,
    })
const draw = (row: TranscriptRow, openAgent: ((agentId: string) => void) | null = null) =>
  inTranscript(<RowView row={row} past={false} />, { openAgent })
const shown = (name: RegExp) => screen.getByRole('region', { name }).textContent

test('a sent message shows receiver, text and delivery', () => {
  const openAgent = vi.fn<(agentId: string) => void>()
  helper()
  useConversation.setState({
    queued: [{ messageId: 'm-1', agentId: 'helper', text: '', from: 'agent', sender: 'main' }],
  })
  draw(sent(), openAgent)
  expect(shown(/Message to helper/)).toBe('To helper · adaqueuedLook at b, too.')
  act(() => {
    helper(delivered)
    useConversation.setState({ queued: [] })
  })
  expect(shown(/Message to helper/)).toContain('delivered')
  act(() => helper(delivered, answers))
  expect(shown(/Message to helper/)).toMatch(/ada\s*read/)
  fireEvent.click(screen.getByRole('button', { name: /helper/ }))
  expect(openAgent).toHaveBeenCalledWith('helper')
})

test('a message that resumed its receiver says so', () => {
  helper(delivered)
  draw(sent({ how: 'resumed' }))
  expect(shown(/Message to/)).toContain('resumed it · delivered')
})

test('a message to an unknown name is in the mailbox until an agent reads it', () => {
  draw(sent({ to: 'ada', how: 'mailbox' }))
  expect(shown(/Message to ada/)).toContain('To adain the mailbox')
  expect(screen.queryByRole('button', { name: /ada/ })).toBeNull()
  act(() => helper(delivered))
  expect(shown(/Message to helper/)).toContain('delivered')
})

test('the text is also read from the field’s other name', () => {
  draw(sent({}, { input: { recipient: 'helper', content: 'By another name.' } }))
  expect(shown(/Message to/)).toContain('By another name.')
})

test('a message that was not sent is a failed tool call', () => {
  draw(sent({}, { display: null, status: 'failed', note: 'not sent' }))
  expect(screen.getByRole('button', { name: /SendMessage.*Failed: not sent/ })).toBeTruthy()
})

test('a message from another agent names the agent and links to its panel', () => {
  const openAgent = vi.fn<(agentId: string) => void>()
  helper()
  draw(
    said({
      text: 'A message from the agent helper (ada). An agent wrote this, not the user.\n\nLook at b, too.',
    }),
    openAgent,
  )
  expect(shown(/Message from helper/)).toBe('From helper · adaLook at b, too.')
  fireEvent.click(screen.getByRole('button', { name: /helper/ }))
  expect(openAgent).toHaveBeenCalledWith('helper')
})

test('a sender in another conversation is shown by id, without a link', () => {
  draw(said({ sender: 'a-elsewhere' }))
  expect(shown(/Message from another agent/)).toContain('From a-elsewhere')
  expect(screen.queryByRole('button', { name: /elsewhere/ })).toBeNull()
})

const NOTICE =
  'An agent that worked in the background has ended (helper: one part).\n\nThe agent helper reports. An agent wrote this, not the user; the user has not seen it.\n\nAll is **well**.\n\n[agent helper · 3 turns]'

test('the end of a background agent is one line with the report folded', () => {
  helper(ends('completed'))
  const endedAt = useConversation.getState().agents.get('helper')?.endedAt
  draw(said({ from: 'runtime', messageId: `end-helper-${endedAt}`, text: NOTICE }))
  expect(shown(/Background agent helper completed/)).toBe('Background agent helper · adacompleted')
  fireEvent.click(screen.getByRole('button', { name: 'Show its report' }))
  expect(shown(/Background agent/)).toBe('Background agent helper · adacompletedAll is well.')
  fireEvent.click(screen.getByRole('button', { name: 'Fold its report' }))
  expect(shown(/Background agent/)).not.toContain('All is')
})

test.each([
  ['failed', ends('failed'), /helper failed/],
  ['stopped', ends('stopped'), /helper was stopped/],
  ['at a limit', ends('completed', 'turns'), /helper ended at a limit/],
] as const)('another end of a background agent says how: %s', (_, end, words) => {
  helper(end)
  const endedAt = useConversation.getState().agents.get('helper')?.endedAt
  draw(said({ from: 'runtime', messageId: `end-helper-${endedAt}`, text: NOTICE }))
  expect(shown(words)).toBeTruthy()
})

test.each([
  ['works again', []],
  ['has ended another way', [ends('failed')]],
] as const)('the first end of an agent that %s says only "ended"', (_, later) => {
  helper(ends('completed'))
  const endedAt = useConversation.getState().agents.get('helper')?.endedAt
  helper(ends('completed'), (script) => script.status('helper', 'running'), ...later)
  draw(said({ from: 'runtime', messageId: `end-helper-${endedAt}`, text: NOTICE }))
  expect(shown(/Background agent helper ended$/)).toBeTruthy()
})

test('notes from Troupe and tasks keep their form', () => {
  draw(said({ from: 'runtime', sender: null, text: 'Go on.' }))
  expect(screen.getByText('Note from Troupe')).toBeTruthy()
  draw(said({ from: 'parent', sender: null, text: 'Do it.' }))
  expect(screen.getByText('Its task')).toBeTruthy()
})
