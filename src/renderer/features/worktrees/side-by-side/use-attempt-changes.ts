/** Loads the changed files of several worktrees, again after each change. */
import { useEffect, useRef, useState } from 'react'
import type { ReviewChanges, ReviewSnapshot } from '../../../../shared/worktrees/review.ts'
import { command } from '../../../bridge.ts'
import { stampOf } from '../use-changes.ts'

export interface AttemptChanges {
  /** The newest known changes; null until the first load. */
  readonly value: ReviewChanges | null
  /** Why the newest load failed; null: it did not. */
  readonly failure: string | null
}

interface Request {
  readonly stamp: unknown
  readonly number: number
}

/** By worktree. `ids`: worktrees; those that are gone are left out. */
export function useAttemptChanges(
  snapshot: ReviewSnapshot | null,
  ids: readonly string[],
): { readonly changes: ReadonlyMap<string, AttemptChanges>; readonly retry: () => void } {
  const [changes, setChanges] = useState<ReadonlyMap<string, AttemptChanges>>(new Map())
  const [tries, setTries] = useState(0)
  const requests = useRef(new Map<string, Request>())
  const shown = useRef(new Map<string, number>())
  const tried = useRef(tries)
  const idsKey = ids.join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list of the same ids is no change
  useEffect(() => {
    if (snapshot === null) return
    const isRetry = tried.current !== tries
    tried.current = tries
    for (const id of ids) {
      const worktree = snapshot.worktrees.find((one) => one.id === id)
      if (worktree === undefined) continue
      // While the agent works, any snapshot may mean new text.
      const stamp = worktree.state === 'working' ? snapshot : stampOf(worktree)
      const last = requests.current.get(id)
      if (last !== undefined && last.stamp === stamp && !isRetry) continue
      const number = (last?.number ?? 0) + 1
      requests.current.set(id, { stamp, number })
      void command('review.changes', { folder: snapshot.folder, id, range: null }).then((answer) => {
        if (number < (shown.current.get(id) ?? 0)) return
        shown.current.set(id, number)
        setChanges((known) => {
          const old = known.get(id)?.value ?? null
          const value = answer.ok ? (old?.version === answer.value.version ? old : answer.value) : old
          return new Map(known).set(id, { value, failure: answer.ok ? null : answer.failure.message })
        })
      })
    }
  }, [snapshot, idsKey, tries])
  return { changes, retry: () => setTries((times) => times + 1) }
}
