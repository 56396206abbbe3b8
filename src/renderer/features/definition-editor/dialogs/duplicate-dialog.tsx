/** A copy of an agent, in another place or under another name: the way to change what is locked. */
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { createDefinition, renamed, textOf } from '../definition-files.ts'
import { entryOf, showDialog, useEditor, type WritableSource } from '../editor-store.ts'
import { checkNewFile, freeName } from './check-new-file.ts'
import { NameAndPlace } from './name-and-place.tsx'

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
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const close = () => showDialog(null)
  const check = checkNewFile({ name, source, folder, entries })

  const duplicate = async (event: FormEvent) => {
    event.preventDefault()
    if (check.error !== null || isBusy) return
    setBusy(true)
    const text = await textOf(id)
    const answer = text.ok
      ? await createDefinition({
          source,
          path: check.path,
          text: name.trim() === entry?.name ? text.value : renamed(text.value, name.trim()),
        })
      : text
    setBusy(false)
    if (answer.ok) close()
    else setFailure(answer.failure.message)
  }
  return (
    <Dialog
      open
      onClose={close}
      title={`Duplicate ${entry?.name ?? ''}`}
      description="The copy is a file of its own. The original stays as it is."
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
            Duplicate
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void duplicate(event)}>
        <NameAndPlace
          name={name}
          source={source}
          check={check}
          failure={failure}
          onName={(next) => {
            setName(next)
            setFailure(null)
          }}
          onSource={setSource}
        />
      </form>
    </Dialog>
  )
}
