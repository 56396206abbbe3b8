/** The images of the draft. */
import { X } from 'lucide-react'
import type { DraftImage } from '../../stores/draft-store.ts'

interface AttachmentsProps {
  readonly images: readonly DraftImage[]
  readonly onRemove: (key: string) => void
}

export function Attachments({ images, onRemove }: AttachmentsProps) {
  if (images.length === 0) return null
  return (
    <ul aria-label="Images" className="flex flex-wrap gap-2 pb-2">
      {images.map(({ key, name, block }) => (
        <li key={key} className="relative">
          <img
            src={`data:${block.source.media_type};base64,${block.source.data}`}
            alt={name}
            className="size-14 rounded-md border border-line object-cover"
          />
          <button
            type="button"
            aria-label={`Remove ${name}`}
            onClick={() => onRemove(key)}
            className="absolute -top-1.5 -right-1.5 grid size-[18px] place-items-center rounded-full border border-line-strong bg-bg-3 text-fg-1 hover:text-fg-0"
          >
            <X size={11} aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  )
}
