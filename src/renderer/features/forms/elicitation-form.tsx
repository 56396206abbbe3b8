/** Input that an MCP server asks for: a field for each property of its schema. All of its text is shown as plain text. */
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import {
  checkField,
  type ElicitationField,
  elicitationFields,
} from '../../../shared/forms/elicitation-fields.ts'
import type { FormContent } from '../../../shared/forms/form.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { INPUT_CLASS } from '../../ui/text-field.tsx'
import { type DraftValue, type FormDraft, type FormPartProps, ServerText } from './form-parts.tsx'

export function ElicitationForm(props: FormPartProps<Extract<FormContent, { kind: 'elicitation' }>>) {
  const { form, draft, sending, send, decline, keys } = props
  const fields = useMemo(() => elicitationFields(form.schema), [form.schema])
  const [errors, setErrors] = useState<ReadonlyMap<string, string>>(new Map())
  const list = useRef<HTMLDivElement>(null)

  const submit = () => {
    const found = new Map<string, string>()
    const entries: [string, unknown][] = []
    for (const field of fields) {
      const checked = checkField(field, draft.get(field.name) ?? field.initial)
      if ('error' in checked) found.set(field.name, checked.error)
      else if (checked.value !== undefined) entries.push([field.name, checked.value])
    }
    setErrors(found)
    if (found.size === 0) return send(Object.fromEntries(entries))
    const at = fields.findIndex(({ name }) => found.has(name))
    list.current
      ?.querySelectorAll<HTMLElement>('[data-field]')
      [at]?.querySelector<HTMLElement>('input, select')
      ?.focus()
  }
  keys.current = (event) => {
    if (event.key !== 'Enter' || event.shiftKey) return false
    submit()
    return true
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.key !== 'Enter') return
    event.preventDefault()
    event.stopPropagation()
    submit()
  }
  return (
    <>
      <ServerText server={form.server} message={form.message} />
      <div ref={list} className="flex max-h-[44vh] min-h-0 flex-col gap-2 overflow-y-auto">
        {fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            draft={draft}
            error={errors.get(field.name) ?? null}
            onEnter={onKeyDown}
          />
        ))}
      </div>
      <div className="flex shrink-0 flex-wrap gap-1.5 pt-0.5">
        <Button disabled={sending} onClick={submit}>
          Send <Kbd keys="Enter" />
        </Button>
        <Button disabled={sending} onClick={decline}>
          Decline <Kbd keys="D" />
        </Button>
      </div>
    </>
  )
}

interface FieldProps {
  readonly field: ElicitationField
  readonly draft: FormDraft
  readonly error: string | null
  readonly onEnter: (event: KeyboardEvent) => void
}

function Field({ field, draft, error, onEnter }: FieldProps) {
  const { name, label, description, isRequired } = field
  const id = useId()
  const isGroup = field.kind === 'choices'
  const heading = (
    <>
      <VisibleText>{label}</VisibleText>
      {isRequired && field.kind !== 'flag' && <span className="text-fg-2"> (required)</span>}
    </>
  )
  return (
    <div data-field={name} className="flex min-w-0 flex-col gap-1">
      {isGroup ? (
        <span id={`${id}-label`} className="text-fg-1">
          {heading}
        </span>
      ) : (
        <label htmlFor={id} className="text-fg-1 wrap-anywhere">
          {field.kind === 'flag' && (
            <input
              id={id}
              type="checkbox"
              checked={(draft.get(name) ?? field.initial) === true}
              onChange={({ target }) => draft.set(name, target.checked)}
              className="mr-2 align-[-2px] accent-(--accent)"
            />
          )}
          {heading}
        </label>
      )}
      <FieldInput
        field={field}
        id={id}
        value={draft.get(name) ?? field.initial}
        onChange={(value) => draft.set(name, value)}
        isInvalid={error !== null}
        onEnter={onEnter}
      />
      {description !== '' && (
        <span id={`${id}-hint`} className="text-fg-2 text-xs wrap-anywhere">
          <VisibleText>{description}</VisibleText>
        </span>
      )}
      <span id={`${id}-error`} aria-live="polite" className="text-bad text-xs empty:hidden">
        {error}
      </span>
    </div>
  )
}

interface FieldInputProps {
  readonly field: ElicitationField
  readonly id: string
  readonly value: DraftValue
  readonly onChange: (value: DraftValue) => void
  readonly isInvalid: boolean
  readonly onEnter: (event: KeyboardEvent) => void
}

function FieldInput({ field, id, value, onChange, isInvalid, onEnter }: FieldInputProps) {
  const text = typeof value === 'string' ? value : ''
  const described = {
    'aria-describedby': `${id}-hint ${id}-error`,
    ...(isInvalid && { 'aria-invalid': true as const }),
  }
  switch (field.kind) {
    case 'flag':
      return null
    case 'choice':
      return (
        <select
          id={id}
          value={text}
          onChange={({ target }) => onChange(target.value)}
          onKeyDown={onEnter}
          {...described}
          className={`${INPUT_CLASS} h-7 text-sm`}
        >
          <option value="">{field.isRequired ? 'Choose…' : 'None'}</option>
          {field.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )
    case 'choices': {
      const chosen = Array.isArray(value) ? value : []
      return (
        <fieldset aria-labelledby={`${id}-label`} className="flex flex-col gap-0.5">
          {field.options.map((option) => (
            <label key={option.value} className="flex items-start gap-2 text-fg-0 wrap-anywhere">
              <input
                type="checkbox"
                checked={chosen.includes(option.value)}
                onChange={({ target }) =>
                  onChange(
                    target.checked
                      ? [...chosen, option.value]
                      : chosen.filter((each) => each !== option.value),
                  )
                }
                className="mt-[3px] accent-(--accent)"
              />
              <VisibleText>{option.label}</VisibleText>
            </label>
          ))}
        </fieldset>
      )
    }
    case 'number':
    case 'text':
      return (
        <input
          id={id}
          dir="auto"
          autoComplete="off"
          spellCheck={false}
          inputMode={field.kind === 'number' ? 'decimal' : 'text'}
          value={text}
          onChange={({ target }) => onChange(target.value)}
          onKeyDown={onEnter}
          {...described}
          className={`${INPUT_CLASS} h-7 text-sm`}
        />
      )
  }
}
