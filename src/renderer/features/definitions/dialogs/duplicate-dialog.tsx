/** Copies an agent to another source or name, which makes a locked agent editable. */
import { useId, useState } from 'react'
import { Dialog } from '../../../ui/dialog.tsx'
import { createDefinition, textOf, withName } from '../definition-files.ts'
import { entryOf, showDialog, useEditor, type WritableSource } from '../editor-store.ts'
import { checkNewFile, freeName } from './check-new-file.ts'
import { DialogButtons } from './dialog-buttons.tsx'
import { NameAndSource } from './name-and-source.tsx'
import { useSubmit } from './use-submit.ts'

interface DuplicateDialogProps {
  readonly id: string
  /** The preselected source. */
  readonly source: WritableSource
}

export function DuplicateDialog({ id, source: first }: DuplicateDialogProps) {
  const form = useId()
  const entry = entryOf(id)
  const entries = useEditor((state) => state.catalog.entries)
  const folder = useEditor((state) => state.folder ?? '')
  // The copy of a plugin's agent has no plugin prefix.
  const bare = entry?.name.split(':').at(-1) ?? ''
  const [source, setSource] = useState(first)
  const [name, setName] = useState(() =>
    entry?.source === first ? freeName({ name: `${bare}-copy`, source: first, folder, entries }) : bare,
  )
  const close = () => showDialog(null)
  const check = checkNewFile({ name, source, folder, entries })

  const duplicate = async () => {
    const read = await textOf(id)
    if (!read.ok) return read
    const text = name.trim() === entry?.name ? read.value : withName(read.value, name.trim())
    return createDefinition({ source, path: check.path, text })
  }
  const submit = useSubmit({ isValid: check.error === null, work: duplicate, onDone: close })
  return (
    <Dialog
      open
      onClose={close}
      title={`Duplicate ${entry?.name ?? ''}`}
      description="Creates a copy. The original does not change."
      actions={<DialogButtons label="Duplicate" canSend={submit.canSend} form={form} onCancel={close} />}
    >
      <form id={form} onSubmit={submit.onSubmit}>
        <NameAndSource
          name={name}
          source={source}
          check={check}
          failure={submit.failure}
          onName={(next) => {
            setName(next)
            submit.clearFailure()
          }}
          onSource={setSource}
        />
      </form>
    </Dialog>
  )
}
