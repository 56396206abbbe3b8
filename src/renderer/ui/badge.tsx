/** A small word, or with little room a mark, beside a name. Its meaning is the tooltip and its name for screen readers. */
import type { LucideIcon } from 'lucide-react'

export interface BadgeProps {
  readonly icon: LucideIcon
  readonly text: string
  /** One or two sentences. */
  readonly meaning: string
  /** Only the icon. */
  readonly compact?: boolean
}

export function Badge({ icon: Icon, text, meaning, compact = false }: BadgeProps) {
  if (compact)
    return (
      <span title={meaning} className="inline-grid shrink-0 place-items-center text-fg-2">
        <Icon size={11} strokeWidth={1.75} role="img" aria-label={text} />
      </span>
    )
  return (
    <span
      title={meaning}
      className="inline-flex shrink-0 items-center gap-1 self-center whitespace-nowrap rounded-[4px] border border-line px-1 font-medium text-2xs text-fg-2 leading-4"
    >
      <Icon size={10} strokeWidth={1.75} aria-hidden="true" />
      {text}
    </span>
  )
}
