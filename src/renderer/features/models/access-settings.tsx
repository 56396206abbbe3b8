import { useState } from 'react'
import { type AccessInfo, KEYS_PAGE } from '../../../shared/models/model-access.ts'
import { openLink } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { setAccess } from '../../stores/settings-store.ts'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Section } from '../../ui/setting-page.tsx'
import { Row } from '../../ui/setting-row.tsx'
import { KeyForm } from './key-form.tsx'

/** The model source: a rehearsal or the API, and the key. */
export function AccessSettings() {
  const access = useSession((state) => state.access)
  const [wanted, setWanted] = useState<'rehearsal' | 'api' | null>(null)
  const [error, setError] = useState<string | null>(null)
  const shown = wanted ?? access.kind
  const choose = async (kind: 'rehearsal' | 'api') => {
    setError(null)
    // With a stored key the choice takes effect at once; without a key the form below asks for one.
    if (kind === 'api' && access.keySource === null) return setWanted('api')
    const answer = await setAccess(kind === 'api' ? { kind, key: null, baseUrl: access.baseUrl } : { kind })
    setWanted(answer.ok ? null : wanted)
    if (!answer.ok) setError(answer.failure.message)
  }
  return (
    <Section title="Model access" hint="The key is in your system’s key store.">
      <Row title="Source" name="access" hint={sourceHint(access)} error={error ?? access.refused ?? null}>
        <Segmented
          label="Source"
          size="md"
          value={shown}
          options={[
            { value: 'rehearsal', label: 'Rehearsal' },
            { value: 'api', label: 'API' },
          ]}
          onChange={(kind) => void choose(kind === 'api' ? 'api' : 'rehearsal')}
        />
      </Row>
      {shown !== 'rehearsal' && (
        <Row
          title="API key"
          name="baseUrl"
          words="key address base url test anthropic"
          hint={
            <>
              A chat subscription (Claude Pro or Max) does not include API access. Create a key:{' '}
              <ExternalLink url={KEYS_PAGE} onOpen={(url) => void openLink(url)} />
            </>
          }
          below={<KeyForm onDone={() => setWanted(null)} />}
        />
      )}
    </Section>
  )
}

const KEY_SOURCES = {
  environment: 'ANTHROPIC_API_KEY',
  'key-helper': 'the command of your setting apiKeyHelper',
  'key-store': 'your system’s key store',
} as const

function sourceHint(access: AccessInfo): string {
  switch (access.kind) {
    case 'none':
      return 'No source yet. The rehearsal is free; the API needs a key.'
    case 'rehearsal':
      return "A script answers. It can't solve tasks, but its agents read your folder with the real tools and report facts."
    case 'api':
      return `A model answers, with the key from ${KEY_SOURCES[access.keySource ?? 'key-store']}.`
  }
}
