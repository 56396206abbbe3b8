/** A changed picture in place of its diff, and above the diff of an SVG's text. */
import type { ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { Loading } from '../loading.tsx'
import { PictureSides } from './picture-sides.tsx'
import { type PictureKey, usePicture } from './use-picture.ts'

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
