import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './text/class-names.ts'

interface FieldProps {
  readonly label: string
  /** Hides the label visually, but not from screen readers. */
  readonly labelHidden?: boolean
  readonly hint?: ReactNode
  /** The error of the input, announced to screen readers. */
  readonly error?: string | null
}

export const INPUT_CLASS =
  'w-full rounded-md border border-line-strong bg-bg-0 px-2.5 text-fg-0 text-md outline-none focus:border-accent aria-invalid:border-bad disabled:text-fg-2'

/** One line of text with its label, hint and error. */
export function TextField(props: FieldProps & ComponentProps<'input'> & { readonly mono?: boolean }) {
  const { label, labelHidden, hint, error, mono, className, ...rest } = props
  const id = useId()
  return (
    <Field id={id} label={label} labelHidden={labelHidden ?? false} hint={hint} error={error ?? null}>
      <input
        autoComplete="off"
        spellCheck={false}
        {...rest}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={`${id}-hint ${id}-error`}
        className={classNames(INPUT_CLASS, 'h-[1.875rem]', mono && 'font-mono text-sm', className)}
      />
    </Field>
  )
}

/** Several lines of text with their label, hint and error. */
export function TextArea(props: FieldProps & ComponentProps<'textarea'>) {
  const { label, labelHidden, hint, error, ...rest } = props
  const id = useId()
  return (
    <Field id={id} label={label} labelHidden={labelHidden ?? false} hint={hint} error={error ?? null}>
      <textarea
        dir="auto"
        rows={4}
        {...rest}
        id={id}
        aria-describedby={`${id}-hint ${id}-error`}
        className={`${INPUT_CLASS} resize-y py-1.5`}
      />
    </Field>
  )
}

function Field(props: Required<FieldProps> & { readonly id: string; readonly children: ReactNode }) {
  const { id, label, labelHidden, hint, error, children } = props
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className={labelHidden ? 'sr-only' : 'text-fg-1 text-sm'}>
        {label}
      </label>
      {children}
      <div id={`${id}-hint`} className="text-fg-2 text-sm empty:hidden">
        {hint}
      </div>
      <div id={`${id}-error`} aria-live="polite" className="text-bad text-sm empty:hidden">
        {error}
      </div>
    </div>
  )
}
