/** Read-only fields: hooks and unknown keys. */
import type { FieldKey } from '../../../../shared/agent-definition/definition-fields.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from './field.tsx'
import { type DefinitionFormState, useForm } from './form-context.ts'
import { hasProgramField, isProgram } from './program-fields.tsx'
import type { FormKey } from './read-form.ts'

export function HooksField() {
  const { keyOf } = useForm()
  const key = keyOf('hooks')
  return (
    <Field label="Hooks" keys={['hooks']} note={key === null ? 'none; edit in the source' : undefined}>
      {() => key !== null && <Written fields={[key]} isNamed={false} />}
    </Field>
  )
}

/** Keys of programs, in a file without `backing`. */
const PROGRAM_KEYS: ReadonlySet<string> = new Set(['command', 'args', 'env'])

/** Keys that have no field in this form. */
export function otherKeys(form: DefinitionFormState): readonly FormKey[] {
  const isOther = isProgram(form)
    ? (field: FieldKey) => !hasProgramField(form, field)
    : (field: FieldKey) => PROGRAM_KEYS.has(field)
  return form.keys.filter(({ field }) => field === null || isOther(field))
}

export function OtherKeys() {
  const unknown = otherKeys(useForm())
  if (unknown.length === 0) return null
  return (
    <section aria-label="Other keys" className="flex flex-col gap-[5px]">
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="text-fg-2 text-sm">Other keys</h3>
        <span className="font-mono text-fg-2 text-xs">read-only</span>
      </div>
      <Written fields={unknown} isNamed />
    </section>
  )
}

function Written({ fields, isNamed }: { readonly fields: readonly FormKey[]; readonly isNamed: boolean }) {
  const { reveal } = useForm()
  return (
    <div className="flex flex-col divide-y divide-line rounded-md border border-line bg-bg-1">
      {fields.map((field) => (
        <div key={field.from} className="flex items-start gap-2 py-0.5 pr-1 pl-2.5">
          <pre
            data-selectable
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
            tabIndex={0}
            className="max-h-40 min-w-0 flex-1 overflow-auto whitespace-pre py-0.5 font-mono text-fg-1 text-xs"
          >
            {isNamed ? `${field.key}: ${field.written}` : field.written}
          </pre>
          <Button
            variant="quiet"
            className="h-5 px-1.5 text-xs"
            aria-label={`Show ${field.key} in the source, line ${field.line}`}
            onClick={() => reveal(field)}
          >
            Line {field.line}
          </Button>
        </div>
      ))}
    </div>
  )
}
