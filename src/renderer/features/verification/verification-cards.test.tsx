import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SampleLog, snapshotOf, stateAfter } from '../../../shared/testing/sample-log.ts'
import type { Verification } from '../../../shared/verification/verification.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { onNotice } from '../../stores/overlay-store.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { TooltipProvider } from '../../ui/popover.tsx'
import { ReviewVerification } from './review-verification.tsx'
import { VerificationCards } from './verification-cards.tsx'
import { useVerificationStore } from './verifications.ts'

let bridge: FakeBridge
const user = userEvent.setup()
const onOpenAgent = vi.fn()

const offered: Verification = {
  id: 'v-1',
  owner: null,
  digest: 'tree-1',
  base: 'tree-0',
  state: 'offered',
  startedBy: null,
  agentId: null,
  verdict: null,
  summary: '',
  evidence: [],
  at: 1,
}
const failed: Verification = {
  ...offered,
  state: 'done',
  startedBy: 'user',
  agentId: 'verifier',
  verdict: 'failed',
  summary: 'Empty lines are dropped.',
  evidence: [
    { claim: 'A test fails', command: 'npm test', exitCode: 1, location: null },
    { claim: 'Lines are skipped', command: null, exitCode: null, location: 'src/parse.ts:12' },
  ],
}

function know(...verifications: readonly Verification[]) {
  const script = new SampleLog()
  const author = stateAfter([
    script.spawn('author', { parentId: 'main', task: 'fix the parser' }),
    script.next('author', {
      type: 'agent-ended',
      status: 'completed',
      report: '',
      failure: null,
      reachedLimit: null,
      limitOf: null,
    }),
  ])
  const { record } = snapshotOf('c1')
  act(() =>
    useConversation.setState({
      conversationId: 'c1',
      readOnly: false,
      record: { ...record, verifications: [...verifications] },
      agents: new Map([['author', author]]),
    }),
  )
}

beforeEach(() => {
  bridge = installFakeBridge({ 'verification.states': () => ({}) })
  useVerificationStore.setState({ since: {}, dismissed: new Set(), busy: false })
  onOpenAgent.mockClear()
})
afterEach(cleanup)

function open(...verifications: readonly Verification[]) {
  know(...verifications)
  render(<VerificationCards onOpenAgent={onOpenAgent} />, { wrapper: TooltipProvider })
}

test('the question is answered for all changes at once, from the keyboard', async () => {
  open(offered, { ...offered, id: 'v-2', owner: 'author' })
  expect(screen.getByText(/The folder, and the worktree of fix the parser/)).toBeTruthy()
  screen.getByRole('button', { name: 'Verify' }).focus()
  await user.keyboard('{Enter}')
  await waitFor(() => expect(bridge.inputsOf('verification.answer')).toHaveLength(2))
  expect(bridge.inputsOf('verification.answer')).toEqual([
    { conversationId: 'c1', id: 'v-1', verify: true },
    { conversationId: 'c1', id: 'v-2', verify: true },
  ])
})

test('Not now declines, and a declined question is gone', async () => {
  open(offered)
  await user.click(screen.getByRole('button', { name: 'Not now' }))
  expect(bridge.inputsOf('verification.answer')).toEqual([{ conversationId: 'c1', id: 'v-1', verify: false }])
  know({ ...offered, state: 'declined' })
  expect(screen.queryByText(/Verify these changes/)).toBeNull()
})

test('a failed verdict shows its evidence, and one button sends it to the agent', async () => {
  open(failed)
  const card = screen.getByRole('region', { name: 'Verification failed' })
  expect(within(card).getByText('Empty lines are dropped.')).toBeTruthy()
  const evidence = within(card).getByRole('list', { name: 'Evidence' })
  expect(evidence.textContent).toContain('npm test')
  expect(evidence.textContent).toContain('exit code 1')
  expect(evidence.textContent).toContain('src/parse.ts:12')
  await user.click(within(card).getByRole('button', { name: 'Show verifier' }))
  expect(onOpenAgent).toHaveBeenCalledWith('verifier')
  await user.click(within(card).getByRole('button', { name: 'Send to the agent to fix' }))
  const [sent] = bridge.inputsOf('conversation.send')
  expect(sent).toMatchObject({ conversationId: 'c1', agentId: null })
  expect(sent?.content).toContain('Empty lines are dropped.')
  expect(sent?.content).toContain('- A test fails (`npm test`, exit code 1)')
  await waitFor(() => expect(screen.queryByRole('region')).toBeNull())
})

test('a verdict about older files says so, and offers to verify again', async () => {
  bridge.answer({ 'verification.states': () => ({ 'v-1': 'changed' }) })
  open({ ...failed, verdict: 'passed', evidence: [] })
  expect(await screen.findByText('files changed since')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Verify again' }))
  expect(bridge.inputsOf('verification.start')).toEqual([{ conversationId: 'c1', owner: null }])
})

test('a refused start says why', async () => {
  bridge.answer({
    'verification.answer': () => {
      throw new Error('This question is no longer open.')
    },
  })
  const said: string[] = []
  const stop = onNotice(({ text }) => said.push(text))
  open(offered)
  await user.click(screen.getByRole('button', { name: 'Verify' }))
  await waitFor(() => expect(said).toEqual(['This question is no longer open.']))
  stop()
  expect(useVerificationStore.getState().busy).toBe(false)
})

test('Review verifies a worktree without a question, and shows its verdict', async () => {
  know()
  const props = { agentId: 'author', conversationId: 'c1', hasWork: true, onShowAgent: onOpenAgent }
  const { rerender } = render(<ReviewVerification {...props} />, { wrapper: TooltipProvider })
  await user.click(screen.getByRole('button', { name: 'Verify' }))
  expect(bridge.inputsOf('verification.start')).toEqual([{ conversationId: 'c1', owner: 'author' }])
  know({ ...failed, owner: 'author' })
  expect(screen.getByText('Verification failed')).toBeTruthy()
  expect(screen.getByRole('list', { name: 'Evidence' })).toBeTruthy()
  rerender(<ReviewVerification {...props} conversationId="other" />)
  expect(screen.queryByText('Verification failed')).toBeNull()
})
