/** A link to a page outside the program, which can be opened and copied. */
import { Check, Copy, ExternalLink as OpenIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './button.tsx'
import { copyText } from './text/copy-text.ts'

interface ExternalLinkProps {
  /** With https. */
  readonly url: string
  readonly onOpen: (url: string) => void
}

/** ms until the confirmation of a copy disappears. */
const CONFIRMED = 1500

export function ExternalLink({ url, onOpen }: ExternalLinkProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), CONFIRMED)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <span className="inline-flex items-center gap-0.5 whitespace-nowrap align-middle">
      <a
        href={url}
        title={`Open ${url} in the browser`}
        onClick={(event) => {
          event.preventDefault()
          onOpen(url)
        }}
        className="inline-flex items-center gap-1 rounded-sm text-fg-0 underline decoration-accent underline-offset-2 hover:decoration-2"
      >
        {url.replace(/^https:\/\//, '')}
        <OpenIcon size={12} strokeWidth={1.75} aria-hidden="true" />
      </a>
      <IconButton
        label={copied ? 'Copied' : 'Copy link'}
        icon={copied ? Check : Copy}
        onClick={() => void copyText(url).then(setCopied)}
      />
    </span>
  )
}
