/** A short label beside a name, or only its icon in a narrow container. The tooltip explains the label. */
import type { LucideIcon } from 'lucide-react'
import { classNames } from './text/class-names.ts'

interface BadgeProps {
  readonly icon: LucideIcon
  readonly text: string
  /** One or two sentences. */
  readonly meaning: string
  /** Shows only the icon; `narrow`: only in a narrow container. */
  readonly compact?: boolean | 'narrow'
}

export function Badge({ icon: Icon, text, meaning, compact = false }: BadgeProps) {
  if (compact === true)
    return (
      <span title={meaning} className="inline-grid shrink-0 place-items-center text-fg-2">
        <Icon size={11} strokeWidth={1.75} role="img" aria-label={text} />
      </span>
    )
  return (
    <span
      title={meaning}
      className={classNames(
        'inline-flex shrink-0 items-center gap-1 self-center whitespace-nowrap rounded-[4px] border border-line px-1 font-medium text-2xs text-fg-2 leading-4',
        compact === 'narrow' && '@max-md:h-[18px]',
      )}
    >
      <Icon size={10} strokeWidth={1.75} aria-hidden="true" />
      {compact === 'narrow' ? <span className="@max-md:sr-only">{text}</span> : text}
    </span>
  )
}
