/** Another name for an agent: in its text, of its file, or both. */
import { type FormEvent, useEffect, useId, useState } from 'react'
import { setField } from '../../../../shared/agent-definition/write-definition.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { renameDefinition, textOf } from '../definition-files.ts'
import { entryOf, showDialog, stemOf, useEditor } from '../editor-store.ts'
import { checkNewFile, fileNameOf } from './check-new-file.ts'

export function RenameDialog({ id }: { readonly id: string }) {
  const form = useId()
  const entry = entryOf(id)
  const entries = useEditor((state) => state.library.entries)
  const folder = useEditor((state) => state.folder ?? '')
  const [name, setName] = useState(entry?.name ?? '')
  const canBeWritten = useCanBeWritten(id)
  const [inText, setInText] = useState(true)
  // Who named the file otherwise meant it.
  const [ofFile, setOfFile] = useState(stemOf(entry?.path ?? '') === fileNameOf(entry?.name ?? ''))
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const close = () => showDialog(null)
  const source = entry?.source === 'user' ? 'user' : 'project'
  const check = checkNewFile({ name, source, folder, entries, except: id })
  const path = `${folderOf(entry?.path ?? '')}${check.path}`
  const movesFile = (ofFile || !canBeWritten) && path !== entry?.path
  const writesText = inText && canBeWritten
  const isNothing = !movesFile && (!writesText || name.trim() === entry?.name)

  const rename = async (event: FormEvent) => {
    event.preventDefault()
    if (check.error !== null || isBusy) return
    if (isNothing) return close()
    setBusy(true)
    const answer = await renameDefinition(id, {
      name: writesText && name.trim() !== entry?.name ? name.trim() : null,
      path: movesFile ? path : null,
    })
    setBusy(false)
    if (answer.ok) close()
    else setFailure(answer.failure.message)
  }
  return (
    <Dialog
      open
      onClose={close}
      title={`Rename ${entry?.name ?? ''}`}
      actions={
        <>
          <Button size="md" onClick={close}>
            Cancel
          </Button>
          <Button
            size="md"
            variant="primary"
            type="submit"
            form={form}
            disabled={check.error !== null || isBusy}
            focusableWhenDisabled
          >
            Rename
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void rename(event)} className="grid gap-3">
        <TextField
          label="Name"
          value={name}
          autoFocus
          onFocus={(event) => event.target.select()}
          onChange={(event) => {
            setName(event.target.value)
            setFailure(null)
          }}
          error={check.error ?? failure}
          hint={check.error === null ? check.note : null}
        />
        {canBeWritten ? (
          <div className="grid gap-1.5 text-fg-1 text-sm">
            <Choice label="The name in its text" isChosen={inText} onChange={setInText} />
            <Choice label={`The file’s name: ${path}`} isChosen={ofFile} onChange={setOfFile} />
          </div>
        ) : (
          <p className="text-fg-1 text-sm">
            Its text can’t be read, so only the file gets the new name: {path}
          </p>
        )}
      </form>
    </Dialog>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly isChosen: boolean
  readonly onChange: (isChosen: boolean) => void
}

function Choice({ label, isChosen, onChange }: ChoiceProps) {
  return (
    <label className="flex items-center gap-2">
      <input
        type="checkbox"
        checked={isChosen}
        onChange={(event) => onChange(event.target.checked)}
        className="accent-(--accent)"
      />
      <span className="min-w-0 break-words">{label}</span>
    </label>
  )
}

/** Whether a name can be written into the text; until that is known: yes. */
function useCanBeWritten(id: string): boolean {
  const [canBe, setCanBe] = useState(true)
  useEffect(() => {
    let isOver = false
    void textOf(id).then((text) => {
      if (!isOver) setCanBe(text.ok && setField(text.value, 'name', 'another name').length > 0)
    })
    return () => {
      isOver = true
    }
  }, [id])
  return canBe
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : ''
}
