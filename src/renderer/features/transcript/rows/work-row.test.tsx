import { cleanup, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SampleLog, stateAfter } from '../../../../shared/testing/sample-log.ts'
import type { SavedWork } from '../../../../shared/worktrees/worktree.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { useReview } from '../../../stores/review-store.ts'
import { useSession } from '../../../stores/session-store.ts'
import { installFakeBridge } from '../../../testing/fake-bridge.ts'
import { inTranscript } from '../testing/in-transcript.tsx'
import { RowView } from './row-view.tsx'

const WORK: SavedWork = {
  head: 'f00',
  commits: 3,
  files: 4,
  insertions: 61,
  deletions: 48,
  check: { kind: 'clean' },
  unchanged: false,
  committedAs: 'fallback',
  problems: ['Its commits are under the name “Troupe”.'],
}
const draw = (work: SavedWork) =>
  inTranscript(<RowView row={{ key: 'k', at: 1000, seq: 1, kind: 'work', work }} past={false} />)

beforeEach(() => {
  installFakeBridge()
})
afterEach(cleanup)

test('shows the result of the work, its notes, and a link to Review', async () => {
  const worktree = {
    id: 'a-91e42c',
    path: '/data/worktrees/shop/a-91e42c',
    branch: 'troupe/a-91e42c',
    base: 'b45e',
    from: '/work/shop',
    target: 'main',
    own: true,
    aliases: [],
  }
  const agent = stateAfter([new SampleLog().spawn('a', { worktree })])
  useConversation.setState({ agents: new Map([['a', agent]]) })
  draw(WORK)
  expect(screen.getByText('3 commits, 4 files +61 −48, merges cleanly.')).toBeTruthy()
  expect(screen.getByText('Its commits are under the name “Troupe”.')).toBeTruthy()
  await userEvent.setup().click(screen.getByRole('button', { name: 'Review' }))
  expect(useSession.getState().view).toBe('review')
  expect(useReview.getState().selectedId).toBe('a-91e42c')
})

test('without changes there is no link to Review', () => {
  draw({ ...WORK, unchanged: true })
  expect(screen.getByText('Nothing was changed, so its worktree is gone.')).toBeTruthy()
  expect(screen.queryByRole('button')).toBeNull()
})
