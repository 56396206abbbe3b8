/** The model providers: servers beside the main one, their models, and what a test of each found. */
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import type { Provider, ProviderModel } from '../../../shared/models/model-provider-schema.ts'
import { command } from '../../bridge.ts'
import { useSession } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/setting-page.tsx'
import { Row } from '../../ui/setting-row.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { TextField } from '../../ui/text-field.tsx'

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
      title="Model providers"
      hint="Further servers with the Messages API. Choose a model of theirs as NAME/MODEL."
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
        <div ref={place}>
          <Row
            title="Another provider"
            name="providers"
            hint="Ollama, llama.cpp, LM Studio or another server; its key is in your system’s key store."
          >
            <Button onClick={() => setEditing('')}>Add provider…</Button>
          </Row>
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
    <Row
      title={name}
      words={`provider ${models.map(([id]) => id).join(' ')}`}
      error={error}
      below={
        models.length > 0 && (
          <ul aria-label={`Models of ${name}`} className="flex flex-col gap-1">
            {models.map(([id, model]) => (
              <ModelLine key={id} full={`${name}/${id}`} model={model} />
            ))}
          </ul>
        )
      }
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

/** Adds or changes a model provider. */
interface ProviderFormProps {
  /** The provider's name now; null: a new one. */
  readonly before: string | null
  readonly entry: Provider | null
  readonly onDone: () => void
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/

function ProviderForm({ before, entry, onDone }: ProviderFormProps) {
  const first = Object.values(entry?.models ?? {})[0]
  const [name, setName] = useState(before ?? '')
  const [baseUrl, setBaseUrl] = useState(entry?.baseUrl ?? '')
  const [models, setModels] = useState(Object.keys(entry?.models ?? {}).join(', '))
  const [context, setContext] = useState(
    first?.contextTokens === undefined ? '' : String(first.contextTokens),
  )
  const [isFree, setFree] = useState(
    first?.price !== undefined && first.price.input + first.price.output === 0,
  )
  const [key, setKey] = useState('')
  const [variable, setVariable] = useState(entry?.keyVariable ?? '')
  const [error, setError] = useState<string | null>(null)
  const [isShown, setShown] = useState(false)
  const [isBusy, setBusy] = useState(false)

  const ids = [...new Set(models.split(/[,\s]+/).filter((id) => id !== ''))]
  const tokens = context.trim() === '' ? null : Number(context.replaceAll(/[.,_\s]/g, ''))
  const problems = {
    name: nameProblem(name.trim()),
    baseUrl: baseUrl.trim() === '' ? 'Enter the address of the server.' : null,
    models: ids.length === 0 ? 'Enter at least one model, as the server names it.' : null,
    context:
      tokens !== null && !(Number.isInteger(tokens) && tokens >= 1000 && tokens <= 10_000_000)
        ? 'A whole number of tokens, at least 1,000.'
        : null,
    variable:
      variable.trim() === '' || VARIABLE.test(variable.trim())
        ? null
        : 'Letters, digits and _: the name, not the key.',
  }
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setShown(true)
    if (isBusy || Object.values(problems).some((problem) => problem !== null)) return
    setBusy(true)
    const answer = await command('provider.save', {
      before,
      name: name.trim(),
      provider: changed(),
      key: key.trim() === '' ? null : key.trim(),
    })
    setBusy(false)
    if (!answer.ok) return setError(answer.failure.message)
    useSession.setState({ settings: answer.value })
    onDone()
  }
  /** What the form does not show stays as it is. */
  const changed = (): Omit<Provider, 'key'> => {
    const { key: _, keyVariable: __, ...others } = entry ?? { baseUrl: '', models: {} }
    return {
      ...others,
      baseUrl: baseUrl.trim(),
      ...(variable.trim() !== '' && { keyVariable: variable.trim() }),
      models: Object.fromEntries(
        ids.map((id) => {
          const { contextTokens: _, price, ...known } = entry?.models[id] ?? {}
          const wasFree = price !== undefined && price.input + price.output === 0
          const kept = wasFree ? undefined : price
          return [
            id,
            {
              ...known,
              ...(tokens !== null && { contextTokens: tokens }),
              ...(isFree ? { price: { input: 0, output: 0 } } : kept !== undefined && { price: kept }),
            },
          ]
        }),
      ),
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    onDone()
  }
  return (
    <form
      aria-label={before === null ? 'New provider' : `Provider ${before}`}
      onSubmit={(event) => void save(event)}
      onKeyDown={onKeyDown}
      className="flex flex-col gap-3 px-3.5 py-3"
    >
      <div className="grid grid-cols-[repeat(auto-fit,minmax(14rem,1fr))] gap-3">
        <TextField
          label="Name"
          mono
          autoFocus
          value={name}
          maxLength={40}
          placeholder="ollama"
          error={isShown ? problems.name : null}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Address"
          mono
          value={baseUrl}
          maxLength={500}
          placeholder="http://localhost:11434"
          error={isShown ? problems.baseUrl : null}
          onChange={(event) => setBaseUrl(event.target.value)}
        />
        <TextField
          label="Models"
          mono
          value={models}
          placeholder="qwen3-coder, gpt-oss:20b"
          hint="As the server names them, with commas between."
          error={isShown ? problems.models : null}
          onChange={(event) => setModels(event.target.value)}
        />
        <TextField
          label="Context window"
          mono
          inputMode="numeric"
          value={context}
          placeholder="32768"
          hint="In tokens, as the server is set up."
          error={isShown ? problems.context : null}
          onChange={(event) => setContext(event.target.value)}
        />
        <TextField
          label="API key"
          type="password"
          mono
          value={key}
          maxLength={500}
          placeholder={entry?.key === undefined ? 'none' : 'Leave empty to keep the current key'}
          hint="Local servers mostly need none."
          onChange={(event) => setKey(event.target.value)}
        />
        <TextField
          label="Key variable"
          mono
          value={variable}
          placeholder="LAB_API_KEY"
          hint="An environment variable with the key, also for the command line."
          error={isShown ? problems.variable : null}
          onChange={(event) => setVariable(event.target.value)}
        />
      </div>
      <label className="flex items-center gap-2 text-fg-1 text-sm">
        <input type="checkbox" checked={isFree} onChange={(event) => setFree(event.target.checked)} />
        These models cost nothing. Without this their cost is unknown.
      </label>
      <div className="flex items-center gap-2">
        <Button type="submit" variant="primary" disabled={isBusy}>
          {before === null ? 'Add' : 'Save'}
        </Button>
        <Button onClick={onDone}>Cancel</Button>
        <span aria-live="polite" className="text-bad text-sm empty:hidden">
          {error}
        </span>
      </div>
    </form>
  )
}

function nameProblem(name: string): string | null {
  if (name === 'default') return '“default” stands for the main access. Choose another name.'
  return NAME.test(name) ? null : 'Letters, digits, dots, dashes and _, without spaces.'
}
