/** What is in a worktree: its files and commits, and the text of the file that is shown. Loaded anew as it changes. */
import { useEffect, useRef, useState } from 'react'
import type { ReviewChanges, ReviewFileText, ReviewSnapshot, ReviewWorktree } from '../../../shared/review.ts'
import { command } from '../../bridge.ts'

interface Loaded<T> {
  /** Null until it is there for the first time; then the newest that is known. */
  readonly value: T | null
  readonly failure: string | null
  readonly retry: () => void
}

/** Newest last; the oldest are forgotten. */
class Remembered<T> {
  private readonly values = new Map<string, T>()
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  get(key: string): T | undefined {
    return this.values.get(key)
  }

  set(key: string, value: T): void {
    this.values.delete(key)
    this.values.set(key, value)
    for (const oldest of this.values.keys()) {
      if (this.values.size <= this.most) break
      this.values.delete(oldest)
    }
  }
}

const knownChanges = new Remembered<ReviewChanges>(30)
const knownTexts = new Remembered<ReviewFileText>(40)

export function useChanges(snapshot: ReviewSnapshot, worktree: ReviewWorktree | null): Loaded<ReviewChanges> {
  const { folder } = snapshot
  const id = worktree?.id ?? null
  const key = `${folder}\n${id}`
  const [state, setState] = useState<{
    readonly key: string
    readonly value: ReviewChanges | null
    readonly failure: string | null
  }>({ key: '', value: null, failure: null })
  const [tries, setTries] = useState(0)
  const asked = useRef({ last: 0, shown: 0 })
  // Of one whose agent works every snapshot may mean new text, though the figures are the same.
  const stamp = worktree === null ? null : worktree.state === 'working' ? snapshot : stampOf(worktree)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stamp says when it is to be loaded again
  useEffect(() => {
    if (id === null) return
    let gone = false
    asked.current.last += 1
    const turn = asked.current.last
    void command('review.changes', { folder, id }).then((answer) => {
      if (answer.ok) knownChanges.set(key, answer.value)
      if (gone && wanted.current !== key) return
      if (turn < asked.current.shown) return
      asked.current.shown = turn
      setState((last) => {
        const value = answer.ok ? answer.value : (knownChanges.get(key) ?? null)
        const same = last.key === key && last.value?.version === value?.version && value !== null
        return { key, value: same ? last.value : value, failure: answer.ok ? null : answer.failure.message }
      })
    })
    return () => {
      gone = true
    }
  }, [folder, id, key, stamp, tries])
  const wanted = useRef(key)
  wanted.current = key
  return {
    value: state.key === key ? state.value : (knownChanges.get(key) ?? null),
    failure: state.key === key ? state.failure : null,
    retry: () => setTries((times) => times + 1),
  }
}

/** Everything of it that could mean other files. */
function stampOf({ bytes: _, check: __, conflictsWith: ___, notes: ____, ...rest }: ReviewWorktree): string {
  return JSON.stringify(rest)
}

interface FileKey {
  readonly folder: string
  readonly id: string
  readonly path: string
  /** Of the changes that it is one of. */
  readonly version: string
}

/** Of a newer version the older text stays until the new one is there. */
export function useFileText({ folder, id, path, version }: FileKey): Loaded<ReviewFileText> {
  const key = `${folder}\n${id}\n${version}\n${path}`
  const place = `${folder}\n${id}\n${path}`
  const [state, setState] = useState<{
    readonly key: string
    readonly place: string
    readonly value: ReviewFileText | null
    readonly failure: string | null
  }>({ key: '', place: '', value: null, failure: null })
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: tries ask again
  useEffect(() => {
    if (knownTexts.get(key) !== undefined) return
    let gone = false
    void command('review.file', { folder, id, path }).then((answer) => {
      if (answer.ok) knownTexts.set(key, answer.value)
      if (gone) return
      setState((last) => ({
        key,
        place,
        value: answer.ok ? answer.value : last.place === place ? last.value : null,
        failure: answer.ok ? null : answer.failure.message,
      }))
    })
    return () => {
      gone = true
    }
  }, [folder, id, path, key, place, tries])
  const value = knownTexts.get(key) ?? (state.place === place ? state.value : null)
  return {
    value: useSame(value),
    failure: state.key === key ? state.failure : null,
    retry: () => setTries((times) => times + 1),
  }
}

/** The object of before where the texts are the same: then nothing is compared again. */
function useSame(value: ReviewFileText | null): ReviewFileText | null {
  const last = useRef(value)
  if (last.current !== value) {
    const { current } = last
    const same =
      current?.kind === 'text' &&
      value?.kind === 'text' &&
      current.before === value.before &&
      current.after === value.after
    if (!same) last.current = value
  }
  return last.current
}
