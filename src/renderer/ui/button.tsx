import { Button as Base } from '@base-ui/react/button'
import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { Tooltip } from './popover.tsx'
import { Spinner } from './spinner.tsx'
import { classNames } from './text/class-names.ts'

interface ButtonProps extends Omit<ComponentProps<typeof Base>, 'className'> {
  /** At most one primary button per view. `quiet` has no box until hovered. */
  readonly variant?: 'primary' | 'secondary' | 'quiet' | 'danger'
  /** Height: 24 px, or 30 px for forms and first steps. */
  readonly size?: 'sm' | 'md'
  readonly className?: string | undefined
}

const VARIANTS = {
  primary: 'bg-accent text-on-accent font-semibold not-data-[disabled]:hover:brightness-108',
  secondary: 'bg-bg-3 text-fg-0 font-medium not-data-[disabled]:hover:bg-line data-[popup-open]:bg-line',
  quiet:
    'text-fg-1 not-data-[disabled]:hover:bg-bg-3 not-data-[disabled]:hover:text-fg-0 data-[popup-open]:bg-bg-3',
  danger: 'bg-bad/14 text-bad font-medium not-data-[disabled]:hover:bg-bad/22',
}

/** A busy button is disabled for a moment and keeps its look. */
const DISABLED = 'data-[disabled]:cursor-default data-[disabled]:not-aria-busy:opacity-45'

/** A button. Explain a disabled button in adjacent text or in its `title`. */
export function Button({ variant = 'secondary', size = 'sm', className, ...rest }: ButtonProps) {
  return (
    <Base
      {...rest}
      className={classNames(
        'inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-[6px] text-sm transition-[background,filter] duration-100',
        DISABLED,
        size === 'sm' ? 'h-6 px-2.5' : 'h-[1.875rem] px-3',
        VARIANTS[variant],
        className,
      )}
    />
  )
}

interface IconButtonProps extends Omit<ComponentProps<typeof Base>, 'className' | 'children'> {
  /** The accessible name and the tooltip. */
  readonly label: string
  readonly icon: LucideIcon
  /** What the action means or why it is not possible: the tooltip, after the label. */
  readonly hint?: string | undefined
  /** "Mod K": shown in the tooltip. */
  readonly keys?: string | undefined
  /** The size in px: 22 in headers, 34 in the rail. */
  readonly size?: 22 | 26 | 34
  /** The state of a toggle button; left out for other buttons. */
  readonly pressed?: boolean | undefined
  /** The action is in progress: a press does nothing, and the button keeps the focus. */
  readonly busy?: boolean
  readonly tooltipSide?: 'top' | 'bottom' | 'left' | 'right'
  readonly className?: string | undefined
}

/** A button with only an icon. */
export function IconButton(props: IconButtonProps) {
  const { label, icon: Icon, hint, keys, size = 22, pressed, busy, tooltipSide, className, ...rest } = props
  return (
    <Tooltip text={hint ?? label} keys={keys} side={tooltipSide}>
      <Base
        aria-label={label}
        {...(hint === undefined ? {} : { 'aria-description': hint })}
        {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
        {...(busy ? { disabled: true, focusableWhenDisabled: true, 'aria-busy': true } : {})}
        {...rest}
        className={classNames(
          'inline-grid shrink-0 place-items-center text-fg-2 transition-colors duration-100 not-data-[disabled]:hover:bg-bg-3 not-data-[disabled]:hover:text-fg-0 data-[popup-open]:bg-bg-3 data-[popup-open]:text-fg-0',
          // A disabled button with a hint tells why.
          hint === undefined && 'data-[disabled]:pointer-events-none',
          'data-[disabled]:not-aria-busy:opacity-45',
          size === 34
            ? 'size-[34px] rounded-md'
            : size === 26
              ? 'size-[26px] rounded-[6px]'
              : 'size-[22px] rounded-sm',
          pressed && 'bg-bg-3 text-fg-0',
          className,
        )}
      >
        {busy ? (
          <Spinner size={size === 34 ? 14 : 11} />
        ) : (
          <Icon size={size === 34 ? 17 : 14} strokeWidth={1.75} aria-hidden="true" />
        )}
      </Base>
    </Tooltip>
  )
}

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
