/** Creates an agent from a description. An agent writes the draft, which opens unsaved; it can be stopped. */
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { create } from 'zustand'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import { command } from '../../../bridge.ts'
import { Button } from '../../../ui/button.tsx'
import { SubmitButton } from '../../../ui/form-dialog.tsx'
import { timeNow, useNow } from '../../../ui/machine.ts'
import { isMac } from '../../../ui/platform.ts'
import { Spinner } from '../../../ui/spinner.tsx'
import { formatDuration } from '../../../ui/text/format.ts'
import { INPUT_CLASS } from '../../../ui/text-field.tsx'
import { openDraft } from '../definition-files.ts'
import { useEditor, type WritableSource } from '../editor-store.ts'
import { checkNewFile, freeName } from './check-new-file.ts'
import { SourceChoice } from './name-and-source.tsx'

interface DescribeAgentProps {
  readonly source: WritableSource
  readonly onSource: (source: WritableSource) => void
  readonly onDone: () => void
}

/** The last description; survives a closed dialog and a failed draft. */
const useDescribed = create<{ readonly text: string }>()(() => ({ text: '' }))

export function DescribeAgent({ source, onSource, onDone }: DescribeAgentProps) {
  const id = useId()
  const description = useDescribed(({ text }) => text)
  const [failure, setFailure] = useState<string | null>(null)
  const [startedAt, setStartedAt] = useState<number | null>(null)
  /** Identifies the running draft; null when none runs. */
  const running = useRef<object | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  // Closing the dialog stops the draft.
  useEffect(
    () => () => {
      if (running.current !== null) void command('definition.stopDraft', {})
      running.current = null
    },
    [],
  )

  const write = async (event: FormEvent) => {
    event.preventDefault()
    const folder = useEditor.getState().folder
    if (description.trim() === '' || folder === null || running.current !== null) return
    const draft = {}
    running.current = draft
    setFailure(null)
    setStartedAt(timeNow())
    const answer = await command('definition.draft', { folder, description: description.trim() })
    if (running.current !== draft) return
    running.current = null
    setStartedAt(null)
    if (!answer.ok) return setFailure(answer.failure.message)
    useDescribed.setState({ text: '' })
    onDone()
    await openDraft({ source, path: pathOf(answer.value.text, source), text: answer.value.text })
  }
  const stop = () => {
    running.current = null
    setStartedAt(null)
    void command('definition.stopDraft', {})
    field.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Enter' && (isMac ? event.metaKey : event.ctrlKey))
      event.currentTarget.form?.requestSubmit()
  }
  return (
    <form onSubmit={(event) => void write(event)} className="grid gap-3.5">
      <div className="grid gap-1">
        <label htmlFor={id} className="text-fg-1 text-sm">
          What should it do, and when should it be used?
        </label>
        <textarea
          ref={field}
          id={id}
          value={description}
          readOnly={startedAt !== null}
          rows={6}
          aria-invalid={failure === null ? undefined : true}
          aria-describedby={`${id}-error`}
          placeholder="Checks database migrations before they are merged: locks, missing indexes, irreversible steps. Read-only."
          onChange={(event) => {
            useDescribed.setState({ text: event.target.value })
            setFailure(null)
          }}
          onKeyDown={onKeyDown}
          className={`${INPUT_CLASS} min-h-28 resize-y py-2 leading-normal`}
        />
        <p id={`${id}-error`} aria-live="polite" data-selectable="" className="text-bad text-sm empty:hidden">
          {failure}
        </p>
      </div>
      <SourceChoice source={source} path={null} onSource={onSource} />
      <div className="flex items-center justify-end gap-2">
        <p role="status" className="min-w-0 flex-1 text-fg-2 text-sm">
          {startedAt === null ? (
            'An agent writes the draft. You review it before it is saved.'
          ) : (
            <Writing since={startedAt} />
          )}
        </p>
        {startedAt === null ? (
          <>
            <Button size="md" onClick={onDone}>
              Cancel
            </Button>
            <SubmitButton label="Write draft" isReady={description.trim() !== ''} busy={false} />
          </>
        ) : (
          <Button size="md" onClick={stop}>
            Stop
          </Button>
        )}
      </div>
    </form>
  )
}

function Writing({ since }: { readonly since: number }) {
  const now = Math.max(useNow(true), since)
  return (
    <span className="flex items-center gap-2">
      <Spinner /> Writing the draft <span aria-hidden="true">· {formatDuration(now - since)}</span>
    </span>
  )
}

/** A free path for the name in the text. */
function pathOf(text: string, source: WritableSource): string {
  const { catalog, folder } = useEditor.getState()
  const { definition } = readDefinition(text, { stem: 'agent', source })
  const wanted = { source, folder: folder ?? '', entries: catalog.entries }
  const name = freeName({ ...wanted, name: definition?.name ?? 'agent' })
  return checkNewFile({ ...wanted, name }).path
}
