import { act, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { snapshotOf } from '../../../shared/testing/sample-log.ts'
import type { Verification } from '../../../shared/verification/verification.ts'
import { dismissVerdict } from '../../features/verification/verifications.ts'
import { madeUpWorktree, textChange } from '../../features/worktrees/testing/review-world.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { prepareReview, showReview } from './testing/review-stage.tsx'

const user = userEvent.setup()
prepareReview()

const failed: Verification = {
  id: 'v-1',
  owner: null,
  digest: 'tree-1',
  base: 'tree-0',
  state: 'done',
  startedBy: 'user',
  agentId: 'verifier',
  verdict: 'failed',
  summary: 'Empty lines are dropped.',
  evidence: [{ claim: 'A test fails', command: 'npm test', exitCode: 1, location: null }],
  at: 1,
}
const ONE = madeUpWorktree(
  { id: 'one', agentName: 'refactorer', task: 'One key' },
  { changes: [textChange('src/a.ts', 'a\n', 'b\n')] },
)

function know(...verifications: readonly Verification[]) {
  const { record } = snapshotOf('c1')
  act(() =>
    useConversation.setState({
      conversationId: 'c1',
      readOnly: false,
      record: { ...record, verifications: [...verifications] },
    }),
  )
}

test.for([
  { what: 'without a worktree', worktrees: [] },
  { what: 'above the worktrees', worktrees: [ONE] },
])('the verdict on the folder’s own changes is shown $what', async ({ worktrees }) => {
  const { bridge } = await showReview(worktrees)
  const name = { name: 'Verification of the folder' }
  bridge.answer({ 'verification.states': () => ({}) })
  know({ ...failed, owner: 'author' })
  expect(screen.queryByRole('region', name)).toBeNull()
  know({ ...failed, state: 'running', verdict: null })
  const shown = () => within(screen.getByRole('region', name))
  expect(shown().getByText('Being verified')).toBeTruthy()
  expect(shown().queryByRole('button', { name: 'Verify again' })).toBeNull()
  know(failed)
  // The conversation's card is gone; Review keeps the verdict.
  act(() => dismissVerdict('v-1'))
  expect(shown().getByText('Verification failed')).toBeTruthy()
  expect(shown().getByText('Empty lines are dropped.')).toBeTruthy()
  expect(within(shown().getByRole('list', { name: 'Evidence' })).getAllByRole('listitem')).toHaveLength(1)
  await user.click(shown().getByRole('button', { name: 'Verify again' }))
  expect(bridge.inputsOf('verification.start')).toEqual([{ conversationId: 'c1', owner: null }])
  await user.click(shown().getByRole('button', { name: 'Show verifier' }))
  expect(useSession.getState().view).toBe('stage')
})
