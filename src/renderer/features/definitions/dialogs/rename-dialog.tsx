/** Renames an agent in its text, its file, or both. */
import { useEffect, useState } from 'react'
import { setField } from '../../../../shared/agent-definition/write-definition.ts'
import { ok } from '../../../../shared/kernel/result.ts'
import { useDialogCommand } from '../../../stores/overlay-store.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { readDefinitionText, renameDefinition } from '../definition-files.ts'
import { catalogEntryOf, showDialog, stemOfFile, useEditor } from '../editor-store.ts'
import { checkNewFile, fileNameOf } from './check-new-file.ts'

export function RenameDialog({ id }: { readonly id: string }) {
  const entry = catalogEntryOf(id)
  const entries = useEditor((state) => state.catalog.entries)
  const folder = useEditor((state) => state.folder ?? '')
  const [name, setName] = useState(entry?.name ?? '')
  const isWritable = useIsWritable(id)
  const [inText, setInText] = useState(true)
  // A file that is named differently from its agent keeps its name by default.
  const [inFileName, setInFileName] = useState(
    stemOfFile(entry?.path ?? '') === fileNameOf(entry?.name ?? ''),
  )
  const close = () => showDialog(null)
  const source = entry?.source === 'user' ? 'user' : 'project'
  const check = checkNewFile({ name, source, folder, entries, except: id })
  const path = `${folderOf(entry?.path ?? '')}${check.path}`
  const movesFile = (inFileName || !isWritable) && path !== entry?.path
  const writesText = inText && isWritable
  const isUnchanged = !movesFile && (!writesText || name.trim() === entry?.name)

  const { busy, failure, clearFailure, run } = useDialogCommand()
  const rename = async () => {
    const answer = await run(async () =>
      isUnchanged
        ? ok<void>(undefined)
        : renameDefinition(id, {
            name: writesText && name.trim() !== entry?.name ? name.trim() : null,
            path: movesFile ? path : null,
          }),
    )
    if (answer?.ok) close()
  }
  return (
    <FormDialog
      onClose={close}
      title={`Rename ${entry?.name ?? ''}`}
      label="Rename"
      isReady={check.error === null}
      busy={busy}
      onSubmit={() => void rename()}
    >
      <TextField
        label="Name"
        value={name}
        autoFocus
        onFocus={(event) => event.target.select()}
        onChange={(event) => {
          setName(event.target.value)
          clearFailure()
        }}
        error={check.error ?? failure?.message ?? null}
        hint={check.error === null ? check.note : null}
      />
      {isWritable ? (
        <div className="grid gap-1.5 text-fg-1 text-sm">
          <Choice label="Name in the file" isChosen={inText} onChange={setInText} />
          <Choice label={`File name: ${path}`} isChosen={inFileName} onChange={setInFileName} />
        </div>
      ) : (
        <p className="text-fg-1 text-sm">The text can’t be read, so only the file is renamed: {path}</p>
      )}
    </FormDialog>
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

/** Whether the name in the text can be changed; true until known. */
function useIsWritable(id: string): boolean {
  const [isWritable, setWritable] = useState(true)
  useEffect(() => {
    let canceled = false
    void readDefinitionText(id).then((text) => {
      if (!canceled) setWritable(text.ok && setField(text.value, 'name', 'another name').length > 0)
    })
    return () => {
      canceled = true
    }
  }, [id])
  return isWritable
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : ''
}
