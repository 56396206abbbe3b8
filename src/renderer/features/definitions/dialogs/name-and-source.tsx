/** The name and source of a new agent, checked while the name is typed. */
import { Segmented } from '../../../ui/segmented.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useWritableSources, type WritableSource } from '../editor-store.ts'
import type { NewFileCheck } from './check-new-file.ts'

interface NameAndSourceProps {
  readonly name: string
  readonly source: WritableSource
  readonly check: NewFileCheck
  /** Why creating the agent failed. */
  readonly failure: string | null
  readonly onName: (name: string) => void
  readonly onSource: (source: WritableSource) => void
}

export function NameAndSource({ name, source, check, failure, onName, onSource }: NameAndSourceProps) {
  return (
    <div className="grid gap-3">
      <TextField
        label="Name"
        value={name}
        autoFocus
        onChange={(event) => onName(event.target.value)}
        onFocus={(event) => event.target.select()}
        error={check.error ?? failure}
        hint={check.error === null ? check.note : null}
      />
      <SourceChoice source={source} path={check.path} onSource={onSource} />
    </div>
  )
}

const LABELS = { project: 'This project', user: 'All my projects' } as const

interface SourceChoiceProps {
  readonly source: WritableSource
  /** Null until known. */
  readonly path: string | null
  readonly onSource: (source: WritableSource) => void
}

export function SourceChoice({ source, path, onSource }: SourceChoiceProps) {
  const sources = useWritableSources()
  const base = source === 'project' ? '.claude/agents' : '~/.claude/agents'
  return (
    <div className="grid gap-1">
      <span aria-hidden="true" className="text-fg-1 text-sm">
        For
      </span>
      <div className="flex min-w-0 flex-wrap items-center gap-2.5">
        <Segmented
          label="For"
          value={source}
          onChange={onSource}
          options={sources.map((value) => ({ value, label: LABELS[value] }))}
        />
        <span className="min-w-0 truncate font-mono text-fg-2 text-xs">
          {path === null ? base : `${base}/${path}`}
        </span>
      </div>
    </div>
  )
}
