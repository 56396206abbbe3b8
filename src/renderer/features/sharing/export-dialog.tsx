/** Exports a conversation to a file: its format and agents, and what the file has in it before it is written. */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { Answer, CommandInput } from '../../../shared/ipc/ipc-contract.ts'
import type { MaskedPlace, ShareFormat, SharePreview } from '../../../shared/sharing/sharing.ts'
import { command } from '../../bridge.ts'
import { showNotice, useOverlay } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { DialogError, FormDialog } from '../../ui/form-dialog.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { count, formatSize } from '../../ui/text/format.ts'
import { TextField } from '../../ui/text-field.tsx'

interface ExportDialogProps {
  readonly open: boolean
  readonly onClose: () => void
}

type Share = CommandInput<'sharing.preview'>

const FORMATS: readonly { readonly value: ShareFormat; readonly label: string; readonly hint: string }[] = [
  { value: 'html', label: 'Web page', hint: 'One file that every browser opens, also without a network.' },
  { value: 'markdown', label: 'Markdown', hint: 'Text to read, with folded tool calls.' },
  { value: 'jsonl', label: 'JSON Lines', hint: 'All events, for programs and for import.' },
  { value: 'trace', label: 'Trace', hint: 'The timeline, for ui.perfetto.dev and chrome://tracing.' },
  { value: 'otel', label: 'OpenTelemetry', hint: 'Spans of agents, models and tools as OTLP/JSON.' },
  {
    value: 'scenario',
    label: 'Scenario',
    hint: 'Plays the conversation again with troupe run --scenario, without a model.',
  },
]

export function ExportDialog({ open, onClose }: ExportDialogProps) {
  const conversationId = useOverlay(({ about }) => about) ?? ''
  const batch = useOverlay((state) => state.batch)
  const name = useSession(({ conversations }) => conversations.find(({ id }) => id === conversationId)?.title)
  const at = batch.indexOf(conversationId)
  const [format, setFormat] = useState<ShareFormat>('html')
  const [without, setWithout] = useState<readonly string[]>([])
  const [keepPaths, setKeepPaths] = useState(false)
  const [isSent, setSent] = useState(false)
  const [address, setAddress] = useState(() => localStorage.getItem(ADDRESS) ?? '')
  const hint = useId()
  // Another conversation has other agents.
  const [shown, setShown] = useState(conversationId)
  if (shown !== conversationId) {
    setShown(conversationId)
    setWithout([])
  }
  const share = { conversationId, format, without: [...without], keepPaths }
  const { preview, failure, isReading } = usePreview(open, share)
  const sendsTo = format === 'otel' && isSent ? address : null
  const isMissing = sendsTo !== null && sendsTo.trim() === ''
  const next = batch[at + 1]
  const writing = useWriting(open, { share, sendsTo }, () =>
    next === undefined ? onClose() : useOverlay.setState({ about: next }),
  )
  const part = useProgress(conversationId, open && (isReading || writing.busy))
  const close = () => {
    if (isReading || writing.busy) void command('sharing.cancel', { conversationId })
    onClose()
  }
  const leave = (id: string, isIn: boolean) =>
    setWithout(isIn ? without.filter((one) => one !== id) : [...without, id])
  return (
    <FormDialog
      open={open}
      onClose={close}
      title={at < 0 ? 'Export conversation' : `Export ${at + 1} of ${batch.length}: ${name}`}
      description="Keys and other secrets that Troupe recognizes do not leave this machine. Look through the file before you pass it on."
      width={720}
      label={sendsTo === null ? (writing.busy ? 'Writing…' : 'Export…') : writing.busy ? 'Sending…' : 'Send…'}
      isReady={preview !== null && !isReading && !isMissing}
      busy={writing.busy}
      onSubmit={() => void writing.write()}
    >
      <div className="grid justify-items-start gap-1.5">
        <Segmented
          label="Format"
          value={format}
          options={FORMATS}
          onChange={setFormat}
          size="md"
          describedBy={hint}
        />
        <p id={hint} className="text-fg-2 text-sm">
          {FORMATS.find(({ value }) => value === format)?.hint}
        </p>
      </div>
      {format === 'otel' && (
        <div className="flex min-w-0 items-start gap-3">
          <Segmented
            label="Where to"
            value={isSent ? 'receiver' : 'file'}
            options={PLACES}
            onChange={(place) => setSent(place === 'receiver')}
            size="md"
          />
          {isSent && (
            <div className="min-w-0 flex-1">
              <TextField
                label="Address of the receiver"
                labelHidden
                mono
                placeholder="http://localhost:4318"
                value={address}
                onChange={(event) => setAddress(event.target.value)}
                hint="OTLP over HTTP, as JSON. Troupe asks before it sends."
              />
            </div>
          )}
        </div>
      )}
      <p role="status" className="font-semibold text-fg-0 text-sm">
        {isReading || writing.busy
          ? `${writing.busy ? (sendsTo === null ? 'Writing' : 'Sending') : 'Reading'} the conversation…${part === null ? '' : ` ${Math.round(part * 100)}%`}`
          : preview === null
            ? ''
            : contentOf(preview)}
      </p>
      {preview !== null && (
        <>
          <Agents agents={preview.agents} without={without} onChange={leave} />
          <label className="flex items-center gap-2 text-fg-1 text-sm">
            <input
              type="checkbox"
              checked={keepPaths}
              onChange={(event) => setKeepPaths(event.target.checked)}
            />
            Keep the home folder in paths
          </label>
          <Masked preview={preview} />
          <Files files={preview.files} total={preview.fileCount} />
          {preview.notes.map((note) => (
            <p key={note} className="text-fg-2 text-sm">
              {note}
            </p>
          ))}
        </>
      )}
      <DialogError message={failure ?? writing.failure} />
    </FormDialog>
  )
}

