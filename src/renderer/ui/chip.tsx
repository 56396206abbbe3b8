import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './text/class-names.ts'

interface ChipStyle {
  readonly icon?: LucideIcon | undefined
  readonly mono?: boolean
  /** `needs-you` only where the user must act; `bad` for danger and failures. */
  readonly tone?: 'plain' | 'needs-you' | 'bad' | 'ok'
  /** The class of the text beside the icon, to hide the text in a narrow container. */
  readonly textClass?: string | undefined
}

const TONES = {
  plain: 'border-line bg-bg-2 text-fg-1',
  'needs-you': 'border-needs-you/50 bg-needs-you/8 text-needs-you',
  bad: 'border-bad/50 bg-bad/8 text-bad',
  ok: 'border-ok/50 bg-ok/8 text-ok',
}

function chipClass({ mono, tone = 'plain' }: ChipStyle): string {
  return classNames(
    'inline-flex h-[1.375rem] min-w-0 items-center gap-1.5 whitespace-nowrap rounded-sm border px-2',
    mono ? 'font-mono text-xs' : 'text-sm',
    TONES[tone],
  )
}

/** A small box with a fact: a folder, a branch, a state. */
export function Chip({
  icon: Icon,
  mono,
  tone,
  textClass,
  className,
  children,
  ...rest
}: ChipStyle & ComponentProps<'span'>) {
  return (
    <span
      {...rest}
      className={classNames(chipClass({ mono: mono ?? false, tone: tone ?? 'plain' }), className)}
    >
      {Icon && <Icon size={13} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />}
      <ChipText className={textClass}>{children}</ChipText>
    </span>
  )
}

/** A chip that is a button, for pickers and menus. */
export function ChipButton({
  icon: Icon,
  mono,
  tone,
  textClass,
  className,
  children,
  ...rest
}: ChipStyle & ComponentProps<'button'>) {
  return (
    <button
      type="button"
      {...rest}
      className={classNames(
        chipClass({ mono: mono ?? false, tone: tone ?? 'plain' }),
        'shrink-0 transition-colors duration-100 enabled:hover:border-line-strong enabled:hover:bg-bg-3 disabled:opacity-45 data-[popup-open]:bg-bg-3',
        className,
      )}
    >
      {Icon && <Icon size={13} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />}
      <ChipText className={textClass}>{children}</ChipText>
    </button>
  )
}

function ChipText(props: { readonly className?: string | undefined; readonly children: ReactNode }) {
  return (
    <span className={classNames('flex min-w-0 items-center gap-1.5 truncate empty:hidden', props.className)}>
      {props.children}
    </span>
  )
}
