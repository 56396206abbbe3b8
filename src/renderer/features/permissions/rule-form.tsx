/** The form that adds an entry of `permissions`, or changes and moves one. */
import { useState } from 'react'
import type { ListedEntry, ListedRules } from '../../../shared/rules/contract.ts'
import {
  type EditableSource,
  type EntryPlace,
  editableSources,
  type PermissionList,
  permissionLists,
} from '../../../shared/rules/written-rule.ts'
import { editRule } from '../../stores/settings-store.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { coverText, LIST_TEXT, PLACE_TEXT } from './rule-text.ts'

interface RuleFormProps {
  readonly folder: string
  /** Null: a new one. */
  readonly entry: ListedEntry | null
  readonly files: ListedRules['files']
  readonly onClose: () => void
}

export function RuleForm({ folder, entry, files, onClose }: RuleFormProps) {
  const [list, setList] = useState<PermissionList>(entry?.list ?? 'allow')
  const [text, setText] = useState(entry?.text ?? '')
  const [source, setSource] = useState<EditableSource>(editableSourceOf(entry) ?? 'own')
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const file = files.find((one) => one.source === source)
  const isFolder = list === 'additionalDirectories'
  const rule = text.trim()
  const change =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value)
      setError(null)
    }

  const submit = async () => {
    setBusy(true)
    const problem = await editRule(folder, {
      from: entry && entryPlace(entry),
      to: { source, list, text: rule },
    })
    setBusy(false)
    setError(problem)
    if (problem === null) onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      width={600}
      title={entry === null ? 'Add a rule' : 'Edit a rule'}
      label={entry === null ? 'Add' : 'Save'}
      isReady={rule !== '' && file?.problem == null}
      busy={busy}
      onSubmit={() => void submit()}
    >
      <Choice label="List">
        <Segmented
          label="List"
          value={list}
          options={permissionLists.map((value) => ({ value, label: LIST_TEXT[value].title }))}
          onChange={change(setList)}
        />
      </Choice>
      <TextField
        label={isFolder ? 'Folder' : 'Rule'}
        mono
        value={text}
        placeholder={isFolder ? '~/other-project' : 'Bash(npm run:*)'}
        error={error}
        hint={hintFor(list, rule)}
        onChange={(event) => change(setText)(event.target.value)}
      />
      <Choice label="Holds in">
        <Segmented
          label="Holds in"
          value={source}
          options={editableSources.map((value) => ({ value, label: PLACE_TEXT[value] }))}
          onChange={change(setSource)}
        />
        <code className="font-mono text-fg-2 text-xs wrap-anywhere">{file?.shown}</code>
      </Choice>
      {file?.problem != null && (
        <p role="alert" className="text-bad text-sm">
          {file.problem}
        </p>
      )}
    </FormDialog>
  )
}

function Choice({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <div className="grid gap-1">
      <span className="text-fg-1 text-sm">{label}</span>
      <div className="flex flex-wrap items-center gap-2">{children}</div>
    </div>
  )
}

function hintFor(list: PermissionList, text: string): string {
  if (list === 'additionalDirectories')
    return 'A path, from the root, from your home (~/…) or from the folder (../…).'
  if (text === '')
    return 'Examples: Bash(npm run:*), Edit(src/**), Read(~/.ssh/**), WebFetch(domain:example.com).'
  return `Covers ${coverText({ text, list })}.`
}

function editableSourceOf(entry: ListedEntry | null): EditableSource | null {
  return editableSources.find((source) => source === entry?.source) ?? null
}

/** The place of an entry that is not locked. */
export function entryPlace(entry: ListedEntry): EntryPlace | null {
  const source = entry.source === 'saved' ? 'saved' : editableSourceOf(entry)
  return source === null ? null : { source, list: entry.list, text: entry.text }
}
