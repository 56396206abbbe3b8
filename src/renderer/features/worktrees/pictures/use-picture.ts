/** Loads both sides of a changed picture. */
import { useEffect, useState } from 'react'
import type { ReviewFile, ReviewPicture, ReviewRange } from '../../../../shared/worktrees/review.ts'
import { command } from '../../../bridge.ts'

export interface PictureKey {
  readonly folder: string
  readonly id: string
  readonly file: ReviewFile
  readonly range: ReviewRange | null
}

type Loading = { readonly kind: 'loading' }
type Loaded =
  | { readonly kind: 'picture'; readonly picture: ReviewPicture }
  /** No side is a picture. */
  | { readonly kind: 'other' }
  | { readonly kind: 'failed'; readonly message: string }

/** Loads again when the content changes; the older picture stays meanwhile. */
export function usePicture({ folder, id, file, range }: PictureKey) {
  const { path, content } = file
  const fileKey = `${folder}\n${id}\n${path}\n${JSON.stringify(range)}`
  const [state, setState] = useState<{ readonly fileKey: string; readonly loaded: Loaded } | null>(null)
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try and each content loads again; the key has the range
  useEffect(() => {
    let canceled = false
    void command('review.picture', { folder, id, path, range }).then((answer) => {
      if (canceled) return
      const loaded: Loaded = answer.ok
        ? { kind: 'picture', picture: answer.value }
        : answer.failure.type === 'not-there'
          ? { kind: 'other' }
          : { kind: 'failed', message: answer.failure.message }
      setState({ fileKey, loaded })
    })
    return () => {
      canceled = true
    }
  }, [fileKey, content, tries])
  const loaded: Loaded | Loading = state?.fileKey === fileKey ? state.loaded : { kind: 'loading' }
  return { loaded, retry: () => setTries((times) => times + 1) }
}
