/** A changed picture before and after, side by side, with size and dimensions. */
import { useState } from 'react'
import type { PictureSide, ReviewPicture } from '../../../../shared/worktrees/review.ts'
import { formatSize } from '../../../ui/text/format.ts'

interface PictureSidesProps {
  readonly path: string
  readonly picture: ReviewPicture
}

export function PictureSides({ path, picture: { before, after } }: PictureSidesProps) {
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
