/** What an undo or a redo would do to each file, and the button that does it. */
import { type KeyboardEvent, useEffect, useRef } from 'react'
import type { ConflictChoice, PreviewedFile, UndoPreview } from '../../../shared/changes.ts'
import { applyUndo, cancelUndo, chooseFor, useChanges } from '../../stores/changes-store.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Kbd } from '../../ui/kbd.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Spinner } from '../../ui/spinner.tsx'

const ACTIONS: Readonly<Record<PreviewedFile['action'], string>> = {
  restored: 'goes back',
  deleted: 'is deleted',
  recreated: 'comes back',
  merged: 'is merged',
  choose: 'you decide',
  unchanged: 'stays as it is',
  impossible: 'can’t be undone',
}

const CHOICES: readonly { readonly value: ConflictChoice; readonly label: string }[] = [
  { value: 'keep', label: 'Keep later lines' },
  { value: 'leave', label: 'Leave the file' },
  { value: 'old', label: 'Lose later lines' },
]

export function UndoPanel() {
  const asked = useChanges((state) => state.asked)
  const panel = useRef<HTMLElement>(null)
  const question = asked?.question
  // The focus goes to the preview and, when it closes, back to where it was.
  useEffect(() => {
    if (question === undefined) return
    const opener = document.activeElement
    panel.current?.focus()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [question])
  if (asked === null) return null
  const { preview, isCurrent, failure, busy } = asked
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || busy) return
    event.preventDefault()
    event.stopPropagation()
    cancelUndo()
  }
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-label={asked.question.title}
      onKeyDown={onKeyDown}
      className="flex max-h-[50%] shrink-0 flex-col border-line border-t bg-bg-1 outline-none"
    >
      <div className="flex items-center gap-2 px-3.5 pt-2.5 pb-1 text-sm">
        <h3 className="truncate font-semibold text-fg-0">{asked.question.title}</h3>
        <span className="flex-1 truncate text-fg-2">Nothing has happened yet. This is what will:</span>
        <Kbd keys="Esc" />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-3.5">
        {preview === null && failure === null && <Spinner />}
        {preview?.files.map((file) => (
          <FileLine key={file.path} file={file} choice={asked.choices[file.path]} />
        ))}
        {preview?.notUndone.map(({ label, reason }) => (
          <Line key={`${label} ${reason}`} name={label} action="is not undone" reason={reason} />
        ))}
        <p role="alert" className="py-1 text-bad text-sm empty:hidden">
          {failure}
        </p>
      </div>
      <div className="flex items-center gap-2 px-3.5 py-2.5">
        <Button
          variant="primary"
          disabled={preview === null || !isCurrent || amountOf(preview) === 0}
          aria-busy={busy}
          onClick={() => void applyUndo()}
        >
          {preview === null ? 'Undo' : applyText(preview)}
        </Button>
        <Button disabled={busy} onClick={cancelUndo}>
          Cancel
        </Button>
      </div>
    </section>
  )
}

function FileLine({
  file,
  choice,
}: {
  readonly file: PreviewedFile
  readonly choice: ConflictChoice | undefined
}) {
  return (
    <Line
      name={file.shown}
      action={ACTIONS[file.action]}
      danger={file.action === 'deleted'}
      reason={file.reason}
    >
      {file.conflict !== null && (
        <Segmented
          label={`Later changes of ${file.shown}`}
          value={choice ?? file.conflict.choice}
          options={CHOICES}
          onChange={(next) => chooseFor(file.path, next)}
        />
      )}
    </Line>
  )
}

interface LineProps {
  readonly name: string
  readonly action: string
  readonly danger?: boolean
  readonly reason: string
  readonly children?: React.ReactNode
}

function Line({ name, action, danger = false, reason, children }: LineProps) {
  return (
    <div className="grid grid-cols-[minmax(0,2fr)_7rem_minmax(0,3fr)] items-baseline gap-2 py-0.5 text-sm">
      <span className="truncate font-mono text-fg-0 text-xs" title={name}>
        {name}
      </span>
      <span className={classNames('font-semibold', danger ? 'text-bad' : 'text-fg-0')}>{action}</span>
      <span className="flex min-w-0 flex-wrap items-center gap-2 text-fg-2">
        <span className="min-w-0 wrap-anywhere">{reason}</span>
        {children}
      </span>
    </div>
  )
}

function amountOf({ files }: UndoPreview): number {
  return files.filter(({ action }) => action !== 'unchanged' && action !== 'impossible').length
}

function applyText(preview: UndoPreview): string {
  const amount = (...actions: PreviewedFile['action'][]) =>
    preview.files.filter(({ action }) => actions.includes(action)).length
  const parts = [
    ['put back', amount('restored', 'recreated')],
    ['merge', amount('merged')],
    ['delete', amount('deleted')],
    ['decide', amount('choose')],
  ] as const
  const text = parts.filter(([, files]) => files > 0).map(([verb, files]) => `${verb} ${files}`)
  const verb = preview.redoOf === null ? 'Undo' : 'Redo'
  return text.length === 0 ? verb : `${verb}: ${text.join(', ')}`
}
