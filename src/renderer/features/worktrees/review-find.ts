/** The search in the diff of Review. It stays open from file to file. */
import { create } from 'zustand'

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
