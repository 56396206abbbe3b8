/** The dialog that names a layout: the arrangement of the stage on the screen, or a saved one anew. */
import { useState } from 'react'
import {
  layoutNamed,
  layoutNameProblem,
  renameLayout,
  saveLayout,
  showLayoutDialog,
  useNamedLayouts,
} from '../../stores/named-layouts.ts'
import { showNotice } from '../../stores/overlay-store.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'

export function LayoutDialog() {
  const dialog = useNamedLayouts((state) => state.dialog)
  if (dialog === null) return null
  return dialog.kind === 'save' ? <SaveDialog /> : <RenameDialog name={dialog.name} />
}

const close = () => showLayoutDialog(null)

function SaveDialog() {
  const [name, setName] = useState('')
  const [failure, setFailure] = useState<string | null>(null)
  const same = layoutNamed(name)
  const save = () => {
    const problem = saveLayout(name)
    setFailure(problem)
    if (problem !== null) return
    close()
    showNotice({ level: 'info', text: `Layout “${name.trim()}” saved.` })
  }
  return (
    <FormDialog
      onClose={close}
      title="Save layout"
      label={same === null ? 'Save' : 'Replace'}
      isReady={layoutNameProblem(name) === null}
      busy={false}
      onSubmit={save}
    >
      <NameField
        name={name}
        error={failure}
        hint={
          same === null
            ? 'The panels and their agents, the sizes, and the agents in their own windows.'
            : `“${same.name}” is saved already. Replace it, or use another name.`
        }
        onChange={(next) => {
          setName(next)
          setFailure(null)
        }}
      />
    </FormDialog>
  )
}

function RenameDialog({ name: from }: { readonly name: string }) {
  const [name, setName] = useState(from)
  const [failure, setFailure] = useState<string | null>(null)
  const rename = () => {
    const problem = renameLayout(from, name)
    setFailure(problem)
    if (problem === null) close()
  }
  return (
    <FormDialog
      onClose={close}
      title={`Rename “${from}”`}
      label="Rename"
      isReady={layoutNameProblem(name) === null}
      busy={false}
      onSubmit={rename}
    >
      <NameField
        name={name}
        error={failure}
        hint={null}
        onChange={(next) => {
          setName(next)
          setFailure(null)
        }}
      />
    </FormDialog>
  )
}

interface NameFieldProps {
  readonly name: string
  readonly error: string | null
  readonly hint: string | null
  readonly onChange: (name: string) => void
}

/** An empty name is no mistake until it is sent; a name that can't be one is told while it is typed. */
function NameField({ name, error, hint, onChange }: NameFieldProps) {
  const problem = error ?? (name.trim() === '' ? null : layoutNameProblem(name))
  return (
    <TextField
      label="Name"
      value={name}
      autoFocus
      onFocus={(event) => event.target.select()}
      onChange={(event) => onChange(event.target.value)}
      error={problem}
      hint={problem === null ? hint : null}
    />
  )
}
