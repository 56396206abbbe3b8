/** Why something was refused, in the words of whoever refused it. */
import { type ReactNode, useEffect, useRef } from 'react'

interface RefusalBoxProps {
  readonly words: string | null
  /** What can be done about it. */
  readonly children?: ReactNode
}

export function RefusalBox({ words, children }: RefusalBoxProps) {
  const box = useRef<HTMLDivElement>(null)
  // Where the dialog is longer than the window it would be out of sight.
  useEffect(() => {
    if (words !== null) box.current?.scrollIntoView?.({ block: 'nearest' })
  }, [words])
  return (
    <div ref={box} aria-live="polite" className="grid justify-items-start gap-3 empty:hidden">
      {words !== null && (
        <>
          <p
            data-selectable=""
            className="max-h-48 w-full overflow-y-auto whitespace-pre-wrap rounded-md border border-bad/50 bg-bad/8 px-3 py-2 text-fg-0 text-sm wrap-anywhere"
          >
            {words}
          </p>
          {children}
        </>
      )}
    </div>
  )
}
