/** A choice between a few options, with a menu for rare options. */
import type { ReactNode } from 'react'
import type { FieldKey } from '../../../../shared/agent-definition/definition-fields.ts'
import { Menu } from '../../../ui/menu.tsx'
import { Segmented } from '../../../ui/segmented.tsx'
import { classNames } from '../../../ui/text/class-names.ts'
import { Field } from './field.tsx'
import { useForm } from './form-context.ts'

interface ChoiceFieldProps<T extends string> {
  readonly label: string
  readonly field: FieldKey
  readonly value: T
  readonly options: readonly { readonly value: T; readonly label: string }[]
  readonly onChange: (value: T) => void
  readonly note?: ReactNode
  readonly hint?: ReactNode
  readonly more?: ReactNode
  readonly className?: string
  /** Below the options. */
  readonly children?: ReactNode
}

/** For an invalid value no option is selected, and the problem below names the value. */
export function ChoiceField<T extends string>(props: ChoiceFieldProps<T>) {
  const { label, field, value, options, onChange, more, children, ...frame } = props
  const { keyOf, readOnly, problemsOf } = useForm()
  const isWrong = problemsOf(field).some(({ code }) => code === `bad-${field}`)
  return (
    <Field
      label={label}
      keys={[field]}
      {...frame}
      {...(isWrong ? { note: `in the file: ${keyOf(field)?.written ?? ''}` } : {})}
    >
      {({ describedBy }) => (
        <>
          <Segmented
            label={label}
            // The empty value matches no option.
            value={isWrong ? ('' as T) : value}
            options={options}
            onChange={onChange}
            readOnly={readOnly}
            describedBy={describedBy}
            more={more}
            className="self-start"
          />
          {children}
        </>
      )}
    </Field>
  )
}

interface MoreChoicesProps {
  readonly label: string
  /** The option chosen in the menu; null when another one is chosen. */
  readonly chosen: string | null
  readonly children: ReactNode
}

/** The last segment: "…", or the option chosen in the menu. */
export function MoreChoices({ label, chosen, children }: MoreChoicesProps) {
  const { readOnly } = useForm()
  return (
    <Menu
      align="end"
      trigger={
        <button
          type="button"
          disabled={readOnly}
          aria-label={chosen === null ? label : `${label}: ${chosen}`}
          className={classNames(
            'max-w-52 truncate border-line border-l px-2 text-sm leading-[22px] focus-visible:-outline-offset-2 enabled:hover:text-fg-0 data-[popup-open]:bg-bg-3',
            chosen === null ? 'text-fg-2' : 'bg-bg-3 text-fg-0',
          )}
        >
          {chosen ?? '…'}
        </button>
      }
    >
      {children}
    </Menu>
  )
}
