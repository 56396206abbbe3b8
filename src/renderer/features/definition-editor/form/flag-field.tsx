/** A switch for a boolean key. */
import type { FieldKey } from '../../../../shared/agent-definition/definition-fields.ts'
import { fieldOf } from '../../../../shared/agent-definition/definition-fields.ts'
import { Switch } from '../../../ui/switch.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'
import { Problem } from './field.tsx'
import { defaultValue, useForm } from './form-context.ts'

interface FlagFieldProps {
  readonly label: string
  readonly field: FieldKey
  readonly value: boolean
}

export function FlagField({ label, field, value }: FlagFieldProps) {
  const form = useForm()
  const help = fieldOf(field)?.help ?? ''
  const problems = form.problemsOf(field)
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex items-start gap-2">
        <Switch
          label={label}
          checked={value}
          disabled={form.readOnly}
          onChange={(on) => form.set(field, on ? true : defaultValue(form, field, false))}
        />
        <Tooltip text={help} side="top">
          <span className="min-w-0 text-fg-1 text-sm leading-[18px]">{label}</span>
        </Tooltip>
      </div>
      <div aria-live="polite" className="flex flex-col gap-1 empty:hidden">
        {problems.map((problem) => (
          <Problem key={`${problem.code} ${problem.from}`} problem={problem} fields={[field]} />
        ))}
      </div>
    </div>
  )
}
