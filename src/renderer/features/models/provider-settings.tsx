/** The model providers: servers beside the main one, their models, and what a test of each found. */
import { useRef, useState } from 'react'
import type { Provider, ProviderModel } from '../../../shared/models/model-provider-schema.ts'
import { command } from '../../bridge.ts'
import { useSession } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { Row, Section, SettingsFile } from '../../ui/setting-row.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { ProviderForm } from './provider-form.tsx'

export function ProviderSettings() {
  const providers = useSession((state) => state.settings.providers)
  /** The name of the provider that the form changes; '' adds one; null: no form. */
  const [editing, setEditing] = useState<string | null>(null)
  const place = useRef<HTMLDivElement>(null)
  const close = () => {
    setEditing(null)
    // The button of an edited provider may be gone after a change of its name.
    requestAnimationFrame(() => place.current?.querySelector('button')?.focus())
  }
  return (
    <Section
      id="providers"
      title="Model providers"
      kept={
        <>
          Further servers with the Messages API, such as Ollama, llama.cpp and LM Studio. Choose a model of
          theirs as NAME/MODEL. Stored in <SettingsFile />; keys are in your system’s key store.
        </>
      }
    >
      {Object.entries(providers).map(([name, entry]) =>
        editing === name ? (
          <ProviderForm key={name} before={name} entry={entry} onDone={close} />
        ) : (
          <ProviderRow key={name} name={name} entry={entry} onEdit={() => setEditing(name)} />
        ),
      )}
      {editing === '' ? (
        <ProviderForm before={null} entry={null} onDone={close} />
      ) : (
        <div ref={place} className="px-4 py-3">
          <Button onClick={() => setEditing('')}>Add provider…</Button>
        </div>
      )}
    </Section>
  )
}

interface ProviderRowProps {
  readonly name: string
  readonly entry: Provider
  readonly onEdit: () => void
}

function ProviderRow({ name, entry, onEdit }: ProviderRowProps) {
  const [error, setError] = useState<string | null>(null)
  const [isSure, setSure] = useState(false)
  const models = Object.entries(entry.models)
  const remove = async () => {
    if (!isSure) return setSure(true)
    const answer = await command('provider.remove', { name })
    if (answer.ok) useSession.setState({ settings: answer.value })
    else setError(answer.failure.message)
  }
  return (
    <div>
      <Row
        title={name}
        error={error}
        hint={
          <p className="break-all">
            <span className="font-mono text-xs">
              <VisibleText>{entry.baseUrl}</VisibleText>
            </span>{' '}
            · {keyText(entry)}
          </p>
        }
      >
        <Button aria-label={`Edit ${name}`} onClick={onEdit}>
          Edit
        </Button>
        <Button
          aria-label={isSure ? `Really remove ${name}` : `Remove ${name}`}
          onClick={() => void remove()}
          onBlur={() => setSure(false)}
        >
          {isSure ? 'Really remove' : 'Remove…'}
        </Button>
      </Row>
      <ul aria-label={`Models of ${name}`} className="flex flex-col gap-1 px-4 pb-3 empty:hidden">
        {models.map(([id, model]) => (
          <ModelLine key={id} full={`${name}/${id}`} model={model} />
        ))}
      </ul>
    </div>
  )
}

function ModelLine({ full, model }: { readonly full: string; readonly model: ProviderModel }) {
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const test = async () => {
    if (isRunning) return
    setRunning(true)
    setError(null)
    const answer = await command('provider.probe', { model: full })
    setRunning(false)
    if (!answer.ok) setError(answer.failure.message)
  }
  const problem = error ?? model.probe?.problem ?? null
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <span className="min-w-0 flex-[1_1_12rem] break-all font-mono text-fg-1 text-xs">
        <VisibleText>{full}</VisibleText>
      </span>
      <span className={classNames(model.tools === false ? 'text-warn' : 'text-fg-2')}>{factsOf(model)}</span>
      <Button size="sm" aria-label={`Test ${full}`} aria-disabled={isRunning} onClick={() => void test()}>
        {isRunning && <Spinner />} Test
      </Button>
      <p aria-live="polite" className="w-full break-words text-bad text-xs empty:hidden">
        {isRunning ? '' : problem}
      </p>
    </li>
  )
}

function keyText({ key, keyVariable }: Provider): string {
  if (keyVariable !== undefined) return `key from ${keyVariable}`
  return key === undefined ? 'no key' : 'key in your system’s key store'
}

function factsOf({ tools, probe, price }: ProviderModel): string {
  const can = tools === undefined ? 'not tested' : tools ? 'calls tools' : 'can’t call tools'
  const when = probe === undefined ? [] : [`tested ${new Date(probe.at).toLocaleString([], DATE)}`]
  const cost =
    price === undefined
      ? 'cost unknown'
      : price.input + price.output === 0
        ? 'free'
        : `$${price.input} / $${price.output}`
  return [can, ...when, cost].join(' · ')
}

const DATE = { dateStyle: 'short', timeStyle: 'short' } as const
