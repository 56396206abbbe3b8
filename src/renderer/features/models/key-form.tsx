/** The API key and the base URL. A test sends one tiny request. */
import { Eye, EyeOff } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { command } from '../../bridge.ts'
import { useSession } from '../../stores/session-store.ts'
import { modelLabel, setAccess } from '../../stores/settings-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { TextField } from '../../ui/text-field.tsx'

type Test =
  | { readonly kind: 'none' }
  | { readonly kind: 'running' }
  | { readonly kind: 'passed'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }

export function KeyForm({ onDone }: { readonly onDone?: () => void }) {
  const access = useSession((state) => state.access)
  const configured = useSession((state) => state.settings.baseUrl)
  const [key, setKey] = useState('')
  const [baseUrl, setBaseUrl] = useState(access.baseUrl || configured)
  const [visible, setVisible] = useState(false)
  const [test, setTest] = useState<Test>({ kind: 'none' })
  const [error, setError] = useState<string | null>(null)
  const stored = access.keySource !== null
  const typed = key.trim()
  const input = { key: typed === '' ? null : typed, baseUrl: baseUrl.trim() }
  const urlProblem = problemOfUrl(input.baseUrl)
  const unchanged = access.kind === 'api' && typed === '' && input.baseUrl === access.baseUrl
  const ready = (typed !== '' || stored) && urlProblem === null

  const tryIt = async () => {
    setTest({ kind: 'running' })
    const answer = await command('access.test', input)
    setTest(
      answer.ok
        ? {
            kind: 'passed',
            message: `Connected: ${modelLabel(answer.value.model)} answered in ${answer.value.ms} ms.`,
          }
        : { kind: 'failed', message: answer.failure.message },
    )
  }
  const use = async (event: FormEvent) => {
    event.preventDefault()
    if (!ready) return
    const answer = await setAccess({ kind: 'api', ...input })
    if (!answer.ok) return setError(answer.failure.message)
    setError(null)
    setKey('')
    onDone?.()
  }
  return (
    <form onSubmit={(event) => void use(event)} className="flex flex-col gap-3">
      <div className="flex items-end gap-1.5">
        <div className="min-w-0 flex-1">
          <TextField
            label="API key"
            type={visible ? 'text' : 'password'}
            mono
            value={key}
            onChange={(event) => {
              setKey(event.target.value)
              setTest({ kind: 'none' })
            }}
            placeholder={stored ? 'Leave empty to keep the current key' : 'sk-ant-…'}
          />
        </div>
        <IconButton
          label={visible ? 'Hide key' : 'Show key'}
          icon={visible ? EyeOff : Eye}
          size={26}
          onClick={() => setVisible(!visible)}
        />
      </div>
      {typed !== '' && input.baseUrl === '' && !typed.startsWith('sk-ant-') && (
        <p className="-mt-2 text-fg-2 text-sm">
          Anthropic API keys start with sk-ant-. Is this the whole key?
        </p>
      )}
      {access.keySource === 'key-helper' && (
        <p className="-mt-2 text-fg-2 text-sm">The command of your setting apiKeyHelper prints the key.</p>
      )}
      {access.keySource === 'environment' && (
        <p className="-mt-2 text-fg-2 text-sm">ANTHROPIC_API_KEY has a key. A key here takes precedence.</p>
      )}
      <TextField
        label="Address"
        mono
        value={baseUrl}
        onChange={(event) => {
          setBaseUrl(event.target.value)
          setTest({ kind: 'none' })
        }}
        placeholder="https://api.anthropic.com"
        hint="Only for another server with the Messages API. Leave empty for Anthropic."
        error={urlProblem}
      />
      {!access.keyStoreSafe && (
        <p className="text-fg-1 text-sm">
          This system has no encrypting key store. The key would be stored nearly in plain text. To keep it
          off the disk, set ANTHROPIC_API_KEY before you start Troupe.
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {!unchanged && (
          <Button type="submit" variant="primary" size="md" disabled={!ready}>
            {typed !== '' ? 'Use this key' : stored ? 'Use current key' : 'Use key'}
          </Button>
        )}
        <Button size="md" disabled={!ready || test.kind === 'running'} onClick={() => void tryIt()}>
          {test.kind === 'running' && <Spinner />} Test
        </Button>
        <span className="text-fg-2 text-sm">A test costs a few tokens.</span>
      </div>
      <div aria-live="polite" className="text-sm empty:hidden">
        {test.kind === 'passed' && <span className="text-ok">{test.message}</span>}
        {test.kind === 'failed' && <span className="text-bad">{test.message}</span>}
        {error !== null && <span className="text-bad">{error}</span>}
      </div>
    </form>
  )
}

function problemOfUrl(url: string): string | null {
  if (url === '') return null
  if (!URL.canParse(url))
    return 'Not a valid URL. Start with https://, or with http:// for a server on this machine.'
  return /^https?:$/.test(new URL(url).protocol) ? null : 'Only http and https URLs are supported.'
}
