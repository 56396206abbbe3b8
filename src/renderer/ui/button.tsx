import { Button as Base } from '@base-ui/react/button'
import type { ComponentProps } from 'react'
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
