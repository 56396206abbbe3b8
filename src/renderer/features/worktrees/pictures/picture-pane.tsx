/** A changed picture in place of its diff, and above the diff of an SVG's text. */
import { type ReactNode, useEffect, useState } from 'react'
import type {
  PictureSide,
  ReviewFile,
  ReviewPicture,
  ReviewRange,
} from '../../../../shared/worktrees/review.ts'
import { command } from '../../../bridge.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { formatSize } from '../../../ui/text/format.ts'
import { Loading } from '../review-empty.tsx'

interface PicturePaneProps extends PictureKey {
  /** Shown where the file is not a picture. */
  readonly otherwise: ReactNode
}

export function PicturePane({ otherwise, ...key }: PicturePaneProps) {
  const { loaded, retry } = usePicture(key)
  if (loaded.kind === 'loading') return <Loading label="Loading the picture…" />
  if (loaded.kind === 'other') return otherwise
  if (loaded.kind === 'failed')
    return (
      <EmptyState title="This picture can’t be shown" actions={<Button onClick={retry}>Retry</Button>}>
        <span data-selectable="">{loaded.message}</span>
      </EmptyState>
    )
  return <PictureSides path={key.file.path} picture={loaded.picture} />
}

/** The pictures of an SVG file, which the user can fold. Nothing where neither side is a picture. */
export function SvgPictures(key: PictureKey) {
  const { loaded } = usePicture(key)
  if (loaded.kind !== 'picture') return null
  return (
    <details open className="shrink-0 border-line border-b">
      <summary className="cursor-default px-3 py-1 text-fg-1 text-sm">Pictures</summary>
      <div className="flex h-56 max-h-[35vh] flex-col">
        <PictureSides path={key.file.path} picture={loaded.picture} />
      </div>
    </details>
  )
}

/** A changed picture before and after, side by side, with size and dimensions. */
interface PictureSidesProps {
  readonly path: string
  readonly picture: ReviewPicture
}

function PictureSides({ path, picture: { before, after } }: PictureSidesProps) {
  return (
    <section
      aria-label={`Pictures of ${path}`}
      className="grid min-h-0 flex-1 grid-cols-2 grid-rows-[minmax(0,1fr)] gap-3 p-3"
    >
      <Side label="Before" side={before} missing="The file was added." />
      <Side label="After" side={after} missing="The file was deleted." />
    </section>
  )
}

interface SideProps {
  readonly label: string
  readonly side: PictureSide | null
  /** Why there is no picture. */
  readonly missing: string
}

/** What the browser made of the data; null: it can't decode it. */
interface Decoded {
  readonly data: string
  readonly size: { readonly width: number; readonly height: number } | null
}

function Side({ label, side, missing }: SideProps) {
  const [latest, setLatest] = useState<Decoded | null>(null)
  const data = side?.data ?? null
  const decoded = latest?.data === data ? latest : null
  const problem =
    side === null
      ? missing
      : side.type === null || data === null
        ? noPicture(side.bytes)
        : decoded?.size === null
          ? 'This picture can’t be shown: its content is damaged or not supported.'
          : null
  const details = side === null ? [] : [formatSize(side.bytes)]
  if (decoded?.size && side !== null && hasOwnSize(side))
    details.unshift(`${decoded.size.width} × ${decoded.size.height}`)
  return (
    <figure className="flex min-h-0 min-w-0 flex-col gap-2">
      <figcaption className="shrink-0 text-fg-2 text-sm" data-selectable="">
        <b className="font-semibold text-fg-0">{label}</b>
        {details.map((detail) => ` · ${detail}`)}
      </figcaption>
      <div className="grid min-h-0 flex-1 place-items-center overflow-hidden rounded-md border border-line bg-bg-1 p-2">
        {problem === null && side !== null && data !== null ? (
          // An <img> runs no scripts and loads nothing, also for SVG.
          <img
            src={`data:${side.type};base64,${data}`}
            alt={label}
            draggable={false}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
              setLatest({ data, size: { width: naturalWidth, height: naturalHeight } })
            }
            onError={() => setLatest({ data, size: null })}
            // Squares show where a picture is transparent.
            className="max-h-full min-h-0 min-w-0 max-w-full bg-[length:1rem_1rem] bg-[repeating-conic-gradient(var(--bg-3)_0_25%,var(--bg-0)_0_50%)] object-contain"
          />
        ) : (
          <p className="text-balance p-3 text-center text-fg-2 text-sm">{problem}</p>
        )}
      </div>
    </figure>
  )
}

/** Bytes. */
const LARGEST = 10 * 1024 * 1024

const noPicture = (bytes: number) =>
  bytes > LARGEST
    ? 'Pictures over 10 MB are not shown.'
    : bytes === 0
      ? 'The file is empty.'
      : 'This side is not a picture.'

/** Whether the dimensions are those of the picture: an SVG without a width gets any. */
function hasOwnSize({ type, data }: PictureSide): boolean {
  if (type !== 'image/svg+xml') return true
  return /<svg\b[^>]*\swidth\s*=\s*["'][\d.]+[a-z]*["']/.test(atob((data ?? '').slice(0, 8000)))
}

/** Loads both sides of a changed picture. */
export interface PictureKey {
  readonly folder: string
  readonly id: string
  readonly file: ReviewFile
  readonly range: ReviewRange | null
}

type LoadingUsePicture = { readonly kind: 'loading' }
type Loaded =
  | { readonly kind: 'picture'; readonly picture: ReviewPicture }
  /** No side is a picture. */
  | { readonly kind: 'other' }
  | { readonly kind: 'failed'; readonly message: string }

/** Loads again when the content changes; the older picture stays meanwhile. */
function usePicture({ folder, id, file, range }: PictureKey) {
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
  const loaded: Loaded | LoadingUsePicture = state?.fileKey === fileKey ? state.loaded : { kind: 'loading' }
  return { loaded, retry: () => setTries((times) => times + 1) }
}
