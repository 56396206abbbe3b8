/** What one column shows of the selected file. */
import { useMemo } from 'react'
import type { ReviewFileText, ReviewSnapshot } from '../../../../shared/worktrees/review.ts'
import type { ColumnAttempt } from '../../../stores/comparison-store.ts'
import { type FileDiff, useFileDiff } from '../diff/use-diff.ts'
import { useFileText } from '../use-changes.ts'
import type { ComparedFile } from './compared-files.ts'
import type { AttemptChanges } from './use-attempt-changes.ts'

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
