import type { LucideIcon } from 'lucide-react'
import { Kbd } from './kbd.tsx'
import { Spinner } from './spinner.tsx'
import { classNames } from './text/class-names.ts'

interface BigChoiceProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly text: string
  readonly keys?: string | undefined
  readonly primary?: boolean
  readonly busy?: boolean
  readonly onChoose: () => void
}

/** One answer, with its consequence. */
export function BigChoice({
  icon: Icon,
  title,
  text,
  keys,
  primary = false,
  busy = false,
  onChoose,
}: BigChoiceProps) {
  return (
    <button
      type="button"
      disabled={busy}
      onClick={onChoose}
      className={classNames(
        'grid grid-cols-[20px_minmax(0,1fr)_auto] items-start gap-3 rounded-md border px-4 py-3 text-left transition-colors duration-100 hover:bg-bg-2',
        primary ? 'border-accent/60 bg-accent/6' : 'border-line bg-bg-1',
      )}
    >
      <Icon size={18} strokeWidth={1.6} aria-hidden="true" className="mt-0.5 text-fg-1" />
      <span className="min-w-0">
        <span className="block font-semibold text-fg-0 text-md">{title}</span>
        <span className="block text-fg-2 text-sm">{text}</span>
      </span>
      <span className="mt-0.5">{busy ? <Spinner /> : keys !== undefined && <Kbd keys={keys} />}</span>
    </button>
  )
}
