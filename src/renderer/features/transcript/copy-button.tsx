/** Copies a text, and says so for a moment. */
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { copyText } from '../../ui/copy-text.ts'
import { IconButton } from '../../ui/icon-button.tsx'

export interface CopyButtonProps {
  /** The text, or a function that makes it when it is wanted. */
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
  return (
    <IconButton
      icon={state === 'copied' ? Check : Copy}
      label={{ idle: label, copied: 'Copied', refused: 'The system refused to copy' }[state]}
      className={className}
      onClick={copy}
    />
  )
}
