/** The frame of a control: label with help, a note, and the problems below. */

import { ArrowRight } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import {
  applyEdits,
  type Diagnostic,
  type Fix,
} from '../../../../shared/agent-definition/agent-definition.ts'
import { type FieldKey, fieldOf } from '../../../../shared/agent-definition/definition-fields.ts'
import { type FieldValue, oneEdit, setField } from '../../../../shared/agent-definition/write-definition.ts'
import { Button } from '../../../ui/button.tsx'
import { ChipButton } from '../../../ui/chip.tsx'
import { Tooltip } from '../../../ui/popover.tsx'
import { classNames } from '../../../ui/text/class-names.ts'
import { makeFix } from '../surroundings.ts'
import { type FieldDraft, useFieldDraft, useForm } from './form-context.ts'

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
          <FieldProblem key={`${problem.code} ${problem.from}`} problem={problem} fields={keys} />
        ))}
      </div>
    </div>
  )
}

/** A problem's message with its quick fixes. */
export function FieldProblem(props: { readonly problem: Diagnostic; readonly fields?: readonly FieldKey[] }) {
  const { severity, message, fixes } = props.problem
  const { edit, readOnly, surroundings } = useForm()
  const make = (fix: Fix) => edit(fix.edits)
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
          <Button
            key={fix.label}
            className="h-5 px-2 text-xs"
            onClick={() => makeFix(props.problem, fix, { ...surroundings, make })}
          >
            {fix.label}
          </Button>
        ))}
    </div>
  )
}

/** A recovered value is not invalid. */
const isSerious = ({ code, severity }: Diagnostic) => severity === 'error' || code.startsWith('bad-')

/**
 * Emptying a field removes its key. Typing into it again restores the key with its position, quotes and comment.
 */
export function useFieldWriter(key: FieldKey): (value: FieldValue, focus: number) => void {
  const { document } = useForm()
  const emptied = useRef<{ readonly before: string; readonly after: string } | null>(null)
  return (value, focus) => {
    const group = { group: `${key} ${focus}` }
    const text = document.text
    const last = emptied.current
    if (value !== null && last !== null && last.after === text) {
      const { before } = last
      document.edit(oneEdit(text, applyEdits(before, setField(before, key, value))), group)
    } else document.edit(setField(text, key, value), group)
    emptied.current = value === null ? { before: text, after: document.text } : null
  }
}

/** The input of a text field. Spaces alone remove the key. */
interface TextFieldOptions {
  readonly field: FieldKey
  /** The value in the text; empty if the key is absent. */
  readonly value: string
  readonly check: ((typed: string) => string | null) | undefined
  /** Converts the trimmed input to the value of the key. */
  readonly parse?: (input: string) => FieldValue
}

export function useTextField(options: TextFieldOptions): FieldDraft {
  const { field, value, check, parse = (input) => input } = options
  const write = useFieldWriter(field)
  return useFieldDraft({
    value,
    ...(check ? { check } : {}),
    write: (typed, focus) => write(typed.trim() === '' ? null : parse(typed.trim()), focus),
  })
}

// Keeps the focus in a group of chips when the focused chip is removed.

/** `group` needs `tabIndex={-1}`. Call `keepFocus` before the change. */
export function useKeptFocus() {
  const group = useRef<HTMLDivElement>(null)
  const wasInside = useRef(false)
  useEffect(() => {
    if (wasInside.current && document.activeElement === document.body) group.current?.focus()
    wasInside.current = false
  })
  return {
    group,
    keepFocus: () => {
      wasInside.current = group.current?.contains(document.activeElement) === true
    },
  }
}

/** The problem of one name in a list, on its chip. */
export interface ChipProblem {
  /** `bad`: no such name. `needs-you`: a name that may exist later, such as a server's. `plain`: only a remark. */
  readonly tone: 'bad' | 'needs-you' | 'plain'
  readonly message: string
  /** The name that was probably meant, and how to write it; null without one, or if the definition is read-only. */
  readonly suggestion: { readonly name: string; readonly apply: () => void } | null
}

/** The problem that a diagnostic reports about a name of a list, or null. */
export function problemOfName(
  name: string,
  problems: readonly Diagnostic[],
  edit: (edits: Diagnostic['fixes'][number]['edits']) => void,
): ChipProblem | null {
  const found = problems.find(({ about }) => about?.name === name)
  if (found === undefined) return null
  const { code, severity, message, about, fixes } = found
  const nearest = about?.nearest ?? null
  const fix = fixes.find(({ label }) => nearest !== null && label === `Use ${nearest}`)
  const isLater = code === 'unknown-server' && nearest === null
  return {
    tone: severity === 'notice' ? 'plain' : isLater ? 'needs-you' : 'bad',
    message,
    suggestion:
      nearest === null || fix === undefined ? null : { name: nearest, apply: () => edit(fix.edits) },
  }
}

/** A chip's text: struck through if no such name exists. */
export function ChipName({ name, problem }: { readonly name: string; readonly problem: ChipProblem | null }) {
  return problem?.tone === 'bad' ? <s>{name}</s> : name
}

/** Behind a misspelled name: the button that writes the right one. */
export function ChipSuggestion(props: {
  readonly name: string
  readonly problem: ChipProblem | null
  /** Before the name is replaced, which removes this button. */
  readonly onReplace: () => void
}) {
  const suggestion = props.problem?.suggestion ?? null
  if (suggestion === null) return null
  return (
    <ChipButton
      icon={ArrowRight}
      aria-label={`Replace ${props.name} with ${suggestion.name}`}
      onClick={() => {
        props.onReplace()
        suggestion.apply()
      }}
      className="max-w-full"
    >
      <span className="truncate">{suggestion.name}</span>
    </ChipButton>
  )
}
