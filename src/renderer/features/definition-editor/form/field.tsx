/** The frame of every control: its name with what it means, a note beside it, and what is wrong below it. */
import { type ReactNode, useId } from 'react'
import type { Diagnostic } from '../../../../shared/agent-definition/agent-definition.ts'
import { type FieldKey, fieldOf } from '../../../../shared/agent-definition/definition-fields.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Tooltip } from '../../../ui/tooltip.tsx'
import { useForm } from './form-context.ts'

interface FieldProps {
  readonly label: string
  /** What is told of, and explained: its help and its problems. */
  readonly keys: readonly [FieldKey, ...FieldKey[]]
  /** Beside the label. */
  readonly beside?: ReactNode
  /** At the right of the label. */
  readonly note?: ReactNode
  /** Of what was typed and is not in the text; then the text's own problems wait. */
  readonly error?: string | null
  /** Below the control. */
  readonly hint?: ReactNode
  readonly className?: string
  readonly children: (ids: FieldIds) => ReactNode
}

export interface FieldIds {
  readonly id: string
  /** For `aria-labelledby`. */
  readonly labelId: string
  /** For `aria-describedby`: what it means and what is wrong. */
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

/** What is wrong, in words, with what puts it right. */
export function Problem(props: { readonly problem: Diagnostic; readonly fields?: readonly FieldKey[] }) {
  const { severity, message, mends } = props.problem
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
        mends.map((mend) => (
          <Button key={mend.label} className="h-5 px-2 text-xs" onClick={() => edit(mend.edits)}>
            {mend.label}
          </Button>
        ))}
    </div>
  )
}

/** What is read in spite of a slip is no wrong value. */
const isSerious = ({ code, severity }: Diagnostic) => severity === 'error' || code.startsWith('bad-')
