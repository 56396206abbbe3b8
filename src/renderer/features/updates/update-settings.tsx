/** Where newer versions of this program come from, and what the last look there found. */
import { type KeyboardEvent, useEffect, useState } from 'react'
import type { UpdateFound } from '../../../shared/updates/contract.ts'
import { command } from '../../bridge.ts'
import { useSession } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/setting-page.tsx'
import { Row } from '../../ui/setting-row.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Moment } from '../../ui/text/times.tsx'
import { INPUT_CLASS } from '../../ui/text-field.tsx'
import { Install, isWorking } from './update-notice.tsx'
import { checkNow, looksForUpdates, useUpdate } from './updates-store.ts'

const TITLE = 'Newer versions'

const FIELDS = [
  {
    name: 'updateUrl',
    label: 'Address of updates',
    placeholder: 'https://example.com/troupe/',
    hint: 'A folder with the files of a release. Empty: Troupe never looks for updates.',
  },
  {
    name: 'updateKey',
    label: 'Key of updates',
    placeholder: 'MCowBQYDK2VwAyEA…',
    hint: 'The public key of who makes the releases. What it did not sign is never used.',
  },
] as const

type Name = (typeof FIELDS)[number]['name']

type Texts = Readonly<Partial<Record<Name, string | undefined>>>

export function UpdateSettings() {
  const kept = useSession((state) => state.settings)
  const version = useSession((state) => state.info.version)
  const state = useUpdate()
  const [typed, setTyped] = useState<Texts>({})
  const [errors, setErrors] = useState<Texts>({})
  const isOn = looksForUpdates(kept)
  const isBusy = state.work !== null

  useEffect(() => {
    if (!state.isSought) return
    useUpdate.setState({ isSought: false })
    document.querySelector<HTMLElement>(`[data-setting="${TITLE}"]`)?.focus()
  }, [state.isSought])

  const put = (name: Name, text: string | undefined, error?: string) => {
    setTyped((now) => ({ ...now, [name]: text }))
    setErrors((now) => ({ ...now, [name]: error }))
  }
  const take = async (name: Name) => {
    const text = typed[name]?.trim()
    if (text === undefined) return
    if (text === kept[name]) return put(name, undefined)
    const source = { url: kept.updateUrl, key: kept.updateKey }
    const answer = await command('update.source', {
      ...source,
      ...(name === 'updateUrl' ? { url: text } : { key: text }),
    })
    if (!answer.ok) return put(name, text, answer.failure.message)
    if (answer.value === null) return put(name, undefined, 'Not changed.')
    useSession.setState({ settings: answer.value })
    put(name, undefined)
    if (looksForUpdates(answer.value)) await checkNow()
  }
  const onKeyDown = (name: Name) => (event: KeyboardEvent) => {
    if (event.key === 'Enter') void take(name)
    else if (event.key === 'Escape' && typed[name] !== undefined) {
      put(name, undefined)
      event.stopPropagation()
    }
  }

  return (
    <Section title="Updates">
      <Row
        title={TITLE}
        words="update upgrade check release version"
        hint={
          <>
            This is Troupe {version}.{' '}
            {isOn
              ? 'Troupe asks the address after the start and once a day. It sends nothing else.'
              : 'Troupe looks for newer versions once you name an address and a key.'}
            {isOn && state.checkedAt !== null && (
              <>
                {' '}
                Last check: <Moment at={state.checkedAt} />
              </>
            )}
          </>
        }
        below={
          <div aria-live="polite" className="text-fg-1 text-sm empty:hidden">
            {isOn && state.found !== null && state.work !== 'checking' && <Found found={state.found} />}
          </div>
        }
      >
        <Button focusableWhenDisabled disabled={!isOn || isBusy} onClick={() => void checkNow()}>
          {isBusy && <Spinner />} Check now
        </Button>
      </Row>
      {FIELDS.map(({ name, label, placeholder, hint }) => (
        <Row key={name} title={label} name={name} hint={hint} error={errors[name] ?? null}>
          <input
            aria-label={label}
            aria-invalid={errors[name] !== undefined || undefined}
            autoComplete="off"
            value={typed[name] ?? kept[name]}
            placeholder={placeholder}
            maxLength={500}
            spellCheck={false}
            onChange={(event) => put(name, event.target.value)}
            onBlur={() => void take(name)}
            onKeyDown={onKeyDown(name)}
            className={`${INPUT_CLASS} h-7 w-72! max-w-full font-mono text-sm`}
          />
        </Row>
      ))}
    </Section>
  )
}

function Found({ found }: { readonly found: UpdateFound }) {
  const isBusy = useUpdate(isWorking)
  switch (found.kind) {
    case 'newest':
      return 'This is the newest version.'
    case 'installed':
      return `Troupe ${found.version} is installed. It runs after a restart.`
    case 'failed':
      return <span className="text-bad wrap-anywhere">{found.message}</span>
    case 'newer':
      return (
        <div className="grid gap-1.5">
          <div className="flex flex-wrap items-center gap-2">
            <span className="font-medium text-fg-0">Troupe {found.version} is available.</span>
            {!isBusy && <Install found={found} />}
          </div>
          {found.notes !== null && (
            <section
              aria-label={`What is new in Troupe ${found.version}`}
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled with the keys
              tabIndex={0}
              data-selectable=""
              className="max-h-60 overflow-y-auto whitespace-pre-line rounded-md border border-line bg-bg-0 px-3 py-2 text-fg-1 wrap-anywhere"
            >
              {plainText(found.notes)}
            </section>
          )}
        </div>
      )
  }
}

/** Notes without the marks of markdown: bold, code, links. */
const plainText = (notes: string): string =>
  notes
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|`/g, '')
    .replaceAll(/^[-*] /gm, '• ')
