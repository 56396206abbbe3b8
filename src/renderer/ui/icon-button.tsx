import { Button as Base } from '@base-ui/react/button'
import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { Spinner } from './spinner.tsx'
import { classNames } from './text/class-names.ts'
import { Tooltip } from './tooltip.tsx'

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
