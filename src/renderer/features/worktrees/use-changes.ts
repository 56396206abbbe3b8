/** Loads a worktree's files and commits, and the text of the selected file, again after each change. */
import { useEffect, useRef, useState } from 'react'
import type {
  ReviewChanges,
  ReviewFileText,
  ReviewRange,
  ReviewSnapshot,
  ReviewWorktree,
} from '../../../shared/worktrees/review.ts'
import { command } from '../../bridge.ts'

interface Loaded<T> {
  /** Null until the first load; later the newest known value. */
  readonly value: T | null
  readonly failure: string | null
  readonly retry: () => void
}

/** Keeps the newest values; evicts the oldest beyond `capacity`. */
class RecentValues<T> {
  private readonly values = new Map<string, T>()
  private readonly capacity: number

  constructor(capacity: number) {
    this.capacity = capacity
  }

  get(key: string): T | undefined {
    return this.values.get(key)
  }

  set(key: string, value: T): void {
    this.values.delete(key)
    this.values.set(key, value)
    for (const oldest of this.values.keys()) {
      if (this.values.size <= this.capacity) break
      this.values.delete(oldest)
    }
  }
}

const knownChanges = new RecentValues<ReviewChanges>(30)
const knownTexts = new RecentValues<ReviewFileText>(40)

interface ShownChanges extends Loaded<ReviewChanges> {
  /** The range of `value`: that of the previous choice while another range loads. */
  readonly range: ReviewRange | null
}

/** `range`: a part of the changes; null: all. */
export function useWorktreeChanges(
  snapshot: ReviewSnapshot,
  worktree: ReviewWorktree | null,
  range: ReviewRange | null,
): ShownChanges {
  const { folder } = snapshot
  const id = worktree?.id ?? null
  const worktreeKey = `${folder}\n${id}`
  const key = `${worktreeKey}\n${JSON.stringify(range)}`
  const [state, setState] = useState<{
    readonly key: string
    readonly worktreeKey: string
    readonly range: ReviewRange | null
    readonly value: ReviewChanges | null
    readonly failure: string | null
  }>({ key: '', worktreeKey: '', range: null, value: null, failure: null })
  const [tries, setTries] = useState(0)
  const requests = useRef({ last: 0, shown: 0 })
  // While the agent works, any snapshot may mean new text, even with the same counts.
  const stamp = worktree === null ? null : worktree.state === 'working' ? snapshot : stampOf(worktree)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed stamp loads the changes again; the key has the range
  useEffect(() => {
    if (id === null) return
    let canceled = false
    requests.current.last += 1
    const request = requests.current.last
    void command('review.changes', { folder, id, range }).then((answer) => {
      if (answer.ok) knownChanges.set(key, answer.value)
      if (canceled && wanted.current !== key) return
      if (request < requests.current.shown) return
      requests.current.shown = request
      setState((last) => {
        const value = answer.ok ? answer.value : (knownChanges.get(key) ?? null)
        const same = last.key === key && last.value !== null && value !== null && isSame(last.value, value)
        const failure = answer.ok ? null : answer.failure.message
        return { key, worktreeKey, range, value: same ? last.value : value, failure }
      })
    })
    return () => {
      canceled = true
    }
  }, [folder, id, key, stamp, tries])
  const wanted = useRef(key)
  wanted.current = key
  const known = state.key === key ? state.value : (knownChanges.get(key) ?? null)
  const isOther = known === null && state.key !== key && state.worktreeKey === worktreeKey
  return {
    value: isOther ? state.value : known,
    range: isOther ? state.range : range,
    failure: state.key === key ? state.failure : null,
    retry: () => setTries((times) => times + 1),
  }
}

/** Whether two loads of one range show the same. An answer to comments changes no file. */
const isSame = (a: ReviewChanges, b: ReviewChanges): boolean =>
  a.version === b.version && JSON.stringify(a.asked) === JSON.stringify(b.asked)

/** The parts of a worktree that change together with its files. */
export function stampOf({
  bytes: _,
  check: __,
  conflictsWith: ___,
  notes: ____,
  ...rest
}: ReviewWorktree): string {
  return JSON.stringify(rest)
}

interface FileKey {
  readonly folder: string
  readonly id: string
  readonly path: string
  /** The version of the changes that list the file. */
  readonly version: string
  readonly range: ReviewRange | null
}

const NO_FILE: FileKey = { folder: '', id: '', path: '', version: '', range: null }

/** While a newer version loads, the text of the older version stays. Null: no file is loaded. */
export function useFileText(file: FileKey | null): Loaded<ReviewFileText> {
  const { folder, id, path, version, range } = file ?? NO_FILE
  const key = `${folder}\n${id}\n${JSON.stringify(range)}\n${version}\n${path}`
  const fileKey = `${folder}\n${id}\n${path}`
  const [state, setState] = useState<{
    readonly key: string
    readonly fileKey: string
    readonly value: ReviewFileText | null
    readonly failure: string | null
  }>({ key: '', fileKey: '', value: null, failure: null })
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try loads the file again; the key has the range
  useEffect(() => {
    if (path === '' || knownTexts.get(key) !== undefined) return
    let canceled = false
    void command('review.file', { folder, id, path, range }).then((answer) => {
      if (answer.ok) knownTexts.set(key, answer.value)
      if (canceled) return
      setState((last) => ({
        key,
        fileKey,
        value: answer.ok ? answer.value : last.fileKey === fileKey ? last.value : null,
        failure: answer.ok ? null : answer.failure.message,
      }))
    })
    return () => {
      canceled = true
    }
  }, [folder, id, path, key, fileKey, tries])
  const value = knownTexts.get(key) ?? (state.fileKey === fileKey ? state.value : null)
  return {
    value: useSame(value),
    failure: state.key === key ? state.failure : null,
    retry: () => setTries((times) => times + 1),
  }
}

/** The previous object while the texts are equal: a new object would be compared again. */
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
