/** The NATS server through which workers on other machines get jobs, with a test. */
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import type { NatsFinding, NatsState } from '../../../shared/workers/worker-presence.ts'
import { command } from '../../bridge.ts'
import { useSession } from '../../stores/session-store.ts'
import { changeSettings, useChange } from '../../stores/settings-store.ts'
import { useWorkers } from '../../stores/teams-and-workers.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/setting-page.tsx'
import { NumberRow, Row } from '../../ui/setting-row.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { INPUT_CLASS } from '../../ui/text-field.tsx'

type Name = 'natsUrl' | 'natsCredentials' | 'natsCa'

const FIELDS: readonly {
  readonly name: Name
  readonly label: string
  readonly placeholder: string
  readonly hint: string
}[] = [
  {
    name: 'natsUrl',
    label: 'Address of the NATS server',
    placeholder: 'tls://nats.example.org:4222',
    hint: 'Leave empty for none. Another machine needs tls:// and credentials.',
  },
  {
    name: 'natsCredentials',
    label: 'Credentials file',
    placeholder: '/home/ana/.config/troupe/sender.nk',
    hint: 'The absolute path of the sender’s file that “troupe nats setup” wrote.',
  },
  {
    name: 'natsCa',
    label: 'Certificate of the authority',
    placeholder: '/home/ana/.config/troupe/ca.pem',
    hint: 'The absolute path of ca.pem. Leave empty if the server has a public certificate.',
  },
]

type Trial =
  | { readonly kind: 'none' }
  | { readonly kind: 'running' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'found'; readonly findings: readonly NatsFinding[] }

export function WorkersSettings() {
  const kept = useSession((state) => state.settings)
  const [typed, setTyped] = useState<Readonly<Partial<Record<Name, string>>>>({})
  const [error, setError] = useState<string | null>(null)
  const [daysError, changeDays] = useChange()
  const [sizeError, changeSize] = useChange()
  const [trial, setTrial] = useState<Trial>({ kind: 'none' })
  const shown = (name: Name) => typed[name] ?? kept[name]

  const forget = (name: Name, text?: string) =>
    setTyped((now) => {
      if (text !== undefined && now[name] !== text) return now
      const { [name]: _, ...others } = now
      return others
    })
  const take = async (name: Name) => {
    const text = typed[name]
    if (text === undefined) return
    if (text.trim() !== kept[name]) {
      const answer = await changeSettings({ [name]: text.trim() })
      setError(answer.ok ? null : answer.failure.message)
      if (!answer.ok) return
    }
    // Text that was typed meanwhile stays.
    forget(name, text)
  }
  const onKeyDown = (name: Name) => (event: KeyboardEvent) => {
    if (event.key === 'Enter') void take(name)
    else if (event.key === 'Escape' && typed[name] !== undefined) {
      forget(name)
      event.stopPropagation()
    }
  }
  const tryIt = async () => {
    setTrial({ kind: 'running' })
    const [url, credentials, ca] = [shown('natsUrl'), shown('natsCredentials'), shown('natsCa')]
    const answer = await command('workers.test', { url, credentials, ca })
    setTrial(
      answer.ok
        ? { kind: 'found', findings: answer.value }
        : { kind: 'refused', message: answer.failure.message },
    )
  }

  return (
    <Section title="Workers" isOnly>
      <Row
        title="Remote workers"
        hint={
          <>
            Workers on other machines get jobs and messages through a NATS server. <ConnectionText />
          </>
        }
        words="nats connection test"
        error={error}
        below={
          <div aria-live="polite" className="text-sm empty:hidden">
            {trial.kind === 'refused' && <span className="text-bad">{trial.message}</span>}
            {trial.kind === 'found' && <Findings findings={trial.findings} />}
          </div>
        }
      >
        <Button
          focusableWhenDisabled
          disabled={shown('natsUrl').trim() === '' || trial.kind === 'running'}
          onClick={() => void tryIt()}
        >
          {trial.kind === 'running' && <Spinner />} Test
        </Button>
      </Row>
      {FIELDS.map(({ name, label, placeholder, hint }) => (
        <Row key={name} title={label} name={name} hint={hint}>
          <input
            aria-label={label}
            autoComplete="off"
            value={shown(name)}
            placeholder={placeholder}
            maxLength={name === 'natsUrl' ? 500 : 4096}
            spellCheck={false}
            onChange={(event) => {
              setTyped((now) => ({ ...now, [name]: event.target.value }))
              setTrial({ kind: 'none' })
            }}
            onBlur={() => void take(name)}
            onKeyDown={onKeyDown(name)}
            className={`${INPUT_CLASS} h-7 w-72! max-w-full font-mono text-sm`}
          />
        </Row>
      ))}
      <NumberRow
        title="Days at the server"
        name="natsRetentionDays"
        hint="For how long the NATS server keeps jobs, messages and files. Default: 7."
        value={kept.natsRetentionDays}
        min={1}
        max={365}
        error={daysError}
        onChange={(natsRetentionDays) => changeDays({ natsRetentionDays })}
      />
      <NumberRow
        title="Megabytes at the server"
        name="natsFileMegabytes"
        hint="Files of all jobs together. Default: 256."
        value={kept.natsFileMegabytes}
        min={16}
        max={1_000_000}
        error={sizeError}
        onChange={(natsFileMegabytes) => changeSize({ natsFileMegabytes })}
      />
    </Section>
  )
}

const MARKS = {
  ok: ['ok', 'text-ok'],
  warning: ['warning', 'text-needs-you'],
  failed: ['failed', 'text-bad'],
} as const

function Findings({ findings }: { readonly findings: readonly NatsFinding[] }) {
  return (
    <dl className="grid grid-cols-[auto_auto_minmax(0,1fr)] gap-x-3 gap-y-1">
      {findings.map(({ what, outcome, text }) => {
        const [mark, color] = MARKS[outcome]
        return (
          <div key={`${what} ${text}`} className="contents">
            <dt className="text-fg-1">{what}</dt>
            <dd className={color}>{mark}</dd>
            <dd className={`break-words ${outcome === 'ok' ? 'text-fg-1' : 'text-fg-0'}`}>{text}</dd>
          </div>
        )
      })}
    </dl>
  )
}

/** The state of the connection in words. */
function ConnectionText(): ReactNode {
  const nats = useWorkers(({ state }) => state.nats)
  return <span className={nats.kind === 'failed' ? 'text-bad' : undefined}>{natsSentence(nats)}</span>
}

function natsSentence(nats: NatsState): string {
  switch (nats.kind) {
    case 'off':
      return 'This program is not connected to one.'
    case 'connecting':
      return `Connecting to ${nats.url}…`
    case 'connected':
      return `Connected to ${nats.url}${nats.tls ? ' with TLS' : ', without TLS'}.`
    case 'failed':
      return nats.message
  }
}
