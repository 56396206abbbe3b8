import { expect, test, vi } from 'vitest'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { createOutsideMerges } from '../open-folder-watches.ts'

const worktree = (agentId: string, commit: string | null) =>
  ({
    id: agentId,
    conversationId: agentId === 'z' ? 'other' : 'c',
    agentId,
    merged: commit && { into: 'main', commit, method: 'merge', at: 5, undoable: true },
  }) as unknown as ReviewWorktree

test('each merge in the list of worktrees is told once, and again after a failure', async () => {
  const tell = vi.fn(async (): Promise<Result<void>> => ok(undefined))
  const take = createOutsideMerges(tell)
  await take({ worktrees: [worktree('a', null)] })
  expect(tell).not.toHaveBeenCalled()
  tell.mockResolvedValueOnce(fail({ type: 'locked', message: 'Another Troupe has it.' }))
  const merged = { worktrees: [worktree('a', 'c1'), worktree('b', null)] }
  await take(merged)
  await take(merged)
  await take(merged)
  expect(tell).toHaveBeenCalledTimes(2)
  expect(tell).toHaveBeenLastCalledWith('c', [{ agentId: 'a', into: 'main', commit: 'c1', at: 5 }])
  await take({ worktrees: [...merged.worktrees, worktree('z', 'c9')] })
  expect(tell).toHaveBeenCalledTimes(3)
  expect(tell).toHaveBeenLastCalledWith('other', [{ agentId: 'z', into: 'main', commit: 'c9', at: 5 }])
})
