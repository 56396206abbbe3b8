/** Why a dialog's command failed, as the main process worded it. */
import { useEffect, useRef } from 'react'

interface DialogErrorProps {
  readonly message: string | null
}

export function DialogError({ message }: DialogErrorProps) {
  const box = useRef<HTMLDivElement>(null)
  // In a dialog taller than the window the message would be out of view.
  useEffect(() => {
    if (message !== null) box.current?.scrollIntoView?.({ block: 'nearest' })
  }, [message])
  return (
    <div ref={box} aria-live="polite" className="grid justify-items-start gap-3 empty:hidden">
      {message !== null && (
        <p
          data-selectable=""
          className="max-h-48 w-full overflow-y-auto whitespace-pre-wrap rounded-md border border-bad/50 bg-bad/8 px-3 py-2 text-fg-0 text-sm wrap-anywhere"
        >
          {message}
        </p>
      )}
    </div>
  )
}
