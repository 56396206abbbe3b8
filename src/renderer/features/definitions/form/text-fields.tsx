/** Text inputs: one line, several lines, a number. */
import type { KeyboardEvent, ReactNode } from 'react'
import type { FieldKey } from '../../../../shared/agent-definition/definition-fields.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { INPUT_CLASS } from '../../../ui/text-field.tsx'
import { Field, useTextField } from './field.tsx'
import { type FieldDraft, useForm } from './form-context.ts'

interface TextFieldProps {
  readonly label: string
  readonly field: FieldKey
  /** The value in the text; empty if the key is absent. */
  readonly value: string
  readonly check?: (typed: string) => string | null
  readonly placeholder?: string
  readonly note?: ReactNode
  readonly hint?: ReactNode
  readonly className?: string
}

export function LineField({ label, field, value, check, placeholder, ...more }: TextFieldProps) {
  const { readOnly } = useForm()
  const draft = useTextField({ field, value, check })
  return (
    <Field label={label} keys={[field]} error={draft.error} {...more}>
      {({ id, describedBy, isWrong }) => (
        <input
          id={id}
          autoComplete="off"
          spellCheck={false}
          readOnly={readOnly}
          placeholder={placeholder}
          aria-invalid={isWrong || undefined}
          aria-describedby={describedBy}
          {...typingProps(draft)}
          className={classNames(INPUT_CLASS, 'h-[2.125rem]')}
        />
      )}
    </Field>
  )
}

/** Grows with its content. */
export function ProseField({ label, field, value, check, placeholder, ...more }: TextFieldProps) {
  const { readOnly } = useForm()
  const draft = useTextField({ field, value, check })
  return (
    <Field label={label} keys={[field]} error={draft.error} {...more}>
      {({ id, describedBy, isWrong }) => (
        <textarea
          id={id}
          rows={2}
          readOnly={readOnly}
          placeholder={placeholder}
          aria-invalid={isWrong || undefined}
          aria-describedby={describedBy}
          {...typingProps(draft)}
          className={classNames(
            INPUT_CLASS,
            'field-sizing-content max-h-80 min-h-[3.625rem] resize-none py-1.5 leading-normal',
          )}
        />
      )}
    </Field>
  )
}

/** A whole number from 1. The arrow keys increase and decrease it. */
export function CountField({ label, field, value, placeholder, ...more }: TextFieldProps) {
  const { readOnly } = useForm()
  const draft = useTextField({ field, value, check: countError, parse: Number })
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
    if (step === 0 || readOnly) return
    event.preventDefault()
    const now = isCount(draft.shown.trim()) ? Number(draft.shown) : 0
    draft.change(String(Math.max(1, now + step)))
  }
  return (
    <Field label={label} keys={[field]} error={draft.error} {...more}>
      {({ id, describedBy, isWrong }) => (
        <input
          id={id}
          inputMode="numeric"
          autoComplete="off"
          readOnly={readOnly}
          placeholder={placeholder}
          aria-invalid={isWrong || undefined}
          aria-describedby={describedBy}
          {...typingProps(draft, onKeyDown)}
          className={classNames(INPUT_CLASS, 'h-[2.125rem]')}
        />
      )}
    </Field>
  )
}

export function typingProps(draft: FieldDraft, onKeyDown?: (event: KeyboardEvent) => void) {
  return {
    value: draft.shown,
    onChange: (event: { readonly target: { readonly value: string } }) => draft.change(event.target.value),
    onFocus: draft.onFocus,
    onBlur: draft.onBlur,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Escape' && draft.reset()) event.stopPropagation()
      else onKeyDown?.(event)
    },
  }
}

const countError = (typed: string): string | null =>
  typed.trim() === '' || isCount(typed.trim()) ? null : 'Enter a whole number from 1.'

const isCount = (text: string): boolean =>
  /^\d+$/.test(text) && Number(text) >= 1 && Number.isSafeInteger(Number(text))
