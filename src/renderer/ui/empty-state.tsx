import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  readonly icon?: LucideIcon
  readonly title: string
  /** The content that would appear here, and how to get it. */
  readonly children?: ReactNode
  readonly actions?: ReactNode
}

/** The content of an empty view or panel. */
export function EmptyState({ icon: Icon, title, children, actions }: EmptyStateProps) {
  return (
    <div className="m-auto flex max-w-80 flex-col items-center gap-2 p-6 text-center">
      {Icon && <Icon size={22} strokeWidth={1.5} aria-hidden="true" className="text-fg-3" />}
      <p className="font-medium text-fg-0 text-md">{title}</p>
      {children !== undefined && <div className="text-balance text-fg-2 text-sm">{children}</div>}
      {actions !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  )
}
