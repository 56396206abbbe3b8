/** The first line of a view, or of its first column, with the title of the view. */
import type { ReactNode } from 'react'

interface ViewHeaderProps {
  readonly title: string
  /** After the title. */
  readonly children?: ReactNode
}

export function ViewHeader({ title, children }: ViewHeaderProps) {
  return (
    <div className="flex min-h-9 min-w-0 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-line border-b bg-bg-1 px-3">
      <h1 className="shrink-0 font-semibold text-fg-0 text-sm">{title}</h1>
      {children}
    </div>
  )
}
