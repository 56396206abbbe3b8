/** Copies a text and confirms for a moment. A plain button, because every row has one and rows mount often. */
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { classNames } from '../../ui/text/class-names.ts'
import { copyText } from '../../ui/text/copy-text.ts'

interface CopyButtonProps {
  /** The text, or a function that creates the text on click. */
  readonly text: string | (() => string)
  readonly label: string
  readonly className?: string
}

export function CopyButton({ text, label, className }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), 1500)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () => {
    void copyText(typeof text === 'string' ? text : text()).then((copied) =>
      setState(copied ? 'copied' : 'refused'),
    )
  }
  const shownLabel = { idle: label, copied: 'Copied', refused: 'The system refused to copy' }[state]
  const Icon = state === 'copied' ? Check : Copy
  return (
    <button
      type="button"
      aria-label={shownLabel}
      title={shownLabel}
      onClick={copy}
      className={classNames(
        'inline-grid size-[22px] shrink-0 place-items-center rounded-sm text-fg-2 hover:bg-bg-3 hover:text-fg-0',
        className,
      )}
    >
      <Icon size={14} strokeWidth={1.75} aria-hidden="true" />
    </button>
  )
}
