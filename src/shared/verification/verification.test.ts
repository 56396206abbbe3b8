import { expect, test } from 'vitest'
import { conversationEvent } from '../events/conversation.ts'
import type { ConversationEvent } from '../events/conversation-event.ts'
import { emptyConversation, foldConversation } from '../state/conversation-state.ts'
import {
  evidenceText,
  isStartedByProgram,
  type Verification,
  verificationFixRequest,
} from './verification.ts'

const offered: Verification = {
  id: 'v-1',
  owner: null,
  digest: 'tree',
  base: 'base',
  state: 'offered',
  startedBy: null,
  agentId: null,
  verdict: null,
  summary: '',
  evidence: [],
  at: 5,
}

const events = (...drafts: readonly object[]): readonly ConversationEvent[] =>
  drafts.map((draft, seq) =>
    conversationEvent.parse({ v: 1, conversationId: 'c', seq, order: seq, at: 10 + seq, ...draft }),
  )

const created = {
  type: 'conversation-created',
  folder: '/work',
  title: '',
  named: false,
  mainAgentId: 'main',
  agentIds: ['main'],
  createdAt: 0,
  updatedAt: 0,
  rehearsal: false,
}
const { state: _, at: _at, ...common } = offered
const verified = {
  ...common,
  type: 'work-verified',
  startedBy: 'user',
  agentId: 'a',
  verdict: 'failed',
  summary: 'It breaks.',
  evidence: [{ claim: 'Red', command: 'npm test', exitCode: 1, location: null }],
}

test('an older conversation has no verifications; the events of one add up to its verdict', () => {
  const record = (...more: readonly object[]) =>
    foldConversation(emptyConversation, events(created, ...more)).record?.verifications
  expect(record()).toEqual([])
  const asked = { type: 'verification-changed', verification: offered }
  const running = {
    ...asked,
    verification: { ...offered, state: 'running', startedBy: 'user', agentId: 'a' },
  }
  expect(record(asked)).toEqual([offered])
  expect(record(asked, running)).toMatchObject([{ state: 'running', agentId: 'a' }])
  expect(record(asked, running, verified)).toEqual([
    expect.objectContaining({ id: 'v-1', state: 'done', verdict: 'failed', digest: 'tree', at: 13 }),
  ])
  // A verifier that an agent started was never offered.
  expect(record(asked, { ...verified, id: 'v-2', startedBy: 'agent' })).toHaveLength(2)
})

test('only a verifier that the program started leaves the main agent asleep', () => {
  const one = { ...offered, agentId: 'a', startedBy: 'setting' as const }
  expect(isStartedByProgram([one], 'a')).toBe(true)
  expect(isStartedByProgram([one], 'b')).toBe(false)
  expect(isStartedByProgram([{ ...one, startedBy: 'agent' }], 'a')).toBe(false)
})

test('the request to fix has everything that was found', () => {
  const evidence = { claim: 'Red', command: 'npm test', exitCode: 1, location: 'a.ts:3' }
  expect(evidenceText(evidence)).toBe('Red (`npm test`, exit code 1, a.ts:3)')
  const text = verificationFixRequest({ summary: 'It breaks.', evidence: [evidence] })
  expect(text).toContain('It breaks.\n\n- Red (`npm test`, exit code 1, a.ts:3)')
  expect(verificationFixRequest({ summary: '', evidence: [] })).not.toContain('\n')
})
