/** A new agent from a description: an agent writes the draft, which opens unsaved. It can be stopped at any time. */
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import { command } from '../../../bridge.ts'
import { useNow } from '../../../stores/use-now.ts'
import { Button } from '../../../ui/button.tsx'
import { formatDuration } from '../../../ui/format.ts'
import { isMac } from '../../../ui/platform.ts'
import { Spinner } from '../../../ui/spinner.tsx'
import { INPUT_CLASS } from '../../../ui/text-field.tsx'
import { openDraft } from '../definition-files.ts'
import { useEditor, type WritableSource } from '../editor-store.ts'
import { checkNewFile, freeName } from './check-new-file.ts'
import { DialogButtons } from './dialog-buttons.tsx'
import { PlaceChoice } from './name-and-place.tsx'

interface DescribeAgentProps {
  readonly source: WritableSource
  readonly onSource: (source: WritableSource) => void
  readonly onDone: () => void
}

/** What was described outlives a closed dialog, and a draft that went wrong. */
let described = ''

export function DescribeAgent({ source, onSource, onDone }: DescribeAgentProps) {
  const id = useId()
  const [words, setWords] = useState(described)
  const [failure, setFailure] = useState<string | null>(null)
  const [startedAt, setStartedAt] = useState<number | null>(null)
  /** The draft that is waited for; another object once it was stopped. */
  const wish = useRef<object | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  // A dialog that is closed waits for nothing.
  useEffect(
    () => () => {
      if (wish.current !== null) void command('definition.stopDraft', {})
      wish.current = null
    },
    [],
  )

  const write = async (event: FormEvent) => {
    event.preventDefault()
    const folder = useEditor.getState().folder
    if (words.trim() === '' || folder === null || wish.current !== null) return
    const mine = {}
    wish.current = mine
    setFailure(null)
    setStartedAt(Date.now())
    const answer = await command('definition.draft', { folder, description: words.trim() })
    if (wish.current !== mine) return
    wish.current = null
    setStartedAt(null)
    if (!answer.ok) return setFailure(answer.failure.message)
    described = ''
    onDone()
    await openDraft({ source, path: pathOf(answer.value.text, source), text: answer.value.text })
  }
  const stop = () => {
    wish.current = null
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
          value={words}
          readOnly={startedAt !== null}
          rows={6}
          aria-invalid={failure === null ? undefined : true}
          aria-describedby={`${id}-error`}
          placeholder="Checks database migrations before they are merged: locks, missing indexes, steps that can’t be taken back. It only reads."
          onChange={(event) => {
            described = event.target.value
            setWords(event.target.value)
            setFailure(null)
          }}
          onKeyDown={onKeyDown}
          className={`${INPUT_CLASS} min-h-28 resize-y py-2 leading-normal`}
        />
        <p id={`${id}-error`} aria-live="polite" data-selectable="" className="text-bad text-sm empty:hidden">
          {failure}
        </p>
      </div>
      <PlaceChoice source={source} path={null} onSource={onSource} />
      <div className="flex items-center justify-end gap-2">
        <p role="status" className="min-w-0 flex-1 text-fg-2 text-sm">
          {startedAt === null ? (
            'An agent writes the draft; you look at it before it is saved.'
          ) : (
            <Writing since={startedAt} />
          )}
        </p>
        {startedAt === null ? (
          <DialogButtons label="Write it" canSend={words.trim() !== ''} onCancel={onDone} />
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
      <Spinner /> An agent is writing it <span aria-hidden="true">· {formatDuration(now - since)}</span>
    </span>
  )
}

/** A file that is not there yet, by the name in the text. */
function pathOf(text: string, source: WritableSource): string {
  const { library, folder } = useEditor.getState()
  const { definition } = readDefinition(text, { stem: 'agent', source })
  const wanted = { source, folder: folder ?? '', entries: library.entries }
  const name = freeName({ ...wanted, name: definition?.name ?? 'agent' })
  return checkNewFile({ ...wanted, name }).path
}
