/** An image whose data is in the transcript. Nothing is loaded from an address. */
import { useState } from 'react'
import type { ImageBlock } from '../../../../shared/messages/content.ts'

export function ImageView({ image, label }: { readonly image: ImageBlock; readonly label: string }) {
  const [large, setLarge] = useState(false)
  return (
    <button
      type="button"
      aria-label={large ? `${label}: show it smaller` : `${label}: show it larger`}
      onClick={() => setLarge(!large)}
      className="block w-fit overflow-hidden rounded-md border border-line bg-bg-0"
    >
      <img
        src={`data:${image.source.media_type};base64,${image.source.data}`}
        alt={label}
        className={large ? 'block max-h-[70vh] max-w-full' : 'block max-h-40 max-w-60'}
      />
    </button>
  )
}
