import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AgentEvent, AgentEventDraft } from '../../../../shared/events/agent-event.ts'
import { SampleLog, stateAfter } from '../../../../shared/testing/sample-log.ts'
import { TranscriptRows } from '../../../../shared/transcript/transcript-rows.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { type FakeBridge, installFakeBridge } from '../../../testing/fake-bridge.ts'
import { inTranscript } from '../testing/in-transcript.tsx'
import { RowView } from './row-view.tsx'

afterEach(cleanup)
let bridge: FakeBridge
beforeEach(() => {
  bridge = installFakeBridge()
})

const STARTED: AgentEventDraft = {
  ...{ type: 'user-command-started', commandId: 'u-1', command: 'npm test', cwd: '/work' },
}
const ENDED: AgentEventDraft = {
  ...{ type: 'user-command-ended', commandId: 'u-1', exitCode: 1, by: 'exit' },
  output: 'expected 1, got 2',
  ...{ durationMs: 20, outputFile: null },
}

/** The row after these events. */
function draw(drafts: readonly AgentEventDraft[]): void {
  const log = new SampleLog()
  const events: AgentEvent[] = [log.spawn('a')]
  for (const draft of drafts) events.push(log.next('a', draft))
  const agents = new Map([['a', stateAfter(events)]])
  useConversation.setState({ conversationId: 'c-1', agents, readOnly: false })
  const [row] = TranscriptRows.from(events).rows.filter(({ kind }) => kind === 'tool')
  if (row === undefined) throw new Error('There is no row.')
  inTranscript(<RowView row={row} past={false} />)
}

test('a running command of the user can be stopped', () => {
  draw([STARTED])
  expect(screen.getByRole('region', { name: 'Your command npm test' }).textContent).toContain('You ran')
  fireEvent.click(screen.getByRole('button', { name: 'Stop' }))
  expect(bridge.inputsOf('conversation.stopCommand')).toEqual([{ conversationId: 'c-1', commandId: 'u-1' }])
})

test('its output is shown, and the user decides whether the agent gets it', () => {
  draw([STARTED, ENDED])
  expect(screen.getByText('expected 1, got 2')).toBeTruthy()
  expect(screen.getByText('exit 1')).toBeTruthy()
  const share = screen.getByRole('checkbox', { name: 'Send output with your next message' })
  expect(share).toHaveProperty('checked', true)
  fireEvent.click(share)
  expect(bridge.inputsOf('conversation.shareCommand')).toEqual([
    { conversationId: 'c-1', commandId: 'u-1', share: false },
  ])
})

test('once it was sent, the choice is gone', () => {
  draw([STARTED, ENDED, { type: 'user-command-shared', commandId: 'u-1', sharing: 'sent' }])
  expect(screen.queryByRole('checkbox')).toBeNull()
  expect(screen.getByText('Sent to the agent.')).toBeTruthy()
})
