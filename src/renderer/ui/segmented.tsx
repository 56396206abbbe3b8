import { Radio } from '@base-ui/react/radio'
import { RadioGroup } from '@base-ui/react/radio-group'
import { Switch as Base } from '@base-ui/react/switch'
import type { ReactNode } from 'react'
import { classNames } from './text/class-names.ts'

interface SegmentedProps<T extends string> {
  readonly label: string
  /** A value that matches no option selects none. */
  readonly value: T
  readonly options: readonly { readonly value: T; readonly label: string }[]
  readonly onChange: (value: T) => void
  readonly size?: 'sm' | 'md'
  readonly readOnly?: boolean
  readonly describedBy?: string
  /** A further control at the end, inside the frame. */
  readonly more?: ReactNode
  readonly className?: string
}

/** A radio group that looks like joined buttons. */
export function Segmented<T extends string>(props: SegmentedProps<T>) {
  const {
    label,
    value,
    options,
    onChange,
    size = 'sm',
    readOnly = false,
    describedBy,
    more,
    className,
  } = props
  return (
    <RadioGroup
      aria-label={label}
      aria-describedby={describedBy}
      value={value}
      readOnly={readOnly}
      onValueChange={(next) => onChange(next as T)}
      className={classNames(
        'inline-flex shrink-0 overflow-hidden rounded-[6px] border border-line',
        className,
      )}
    >
      {options.map((option) => (
        <Radio.Root
          key={option.value}
          value={option.value}
          aria-label={option.label}
          className={classNames(
            'whitespace-nowrap border-line px-2 text-fg-2 text-sm not-first:border-l focus-visible:-outline-offset-2 data-[checked]:bg-bg-3 data-[checked]:text-fg-0',
            !readOnly && 'hover:text-fg-0',
            size === 'sm' ? 'leading-[1.375rem]' : 'px-3 leading-7',
          )}
        >
          {option.label}
        </Radio.Root>
      ))}
      {more}
    </RadioGroup>
  )
}

interface SwitchProps {
  readonly label: string
  readonly checked: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
}

/** A switch that applies at once. The label is for screen readers; show the text beside the switch, too. */
export function Switch({ label, checked, disabled, onChange }: SwitchProps) {
  return (
    <Base.Root
      aria-label={label}
      checked={checked}
      disabled={disabled ?? false}
      onCheckedChange={onChange}
      className="inline-flex h-[18px] w-8 shrink-0 items-center rounded-full border border-line-strong bg-bg-3 px-0.5 data-[checked]:border-accent data-[checked]:bg-accent data-[disabled]:opacity-60"
    >
      <Base.Thumb className="size-3 rounded-full bg-fg-1 transition-transform duration-100 data-[checked]:translate-x-[13px] data-[checked]:bg-on-accent" />
    </Base.Root>
  )
}
