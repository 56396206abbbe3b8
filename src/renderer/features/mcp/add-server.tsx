/** The form that adds or edits an MCP server: a command, an address, or what a README shows. */
import { useId, useMemo, useState } from 'react'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { McpPlace, McpServerState } from '../../../shared/mcp/mcp.ts'
import {
  type McpDefinition,
  type NamedDefinition,
  nameProblem,
  readEntryText,
  readPairs,
} from '../../../shared/mcp/mcp-entry-text.ts'
import { addServer } from '../../stores/mcp-store.ts'
import { FormDialog, FormFailure } from '../../ui/form-dialog.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { INPUT_CLASS, TextField } from '../../ui/text-field.tsx'
import { definitionFacts, serverDefinitionText } from './server-text.ts'

const PLACES: readonly { readonly value: McpPlace; readonly label: string; readonly file: string }[] = [
  { value: 'project', label: 'This project', file: '.mcp.json' },
  { value: 'local', label: 'Only me, this folder', file: '.claude/settings.local.json' },
  { value: 'user', label: 'All my folders', file: '~/.claude/settings.json' },
]

/** Where the form would write a server again; null: its file is not one that the form writes. */
export function placeOfServer({ source, file }: McpServerState): McpPlace | null {
  const path = (file ?? '').replaceAll('\\', '/')
  const found = PLACES.find(({ file: end }) => path.endsWith(end.replace('~', '')))
  return found?.value === source ? found.value : null
}

interface AddServerProps {
  /** The server that is edited; null: a new one. */
  readonly server: McpServerState | null
  readonly onClose: () => void
}

export function AddServer({ server, onClose }: AddServerProps) {
  const [text, setText] = useState(() => (server === null ? '' : JSON.stringify(server.definition, null, 2)))
  const [name, setName] = useState(server?.name ?? '')
  const [more, setMore] = useState('')
  const [place, setPlace] = useState<McpPlace>((server && placeOfServer(server)) ?? 'project')
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const read = useMemo(() => readEntryText(text), [text])
  const found = read.ok ? read.value : []
  const isAddress = found[0] !== undefined && typeof found[0].definition['url'] === 'string'
  const named = (found.length > 1 || found[0]?.name != null) && server === null
  const entries = useMemo(() => withMore(read, isAddress, more), [read, isAddress, more])
  const hasText = text.trim() !== ''

  const submit = async () => {
    if (!entries.ok) return setError(entries.failure.message)
    setBusy(true)
    setError(await addAll(entries.value, { name, named, place, server }, onClose))
    setBusy(false)
  }
  const form = (change: (value: string) => void) => (value: string) => {
    change(value)
    setError(null)
  }
  return (
    <FormDialog
      onClose={onClose}
      width={620}
      title={server === null ? 'Add a server' : `Edit ${server.name}`}
      label={server === null ? 'Add and start' : 'Save and start'}
      isReady={hasText}
      busy={busy}
      onSubmit={() => void submit()}
    >
      <Lines
        label="Command, address or JSON"
        hint={`As a README shows it: npx -y @x/mcp, https://…, {"mcpServers": …} or claude mcp add …`}
        value={text}
        rows={server === null ? 3 : 7}
        onChange={form(setText)}
      />
      <Preview read={entries} name={name} hasText={hasText} />
      {!named && (
        <TextField
          label="Name"
          mono
          value={name}
          disabled={server !== null}
          hint={
            name === '' || nameProblem(name) !== null
              ? 'Letters, digits, - and _.'
              : `Its tools are mcp__${name}__…`
          }
          onChange={(event) => form(setName)(event.target.value)}
        />
      )}
      {found.length <= 1 && (
        <Lines
          label={isAddress ? 'More headers' : 'More variables'}
          hint={
            isAddress
              ? 'One per line, Name: value. $' + '{NAME} is a variable of your environment.'
              : 'One per line, NAME=value. $' + '{NAME} is a variable of your environment.'
          }
          value={more}
          rows={2}
          onChange={form(setMore)}
        />
      )}
      <div className="grid gap-1">
        <span className="text-fg-1 text-sm">Written to</span>
        <div className="flex flex-wrap items-center gap-2">
          <Segmented
            label="Written to"
            value={place}
            options={PLACES}
            readOnly={server !== null}
            onChange={setPlace}
          />
          <code className="font-mono text-fg-2 text-xs">
            {PLACES.find(({ value }) => value === place)?.file}
          </code>
        </div>
      </div>
      <FormFailure message={error} />
    </FormDialog>
  )
}

