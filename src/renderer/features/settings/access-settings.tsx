import { useState } from 'react'
import type { AccessInfo } from '../../../shared/ipc-contract.ts'
import { useSession } from '../../stores/session-store.ts'
import { setAccess } from '../../stores/settings-actions.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { KeyForm } from './key-form.tsx'
import { Row, Section } from './setting-row.tsx'
import { SettingsFile } from './settings-file.tsx'

/** Who answers the agents: a script or a model, and with which key. */
export function AccessSettings() {
  const access = useSession((state) => state.access)
  const [wanted, setWanted] = useState<'rehearsal' | 'api' | null>(null)
  const [error, setError] = useState<string | null>(null)
  const shown = wanted ?? access.kind
  const choose = async (kind: 'rehearsal' | 'api') => {
    setError(null)
    // With a key already there it takes effect at once; without one the form below asks for it.
    if (kind === 'api' && access.keySource === null) return setWanted('api')
    const answer = await setAccess(kind === 'api' ? { kind, key: null, baseUrl: access.baseUrl } : { kind })
    setWanted(answer.ok ? null : wanted)
    if (!answer.ok) setError(answer.failure.message)
  }
  return (
    <Section
      id="access"
      title="Model access"
      kept={
        <>
          The choice is in <SettingsFile />, the key in your system’s key store.
        </>
      }
    >
      <Row title="Agents are answered by" name="access" hint={wordsFor(access)} error={error}>
        <Segmented
          label="Agents are answered by"
          size="md"
          value={shown}
          options={[
            { value: 'rehearsal', label: 'a script' },
            { value: 'api', label: 'a model' },
          ]}
          onChange={(kind) => void choose(kind === 'api' ? 'api' : 'rehearsal')}
        />
      </Row>
      {shown !== 'rehearsal' && (
        <div className="px-4 py-3">
          <KeyForm onDone={() => setWanted(null)} />
          <p className="pt-3 text-fg-2 text-sm">
            A chat subscription (Claude Pro or Max) is not access to the API. Keys are made at
            console.anthropic.com.
          </p>
        </div>
      )}
    </Section>
  )
}

function wordsFor(access: AccessInfo): string {
  switch (access.kind) {
    case 'none':
      return 'Nobody yet. A script can rehearse with you at no cost; a model needs a key.'
    case 'rehearsal':
      return 'A script that cannot solve tasks: its agents read your folder with the real tools and report facts.'
    case 'api':
      return access.keySource === 'environment'
        ? 'A model, with the key from ANTHROPIC_API_KEY.'
        : 'A model, with the key from your system’s key store.'
  }
}
