/** The files that several attempts changed, in one list. */

import { useEffect, useMemo, useRef, useState } from 'react'
import type {
  ReviewChanges,
  ReviewFile,
  ReviewFileText,
  ReviewSnapshot,
} from '../../../../shared/worktrees/review.ts'
import { command } from '../../../bridge.ts'
import type { ColumnAttempt } from '../../../stores/comparison-store.ts'
import { type FileDiff, useFileDiff } from '../diff/diff-worker-client.ts'
import { stampOf, useFileText } from '../use-changes.ts'

export interface ComparedFile {
  readonly path: string
  /** The change of each attempt that changed the file, by agent. */
  readonly changes: ReadonlyMap<string, ReviewFile>
}

/** The files that any of the attempts changed, by path. */
export function comparedFiles(changes: ReadonlyMap<string, ReviewChanges>): readonly ComparedFile[] {
  const files = new Map<string, Map<string, ReviewFile>>()
  for (const [agentId, { files: changed }] of changes)
    for (const file of changed) {
      const known = files.get(file.path) ?? new Map<string, ReviewFile>()
      files.set(file.path, known.set(agentId, file))
    }
  return [...files]
    .map(([path, changed]) => ({ path, changes: changed }))
    .sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0))
}

/**
 * How the changes of a file compare in the shown columns. `same`: all made the same change. `one`: only one changed it.
 * `none`: it was changed by other attempts only.
 */
type Agreement =
  | { readonly kind: 'same' | 'different' | 'none' }
  | { readonly kind: 'one'; readonly agentId: string }

export function agreementOf({ changes }: ComparedFile, columns: readonly string[]): Agreement {
  const changed = columns.filter((agentId) => changes.has(agentId))
  const [first] = changed
  if (first === undefined) return { kind: 'none' }
  if (changed.length === 1 && columns.length > 1) return { kind: 'one', agentId: first }
  if (changed.length < columns.length) return { kind: 'different' }
  const content = changes.get(first)?.content
  const isSame = changed.every((agentId) => changes.get(agentId)?.content === content)
  return { kind: isSame ? 'same' : 'different' }
}

/** Loads the changed files of several worktrees, again after each change. */
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

/** What one column shows of the selected file. */
export type ColumnContent =
  | { readonly kind: 'loading' }
  | { readonly kind: 'diff'; readonly diff: FileDiff }
  /** Not text. */
  | { readonly kind: 'other'; readonly value: Exclude<ReviewFileText, { kind: 'text' }> }
  /** There is nothing to compare. `canRetry`: loading failed. */
  | { readonly kind: 'none'; readonly message: string; readonly canRetry: boolean }

interface ColumnInput {
  readonly snapshot: ReviewSnapshot
  readonly attempt: ColumnAttempt
  readonly file: ComparedFile
  /** Of the attempt's worktree; undefined: never loaded. */
  readonly changes: AttemptChanges | undefined
  readonly ignoreWhitespace: boolean
}

/** Null: there is no such column. */
export function useColumn(input: ColumnInput | null): ColumnContent {
  const problem = input === null ? null : problemOf(input)
  const version = problem === null ? (input?.changes?.value?.version ?? null) : null
  const isAbsent = input !== null && lacksFile(input)
  const { value, failure } = useFileText(
    input === null || version === null || isAbsent || input.attempt.worktreeId === null
      ? null
      : {
          folder: input.snapshot.folder,
          id: input.attempt.worktreeId,
          path: input.file.path,
          version,
          range: null,
        },
  )
  const text = value?.kind === 'text' ? value : NO_TEXT
  const diff = useFileDiff(text, input?.ignoreWhitespace ?? false)
  return useMemo(() => {
    if (problem !== null) return { kind: 'none', message: problem, canRetry: input?.changes?.failure != null }
    if (version === null) return { kind: 'loading' }
    if (isAbsent) return diff === null ? { kind: 'loading' } : { kind: 'diff', diff }
    if (value === null)
      return failure === null ? { kind: 'loading' } : { kind: 'none', message: failure, canRetry: true }
    if (value.kind !== 'text') return { kind: 'other', value }
    return diff === null ? { kind: 'loading' } : { kind: 'diff', diff }
  }, [problem, version, isAbsent, value, failure, diff, input?.changes?.failure])
}

const NO_TEXT = { before: null, after: null }

/** Why an attempt has nothing to compare; null: it has. */
export function problemOf({
  snapshot,
  attempt: { worktreeId },
  changes,
}: Pick<ColumnInput, 'snapshot' | 'attempt' | 'changes'>): string | null {
  if (worktreeId === null) return 'It has no worktree.'
  const worktree = snapshot.worktrees.find(({ id }) => id === worktreeId)
  if (worktree === undefined)
    return snapshot.discarded.some(({ id }) => id === worktreeId)
      ? 'Its worktree was discarded. Review can restore it until Troupe restarts.'
      : 'Its worktree was removed.'
  return worktree.problem ?? (changes?.value == null ? (changes?.failure ?? null) : null)
}

/** Whether an attempt has the file neither before nor after: other attempts added it. */
function lacksFile({ file: { changes }, attempt: { agentId } }: ColumnInput): boolean {
  const isNew = [...changes.values()].every(
    ({ kind }) => kind === 'added' || kind === 'renamed' || kind === 'copied',
  )
  return isNew && !changes.has(agentId)
}