/** What would be written and run, before anything is. */
function Preview({
  read,
  name,
  hasText,
}: {
  readonly read: Result<readonly NamedDefinition[]>
  readonly name: string
  readonly hasText: boolean
}) {
  if (!hasText) return null
  if (!read.ok) return <p className="text-fg-2 text-sm">{read.failure.message}</p>
  return (
    <section aria-label="Preview" className="grid gap-2">
      {read.value.map((entry) => (
        <div key={entry.name} className="grid gap-1.5">
          <section
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
            tabIndex={0}
            aria-label={`Definition of ${entry.name ?? name}`}
            className="max-h-36 overflow-auto whitespace-pre rounded-[6px] border border-line bg-bg-0 px-2.5 py-2 font-mono text-fg-1 text-xs leading-[1.55]"
          >
            <VisibleText>{serverDefinitionText(entry.name ?? name, entry.definition).trimEnd()}</VisibleText>
          </section>
          <ul className="grid gap-0.5 text-fg-1 text-sm">
            {definitionFacts(entry.definition).map(({ title, text }) => (
              <li key={title} className="wrap-anywhere">
                <strong className="font-semibold text-fg-0">
                  <VisibleText>{title}</VisibleText>
                </strong>{' '}
                <VisibleText>{text}</VisibleText>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}

interface LinesProps {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly rows: number
  readonly onChange: (value: string) => void
}

function Lines({ label, hint, value, rows, onChange }: LinesProps) {
  const id = useId()
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-fg-1 text-sm">
        {label}
      </label>
      <textarea
        id={id}
        rows={rows}
        value={value}
        spellCheck={false}
        autoComplete="off"
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
        className={`${INPUT_CLASS} resize-y py-1.5 font-mono text-sm`}
      />
      <p id={`${id}-hint`} className="text-fg-2 text-xs">
        {hint}
      </p>
    </div>
  )
}

function withMore(
  read: Result<readonly NamedDefinition[]>,
  isAddress: boolean,
  more: string,
): Result<readonly NamedDefinition[]> {
  if (!read.ok || read.value.length !== 1 || more.trim() === '') return read
  const pairs = readPairs(more, isAddress ? ':' : '=')
  if (!pairs.ok) return pairs
  const key = isAddress ? 'headers' : 'env'
  return ok(
    read.value.map(({ name, definition }) => {
      const before = definition[key]
      return { name, definition: { ...definition, [key]: { ...Object(before), ...pairs.value } } }
    }),
  )
}

interface Target {
  readonly name: string
  /** The text itself has the names. */
  readonly named: boolean
  readonly place: McpPlace
  readonly server: McpServerState | null
}

/** @returns why it stopped; null: all are added, and the form is closed */
async function addAll(
  entries: readonly NamedDefinition[],
  { name, named, place, server }: Target,
  onDone: () => void,
): Promise<string | null> {
  const all = entries.map((entry): { name: string; definition: McpDefinition } => ({
    name: (named ? entry.name : name.trim()) ?? '',
    definition: entry.definition,
  }))
  for (const entry of all) {
    const problem = nameProblem(entry.name)
    if (problem !== null) return entry.name === '' ? problem : `"${entry.name}": ${problem}`
  }
  for (const entry of all) {
    const failure = await addServer({ ...entry, place, replace: server !== null, before: null })
    if (failure !== null) return failure
  }
  onDone()
  return null
}