const PLACES = [
  { value: 'file', label: 'File' },
  { value: 'receiver', label: 'Receiver' },
] as const

/** Where the last address is kept. */
const ADDRESS = 'otlp-address'

const contentOf = ({ agents, events, bytes }: SharePreview): string =>
  [formatSize(bytes), count(agents.filter(({ left }) => !left).length, 'agent'), count(events, 'event')].join(
    ' · ',
  )

/** What the file would have in it; read again after each change. The last preview stays until the next one is there. */
function usePreview(open: boolean, share: Share) {
  const [preview, setPreview] = useState<SharePreview | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [isReading, setReading] = useState(false)
  const last = useRef(0)
  const { conversationId } = share
  const key = JSON.stringify(share)
  // biome-ignore lint/correctness/useExhaustiveDependencies: reads once for each content, not for each render
  useEffect(() => {
    if (!open || conversationId === '') return setPreview(null)
    const own = ++last.current
    setReading(true)
    setFailure(null)
    const read = async () => {
      const answer = await command('sharing.preview', share)
      if (own !== last.current) return
      setReading(false)
      setPreview(answer.ok ? answer.value : null)
      if (!answer.ok && answer.failure.type !== 'canceled') setFailure(answer.failure.message)
    }
    void read()
  }, [open, key])
  return { preview, failure, isReading }
}

interface Writing {
  readonly share: Share
  /** The address of the receiver; null: a file. */
  readonly sendsTo: string | null
}

/** A dialog that is closed meanwhile ends the writing, and takes no answer any more. */
function useWriting(open: boolean, { share, sendsTo }: Writing, onDone: () => void) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const isOpen = useRef(open)
  useEffect(() => {
    isOpen.current = open
    if (open) setFailure(null)
  }, [open])
  const write = async () => {
    setBusy(true)
    setFailure(null)
    const done = sendsTo === null ? await save(share) : await send(share, sendsTo)
    setBusy(false)
    if (!done.ok) return isOpen.current ? setFailure(done.failure.message) : undefined
    if (done.value === null) return
    showNotice({ level: 'info', text: done.value })
    if (isOpen.current) onDone()
  }
  return { busy, failure, write }
}

/** What was done, as a sentence; null: the user canceled. */
type Done = Answer<string | null>

const NOTHING: Done = { ok: true, value: null }

async function save(share: Share): Promise<Done> {
  const answer = await command('system.saveShared', share)
  if (!answer.ok) return answer
  if (answer.value === null) return NOTHING
  const { path, bytes } = answer.value
  return { ok: true, value: `Exported ${formatSize(bytes)} to ${path}.` }
}

