/** The form for a new hook: when it runs, what it runs, where it is stored, and what its matcher covers. */
import { useState } from 'react'
import { type HookEvent, hookEventFacts, hookEvents, type NewHook } from '../../../shared/hooks/hooks.ts'
import { readMatcher } from '../../../shared/hooks/matcher.ts'
import { ownToolNames } from '../../../shared/tools/tool-facts.ts'
import { command } from '../../bridge.ts'
import { useMcp } from '../../stores/mcp-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SelectMenu } from '../../ui/menu.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { count } from '../../ui/text/format.ts'
import { TextField } from '../../ui/text-field.tsx'
import { reloadHooks } from './hooks-store.ts'

type Source = NewHook['source']

const SOURCES: readonly { readonly value: Source; readonly label: string; readonly hint: string }[] = [
  { value: 'own', label: 'Troupe', hint: 'settings.json in Troupe’s data folder, for all your folders' },
  { value: 'user', label: 'Claude Code', hint: '~/.claude/settings.json, for all your folders' },
  { value: 'local', label: 'This folder', hint: '.claude/settings.local.json, only for you' },
  {
    value: 'project',
    label: 'Project',
    hint: '.claude/settings.json, for everybody who works in this folder',
  },
]

const DEFAULT_SECONDS = 60
const LONGEST = 3600

export function AddHook({ onClose }: { readonly onClose: () => void }) {
  const folder = useSession((state) => state.folder)
  const [event, setEvent] = useState<HookEvent>('PreToolUse')
  const [matcher, setMatcher] = useState('')
  const [run, setRun] = useState('')
  const [seconds, setSeconds] = useState('')
  const [source, setSource] = useState<Source>('own')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const facts = hookEventFacts[event]
  const ignoresMatcher = facts.matcher === ''
  const accepts = readMatcher(matcher)
  const timeout = seconds.trim() === '' ? null : Number(seconds)
  const isBadTime = timeout !== null && !(timeout > 0 && timeout <= LONGEST)
  const isUntrusted = folder?.trusted !== true && (source === 'local' || source === 'project')
  const isReady =
    folder !== null && run.trim() !== '' && (ignoresMatcher || accepts !== null) && !isBadTime && !isUntrusted
  const submit = async () => {
    if (folder === null) return
    setBusy(true)
    const answer = await command('hooks.add', {
      folder: folder.path,
      ...{ source, event, timeout },
      matcher: ignoresMatcher ? '' : matcher.trim(),
      command: run.trim(),
    })
    setBusy(false)
    if (!answer.ok) return setError(answer.failure.message)
    reloadHooks()
    onClose()
  }
  return (
    <FormDialog
      title="Add a hook"
      description="The command gets facts about the event as JSON on its standard input. Exit code 2 blocks where the event can be blocked."
      width={620}
      label="Add"
      isReady={isReady}
      busy={busy}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <div className="grid gap-1">
        <span className="text-fg-1 text-sm">Event</span>
        <div className="flex items-center gap-2">
          <SelectMenu label="Event" value={event} options={EVENTS} onChange={setEvent} />
          <span className="text-fg-2 text-sm">
            {facts.blocks === '' ? 'It can’t block.' : `Blocking: ${facts.blocks}.`}
          </span>
        </div>
      </div>
      {!ignoresMatcher && (
        <TextField
          label="Matcher"
          mono
          value={matcher}
          maxLength={500}
          placeholder={facts.matcher === 'tool' ? 'Edit|Write' : ''}
          hint={accepts === null ? undefined : <Preview event={event} matcher={matcher} accepts={accepts} />}
          error={accepts === null ? 'Not a valid regular expression.' : null}
          onChange={({ target }) => setMatcher(target.value)}
        />
      )}
      <TextField
        label="Command"
        mono
        autoFocus
        value={run}
        maxLength={4096}
        placeholder="./scripts/check.sh"
        hint="Runs in the open folder, with your rights and outside the sandbox."
        error={error}
        onChange={({ target }) => {
          setRun(target.value)
          setError(null)
        }}
      />
      <TextField
        label="Time limit in seconds"
        mono
        inputMode="decimal"
        value={seconds}
        placeholder={String(DEFAULT_SECONDS)}
        error={isBadTime ? `A number above 0, at most ${LONGEST}.` : null}
        onChange={({ target }) => setSeconds(target.value)}
      />
      <div className="grid gap-1">
        <span className="text-fg-1 text-sm">Stored in</span>
        <Segmented label="Stored in" size="md" value={source} options={SOURCES} onChange={setSource} />
        <span className={isUntrusted ? 'text-bad text-sm' : 'text-fg-2 text-sm'}>
          {isUntrusted
            ? 'Trust the folder first: its files do not count before.'
            : SOURCES.find(({ value }) => value === source)?.hint}
        </span>
      </div>
    </FormDialog>
  )
}

const EVENTS = hookEvents.map((value) => ({
  value,
  label: value,
  hint: hookEventFacts[value].matcher === '' ? '' : `by ${hookEventFacts[value].matcher.replaceAll('`', '')}`,
}))

/** Names in the preview. */
const MOST = 12

interface PreviewProps {
  readonly event: HookEvent
  readonly matcher: string
  readonly accepts: (subject: string) => boolean
}

/** What the matcher covers of what is known here. */
function Preview({ event, matcher, accepts }: PreviewProps) {
  const subjects = useSubjects(event)
  const what = hookEventFacts[event].matcher.replaceAll('`', '')
  if (subjects.length === 0) return <>Compared with: {what}. Empty: always.</>
  if (matcher.trim() === '' || matcher.trim() === '*') return <>Always. Compared with: {what}.</>
  const found = subjects.filter(accepts)
  if (found.length === 0)
    return <span className="text-fg-1">Matches nothing that is known here. Compared with: {what}.</span>
  const more = found.length - MOST
  return (
    <span className="wrap-anywhere">
      Matches {count(found.length, 'name')}:{' '}
      <span className="font-mono text-fg-1 text-xs">{found.slice(0, MOST).join(', ')}</span>
      {more > 0 && ` and ${more} more`}
    </span>
  )
}

/** What the matcher of an event is compared with; empty: that is known only when it happens. */
function useSubjects(event: HookEvent): readonly string[] {
  const servers = useMcp((store) => store.state?.servers)
  const definitions = useSession((state) => state.definitions)
  const { matcher } = hookEventFacts[event]
  if (matcher === 'tool')
    return [
      ...ownToolNames,
      ...(servers ?? []).flatMap(({ name, tools }) => tools.map((tool) => `mcp__${name}__${tool.name}`)),
    ]
  if (matcher === 'agent’s type') return definitions.map(({ name }) => name)
  if (matcher === 'MCP server') return (servers ?? []).map(({ name }) => name)
  return [...matcher.matchAll(/`(\w+)`/g)].flatMap(([, name]) => name ?? [])
}
