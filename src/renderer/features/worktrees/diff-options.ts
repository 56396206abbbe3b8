/** What the reviewer chose: options of the diff, the open search, and the files that are viewed. */
import { useState } from 'react'
import { create } from 'zustand'
import type { ReviewFile } from '../../../shared/worktrees/review.ts'
import { useRoom } from '../../stores/session-store.ts'

export interface DiffOptions {
  readonly layout: 'split' | 'unified'
  readonly ignoreWhitespace: boolean
  /** Shows unchanged lines too. */
  readonly whole: boolean
  /** Long lines continue in the next row; otherwise the lines scroll sideways. */
  readonly wrap: boolean
}

/** Options the user has chosen. */
type Chosen = Partial<DiffOptions>

const KEY = 'review-look'

/** The default layout is split in a wide window, unified otherwise. */
export function useDiffOptions(): readonly [DiffOptions, (change: Chosen) => void] {
  const [chosen, setChosen] = useState(readChosen)
  const room = useRoom()
  const change = (some: Chosen) => {
    const next = { ...chosen, ...some }
    setChosen(next)
    localStorage.setItem(KEY, JSON.stringify(next))
  }
  const options: DiffOptions = {
    layout: chosen.layout ?? (room === 'wide' ? 'split' : 'unified'),
    ignoreWhitespace: chosen.ignoreWhitespace === true,
    whole: chosen.whole === true,
    wrap: chosen.wrap !== false,
  }
  return [options, change]
}

function readChosen(): Chosen {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Chosen
    const { layout, ...rest } = stored
    return layout === 'split' || layout === 'unified' ? { ...rest, layout } : rest
  } catch {
    return {}
  }
}

/** The search in the diff of Review. It stays open from file to file. */
interface ReviewFind {
  /** Null: closed. */
  readonly text: string | null
  /** Whether the field takes the focus as soon as it is there. */
  readonly wantsFocus: boolean
}

export const useReviewFind = create<ReviewFind>()(() => ({ text: null, wantsFocus: false }))

export function openReviewFind(): void {
  useReviewFind.setState(({ text }) => ({ text: text ?? '', wantsFocus: true }))
}

export function closeReviewFind(): void {
  useReviewFind.setState({ text: null, wantsFocus: false })
}

// Changed files that the user has marked as viewed, for each worktree. The marks survive a restart.

/** A file in the state that was viewed: a file that changes afterwards is not viewed. */
type Viewed = Pick<ReviewFile, 'path' | 'content'>

interface ViewedState {
  /** The marks by worktree, oldest first. */
  readonly marks: Readonly<Record<string, readonly string[]>>
}

/** The oldest marks of a worktree are dropped beyond this number. */
const MOST = 5000

export const useViewedMarks = create<ViewedState>()(() => ({ marks: {} }))

/** `key`: of the worktree, from `draftKeyOf`. Returns whether a file is viewed. */
export function useViewed(key: string): (file: Viewed) => boolean {
  const marks = useViewedMarks((state) => state.marks[key] ?? savedMarks(key))
  return (file) => setOf(marks).has(markOf(file))
}

/** Marks the file as viewed, or removes the mark. */
export function toggleViewed(key: string, file: Viewed): void {
  const known = useViewedMarks.getState().marks[key] ?? savedMarks(key)
  const mark = markOf(file)
  const next = known.includes(mark) ? known.filter((other) => other !== mark) : [...known, mark].slice(-MOST)
  useViewedMarks.setState(({ marks }) => ({ marks: { ...marks, [key]: next } }))
  if (next.length === 0) localStorage.removeItem(storageKey(key))
  else localStorage.setItem(storageKey(key), JSON.stringify(next))
}

const markOf = ({ path, content }: Viewed): string => `${content} ${path}`

const storageKey = (key: string) => `review-viewed:${key}`

const sets = new WeakMap<readonly string[], ReadonlySet<string>>()

function setOf(marks: readonly string[]): ReadonlySet<string> {
  const known = sets.get(marks)
  if (known !== undefined) return known
  const made = new Set(marks)
  sets.set(marks, made)
  return made
}

const NONE: readonly string[] = []
/** One array per text, so that selectors return the same array again. */
const recalled = new Map<string, { readonly text: string; readonly marks: readonly string[] }>()

function savedMarks(key: string): readonly string[] {
  const text = localStorage.getItem(storageKey(key))
  if (text === null) return NONE
  const known = recalled.get(key)
  if (known?.text === text) return known.marks
  const marks = parsed(text)
  recalled.set(key, { text, marks })
  return marks
}

function parsed(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.filter((mark) => typeof mark === 'string') : NONE
  } catch {
    return NONE
  }
}
