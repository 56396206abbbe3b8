import { Radio } from '@base-ui/react/radio'
import { RadioGroup } from '@base-ui/react/radio-group'
import type { ReactNode } from 'react'
import { classNames } from './text/class-names.ts'

interface SegmentedOption<T extends string> {
  readonly value: T
  readonly label: string
  /** A mark after the label, and the name with its meaning: "4, failed". */
  readonly mark?: { readonly icon: ReactNode; readonly name: string }
}

interface SegmentedProps<T extends string> {
  readonly label: string
  /** A value that matches no option selects none. */
  readonly value: T
  readonly options: readonly SegmentedOption<T>[]
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
          aria-label={option.mark?.name ?? option.label}
          className={classNames(
            'whitespace-nowrap border-line px-2 text-fg-2 text-sm not-first:border-l focus-visible:-outline-offset-2 data-[checked]:bg-bg-3 data-[checked]:text-fg-0',
            !readOnly && 'hover:text-fg-0',
            size === 'sm' ? 'leading-[1.375rem]' : 'px-3 leading-7',
          )}
        >
          {option.label}
          {option.mark?.icon}
        </Radio.Root>
      ))}
      {more}
    </RadioGroup>
  )
}
