/** The frame of a control: label with help, a note, and the problems below. */
import { type ReactNode, useId } from 'react'
import type { Diagnostic } from '../../../../shared/agent-definition/agent-definition.ts'
import { type FieldKey, fieldOf } from '../../../../shared/agent-definition/definition-fields.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/text/class-names.ts'
import { Tooltip } from '../../../ui/tooltip.tsx'
import { useForm } from './form-context.ts'

interface FieldProps {
  readonly label: string
  /** The keys whose help and problems are shown. */
  readonly keys: readonly [FieldKey, ...FieldKey[]]
  /** Beside the label. */
  readonly beside?: ReactNode
  /** At the right of the label. */
  readonly note?: ReactNode
  /** The error of typed input that is not in the text. Hides the problems of the text. */
  readonly error?: string | null
  /** Below the control. */
  readonly hint?: ReactNode
  readonly className?: string
  readonly children: (ids: FieldIds) => ReactNode
}

interface FieldIds {
  readonly id: string
  /** For `aria-labelledby`. */
  readonly labelId: string
  /** For `aria-describedby`: the help and the problems. */
  readonly describedBy: string
  readonly isWrong: boolean
}

export function Field({ label, keys, beside, note, error = null, hint, className, children }: FieldProps) {
  const id = useId()
  const { problemsOf } = useForm()
  const help = fieldOf(keys[0])?.help ?? ''
  const problems = error === null ? keys.flatMap((key) => problemsOf(key)) : []
  const ids = { id, labelId: `${id}-label`, describedBy: `${id}-help ${id}-wrong` }
  return (
    <div className={classNames('flex flex-col gap-[5px]', className)}>
      <div className="flex min-h-[1.125rem] items-baseline gap-3">
        <Tooltip text={help} side="top">
          <label id={ids.labelId} htmlFor={id} className="shrink-0 text-fg-2 text-sm">
            {label}
          </label>
        </Tooltip>
        {beside}
        {note !== undefined && (
          <span className="min-w-0 ml-auto truncate font-mono text-fg-2 text-xs">{note}</span>
        )}
      </div>
      <span id={`${id}-help`} hidden>
        {help}
      </span>
      {children({ ...ids, isWrong: error !== null || problems.some(isSerious) })}
      {hint !== undefined && <div className="text-fg-2 text-xs">{hint}</div>}
      <div id={`${id}-wrong`} aria-live="polite" className="flex flex-col gap-1 empty:hidden">
        {error !== null && <p className="text-bad text-sm">{error}</p>}
        {problems.map((problem) => (
          <Problem key={`${problem.code} ${problem.from}`} problem={problem} fields={keys} />
        ))}
      </div>
    </div>
  )
}

/** A problem's message with its quick fixes. */
export function Problem(props: { readonly problem: Diagnostic; readonly fields?: readonly FieldKey[] }) {
  const { severity, message, fixes } = props.problem
  const { edit, readOnly } = useForm()
  const [first = ''] = /^[^:\s]+: /.exec(message) ?? []
  const isNamed = props.fields?.some((key) => first === `${key}: `)
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
      <span
        className={classNames(
          'min-w-0 [overflow-wrap:anywhere]',
          severity === 'error' ? 'text-bad' : severity === 'warning' ? 'text-needs-you' : 'text-fg-2',
        )}
      >
        {isNamed ? message.slice(first.length) : message}
      </span>
      {!readOnly &&
        fixes.map((fix) => (
          <Button key={fix.label} className="h-5 px-2 text-xs" onClick={() => edit(fix.edits)}>
            {fix.label}
          </Button>
        ))}
    </div>
  )
}

/** A recovered value is not invalid. */
const isSerious = ({ code, severity }: Diagnostic) => severity === 'error' || code.startsWith('bad-')
