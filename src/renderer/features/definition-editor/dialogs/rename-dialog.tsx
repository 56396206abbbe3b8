/** Another name for an agent: in its text, of its file, or both. */
import { useEffect, useId, useState } from 'react'
import { setField } from '../../../../shared/agent-definition/write-definition.ts'
import { ok } from '../../../../shared/result.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { renameDefinition, textOf } from '../definition-files.ts'
import { entryOf, showDialog, stemOf, useEditor } from '../editor-store.ts'
import { checkNewFile, fileNameOf } from './check-new-file.ts'
import { DialogButtons } from './dialog-buttons.tsx'
import { useSubmit } from './use-submit.ts'

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
  const close = () => showDialog(null)
  const source = entry?.source === 'user' ? 'user' : 'project'
  const check = checkNewFile({ name, source, folder, entries, except: id })
  const path = `${folderOf(entry?.path ?? '')}${check.path}`
  const movesFile = (ofFile || !canBeWritten) && path !== entry?.path
  const writesText = inText && canBeWritten
  const isNothing = !movesFile && (!writesText || name.trim() === entry?.name)

  const rename = () =>
    renameDefinition(id, {
      name: writesText && name.trim() !== entry?.name ? name.trim() : null,
      path: movesFile ? path : null,
    })
  const submit = useSubmit({
    isValid: check.error === null,
    work: async () => (isNothing ? ok(null) : rename()),
    onDone: close,
  })
  return (
    <Dialog
      open
      onClose={close}
      title={`Rename ${entry?.name ?? ''}`}
      actions={<DialogButtons label="Rename" canSend={submit.canSend} form={form} onCancel={close} />}
    >
      <form id={form} onSubmit={submit.onSubmit} className="grid gap-3">
        <TextField
          label="Name"
          value={name}
          autoFocus
          onFocus={(event) => event.target.select()}
          onChange={(event) => {
            setName(event.target.value)
            submit.forget()
          }}
          error={check.error ?? submit.failure}
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
