/** A definition as a form. Each control edits only its own part of the text. */
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef } from 'react'
import { applyEdits, type Fix } from '../../../../shared/agent-definition/agent-definition.ts'
import { oneEdit, setField } from '../../../../shared/agent-definition/write-definition.ts'
import { Button } from '../../../ui/button.tsx'
import { isMac } from '../../../ui/platform.ts'
import { type DefinitionDocument, useDocumentText } from '../definition-document.ts'
import { type DefinitionSurroundings, makeFix } from '../surroundings.ts'
import { BodyField } from './body-field.tsx'
import { FieldProblem } from './field.tsx'
import { type DefinitionFormState, FormContext } from './form-context.ts'
import { MainFields } from './main-fields.tsx'
import { MoreFields } from './more-fields.tsx'
import { type FormReading, readForm } from './read-form.ts'

interface DefinitionFormProps {
  readonly document: DefinitionDocument
  readonly surroundings: DefinitionSurroundings

  readonly readOnly: boolean
  /** Called after a range was revealed in the source, so that the source can be shown. */
  readonly onReveal?: () => void
}

/** Fills its parent. Typed text is not carried over to another document. */
export function DefinitionForm(props: DefinitionFormProps) {
  const shown = useRef({ document: props.document, count: 0 })
  if (shown.current.document !== props.document)
    shown.current = { document: props.document, count: shown.current.count + 1 }
  return <FormOfDocument key={shown.current.count} {...props} />
}

function FormOfDocument({ document, surroundings, readOnly, onReveal }: DefinitionFormProps) {
  const text = useDocumentText(document)
  const reading = useMemo(() => readForm(text, surroundings), [text, surroundings])
  const controls = useMemo(
    () => ({
      document,
      surroundings,
      readOnly,
      set: (key, value) => document.edit(setField(document.text, key, value)),
      edit: (edits) => document.edit(edits),
      reveal: ({ from, to }) => {
        document.reveal(from, to)
        onReveal?.()
      },
    }),
    [document, surroundings, readOnly, onReveal],
  ) satisfies Controls
  const { definition } = reading
  if (definition === null)
    return (
      <UndoInDocument document={document} readOnly={readOnly}>
        <UnreadFile reading={reading} {...controls} />
      </UndoInDocument>
    )
  return (
    <FormContext value={{ ...reading, definition, ...controls }}>
      <UndoInDocument document={document} readOnly={readOnly}>
        {reading.otherProblems.length > 0 && (
          <div className="flex flex-col gap-1">
            {reading.otherProblems.map((problem) => (
              <FieldProblem key={`${problem.code} ${problem.from}`} problem={problem} />
            ))}
          </div>
        )}
        <MainFields />
        <MoreFields />
        <BodyField />
      </UndoInDocument>
    </FormContext>
  )
}

type Controls = Omit<DefinitionFormState, keyof FormReading>

interface UndoInDocumentProps {
  readonly document: DefinitionDocument
  readonly readOnly: boolean
  readonly children: ReactNode
}

/** Undo and redo act on the document, except in fields marked `data-own-undo`, which are not part of the text. */
function UndoInDocument({ document, readOnly, children }: UndoInDocumentProps) {
  const root = useRef<HTMLDivElement>(null)
  const undoOrRedo = (isUndo: boolean) => {
    if (readOnly) return
    if (isUndo) document.undo()
    else document.redo()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const isOwn = event.target instanceof Element && event.target.closest('[data-own-undo]') !== null
    if (isOwn || !(isMac ? event.metaKey : event.ctrlKey) || event.altKey) return
    const key = event.key.toLowerCase()
    if (key !== 'z' && (key !== 'y' || isMac)) return
    event.preventDefault()
    event.stopPropagation()
    undoOrRedo(key === 'z' && !event.shiftKey)
  }
  useEffect(() => {
    const element = root.current
    // The menu's Undo sends an input event without a key.
    const onInput = (event: InputEvent) => {
      if (event.inputType !== 'historyUndo' && event.inputType !== 'historyRedo') return
      event.preventDefault()
      if (readOnly) return
      if (event.inputType === 'historyUndo') document.undo()
      else document.redo()
    }
    element?.addEventListener('beforeinput', onInput)
    return () => element?.removeEventListener('beforeinput', onInput)
  }, [document, readOnly])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles keys that bubble up from the fields
    <div
      ref={root}
      onKeyDown={onKeyDown}
      className="flex h-full min-h-0 flex-col gap-[13px] overflow-y-auto px-5 py-4 *:shrink-0"
    >
      {children}
    </div>
  )
}

type UnreadFileProps = Pick<
  DefinitionFormState,
  'document' | 'surroundings' | 'readOnly' | 'edit' | 'reveal'
> & { readonly reading: FormReading }

/** Replaces the form when the text is not a definition or not readable. */
function UnreadFile({ reading, surroundings, readOnly, edit, reveal }: UnreadFileProps) {
  const { text, otherProblems, problemsOf } = reading
  const problems = [...otherProblems, ...problemsOf('name')]
  const named = applyEdits(text, setField(text, 'name', surroundings.stem))
  const make = (fix: Fix) => edit(fix.edits)
  const canName = problems.some(({ severity }) => severity === 'notice') && named !== text
  return (
    <div className="flex flex-col gap-3">
      <h2 className="font-semibold text-fg-0 text-md">No form for this file</h2>
      {problems.map((problem) => (
        <div key={`${problem.code} ${problem.from}`} className="flex flex-wrap items-center gap-2 text-sm">
          <p className={problem.severity === 'error' ? 'text-bad' : 'text-fg-1'}>{problem.message}</p>
          <Button onClick={() => reveal(problem)}>Show line {problem.line}</Button>
          {!readOnly &&
            problem.fixes.map((fix) => (
              <Button key={fix.label} onClick={() => makeFix(problem, fix, { ...surroundings, make })}>
                {fix.label}
              </Button>
            ))}
        </div>
      ))}
      {canName && !readOnly && (
        <Button className="self-start" onClick={() => edit(oneEdit(text, named))}>
          Add name: {surroundings.stem}
        </Button>
      )}
    </div>
  )
}
