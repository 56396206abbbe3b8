/** A copy of an agent, in another place or under another name: the way to change what is locked. */
import { useId, useState } from 'react'
import { Dialog } from '../../../ui/dialog.tsx'
import { createDefinition, renamed, textOf } from '../definition-files.ts'
import { entryOf, showDialog, useEditor, type WritableSource } from '../editor-store.ts'
import { checkNewFile, freeName } from './check-new-file.ts'
import { DialogButtons } from './dialog-buttons.tsx'
import { NameAndPlace } from './name-and-place.tsx'
import { useSubmit } from './use-submit.ts'

interface DuplicateDialogProps {
  readonly id: string
  /** Where it is first thought to go. */
  readonly source: WritableSource
}

export function DuplicateDialog({ id, source: first }: DuplicateDialogProps) {
  const form = useId()
  const entry = entryOf(id)
  const entries = useEditor((state) => state.library.entries)
  const folder = useEditor((state) => state.folder ?? '')
  // A plugin's agent leaves its plugin's name behind.
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
    const text = name.trim() === entry?.name ? read.value : renamed(read.value, name.trim())
    return createDefinition({ source, path: check.path, text })
  }
  const submit = useSubmit({ isValid: check.error === null, work: duplicate, onDone: close })
  return (
    <Dialog
      open
      onClose={close}
      title={`Duplicate ${entry?.name ?? ''}`}
      description="The copy is a file of its own. The original stays as it is."
      actions={<DialogButtons label="Duplicate" canSend={submit.canSend} form={form} onCancel={close} />}
    >
      <form id={form} onSubmit={submit.onSubmit}>
        <NameAndPlace
          name={name}
          source={source}
          check={check}
          failure={submit.failure}
          onName={(next) => {
            setName(next)
            submit.forget()
          }}
          onSource={setSource}
        />
      </form>
    </Dialog>
  )
}
