/** Copies an agent to another source or name, which makes a locked agent editable. */
import { useState } from 'react'
import { useDialogCommand } from '../../../stores/overlay-store.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { createDefinition, readDefinitionText, withName } from '../definition-files.ts'
import { catalogEntryOf, showDialog, useEditor, type WritableSource } from '../editor-store.ts'
import { checkNewFile, freeName } from './check-new-file.ts'
import { NameAndSource } from './name-and-source.tsx'

interface DuplicateDialogProps {
  readonly id: string
  /** The preselected source. */
  readonly source: WritableSource
}

export function DuplicateDialog({ id, source: first }: DuplicateDialogProps) {
  const entry = catalogEntryOf(id)
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

  const { busy, failure, clearFailure, run } = useDialogCommand()
  const duplicate = async () => {
    const answer = await run(async () => {
      const read = await readDefinitionText(id)
      if (!read.ok) return read
      const text = name.trim() === entry?.name ? read.value : withName(read.value, name.trim())
      return createDefinition({ source, path: check.path, text })
    })
    if (answer?.ok) close()
  }
  return (
    <FormDialog
      onClose={close}
      title={`Duplicate ${entry?.name ?? ''}`}
      description="Creates a copy. The original does not change."
      label="Duplicate"
      isReady={check.error === null}
      busy={busy}
      onSubmit={() => void duplicate()}
    >
      <NameAndSource
        name={name}
        source={source}
        check={check}
        failure={failure?.message ?? null}
        onName={(next) => {
          setName(next)
          clearFailure()
        }}
        onSource={setSource}
      />
    </FormDialog>
  )
}