async function send({ format: _, ...share }: Share, address: string): Promise<Done> {
  const answer = await command('system.sendShared', { ...share, address })
  if (!answer.ok) return answer
  if (answer.value === null) return NOTHING
  localStorage.setItem(ADDRESS, address)
  const { spans, receiver } = answer.value
  return { ok: true, value: `Sent ${count(spans, 'span')} to ${receiver}.` }
}

/** ms */
const ASK_AFTER = 1000

/** How far the work is, from 0 to 1; null within its first second. */
function useProgress(conversationId: string, isBusy: boolean): number | null {
  const [part, setPart] = useState<number | null>(null)
  useEffect(() => {
    setPart(null)
    if (!isBusy) return
    const ask = async () => {
      const answer = await command('sharing.progress', { conversationId })
      if (answer.ok) setPart(answer.value)
    }
    const timer = setInterval(() => void ask(), ASK_AFTER)
    return () => clearInterval(timer)
  }, [conversationId, isBusy])
  return part
}

interface AgentsProps {
  readonly agents: SharePreview['agents']
  readonly without: readonly string[]
  readonly onChange: (id: string, isIn: boolean) => void
}

function Agents({ agents, without, onChange }: AgentsProps) {
  if (agents.length < 2) return null
  return (
    <fieldset className="grid max-h-40 gap-0.5 overflow-y-auto">
      <legend className="mb-1 text-fg-2 text-sm">Agents</legend>
      {agents.map(({ id, name, type, depth, left, events, parentId }) => (
        <label
          key={id}
          className="flex min-w-0 items-center gap-2 text-fg-1 text-sm"
          style={{ paddingInlineStart: `${depth}rem` }}
        >
          <input
            type="checkbox"
            checked={!left && !without.includes(id)}
            // What is below an agent that is left out is left out with it.
            disabled={parentId === null || (left && !without.includes(id))}
            onChange={(event) => onChange(id, event.target.checked)}
          />
          <span className="truncate text-fg-0">{name}</span>
          <span className="shrink-0 text-fg-2">
            {type} · {left ? 'left out' : count(events, 'event')}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function Masked({ preview: { agents, secrets, places } }: { readonly preview: SharePreview }) {
  if (secrets === 0) return <p className="text-fg-1 text-sm">No secrets were found.</p>
  const listed = places.reduce((sum, place) => sum + place.count, 0)
  const nameOf = ({ agentId }: MaskedPlace) => agents.find(({ id }) => id === agentId)?.name ?? 'Conversation'
  return (
    <section aria-label="Masked secrets" className="grid gap-1">
      <p className="text-fg-1 text-sm">{count(secrets, 'secret')} masked</p>
      <List>
        {places.map((place) => (
          <li key={`${place.agentId} ${place.seq} ${place.what} ${place.excerpt}`}>
            <span className="text-fg-2">
              {nameOf(place)}, {place.what}:{' '}
            </span>
            <code className="font-mono text-fg-0 text-xs">{place.excerpt}</code>
          </li>
        ))}
        {secrets > listed && <li className="text-fg-2">and {count(secrets - listed, 'more secret')}</li>}
      </List>
    </section>
  )
}

function Files({ files, total }: { readonly files: readonly string[]; readonly total: number }) {
  if (total === 0) return null
  return (
    <details className="text-fg-1 text-sm">
      <summary className="cursor-pointer">Names {count(total, 'file')}</summary>
      <List>
        {files.map((path) => (
          <li key={path} className="font-mono text-xs">
            {path}
          </li>
        ))}
        {total > files.length && (
          <li className="text-fg-2">and {count(total - files.length, 'more file')}</li>
        )}
      </List>
    </details>
  )
}

function List({ children }: { readonly children: ReactNode }) {
  return (
    <ul
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard
      tabIndex={0}
      data-selectable=""
      className="grid max-h-32 gap-0.5 overflow-y-auto rounded-md bg-bg-0 px-3 py-2 text-sm wrap-anywhere focus-visible:-outline-offset-2"
    >
      {children}
    </ul>
  )
}
