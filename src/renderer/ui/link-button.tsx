import type { ReactNode } from 'react'

/** A button that looks like a link, inside a sentence or a quiet line. */
export function LinkButton({
  onClick,
  children,
}: {
  readonly onClick: () => void
  readonly children: ReactNode
}) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="text-fg-1 underline decoration-fg-3 underline-offset-2 hover:decoration-current"
    >
      {children}
    </button>
  )
}
