/** Chooses the model source: a rehearsal, an API key, or an external agent. */
import { Drama, KeyRound } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { KEYS_PAGE } from '../../../shared/models/model-access.ts'
import { openLink, showFailure, showOverlay } from '../../stores/overlay-store.ts'
import { setAccess } from '../../stores/settings-store.ts'
import { BigChoice } from '../../ui/big-choice.tsx'
import { Button } from '../../ui/button.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Kbd } from '../../ui/kbd.tsx'

interface ChooseAccessProps {
  /** The form for a key. */
  readonly keyForm: ReactNode
  /** The choices of external agents. */
  readonly programs: ReactNode
  /** Whether the form is open. */
  readonly withKey: boolean
  readonly onWithKey: (open: boolean) => void
  readonly onLater: () => void
}

export function ChooseAccess({ keyForm, programs, withKey, onWithKey, onLater }: ChooseAccessProps) {
  const form = useRef<HTMLDivElement>(null)
  const choice = useRef<HTMLDivElement>(null)
  const wasOpen = useRef(withKey)
  useEffect(() => {
    if (withKey) form.current?.querySelector('input')?.focus()
    else if (wasOpen.current) choice.current?.querySelector('button')?.focus()
    wasOpen.current = withKey
  }, [withKey])
  const rehearse = async () => {
    const answer = await setAccess({ kind: 'rehearsal' })
    if (!answer.ok) showFailure(answer.failure)
  }
  return (
    <>
      <div className="grid gap-2.5">
        <BigChoice
          icon={Drama}
          title="Rehearse without a key"
          text="A script, not a model: it can't solve your task, but its agents read your folder with the real tools and report true facts. It is free and sends nothing."
          primary={!withKey}
          onChoose={() => void rehearse()}
        />
        {withKey ? (
          <div ref={form} className="rounded-md border border-accent/60 bg-bg-1 px-4 py-3">
            {keyForm}
          </div>
        ) : (
          <div ref={choice} className="grid">
            <BigChoice
              icon={KeyRound}
              title="Use an API key"
              text="A key for the Anthropic API or a server with the same Messages API. You pay for the usage of agents."
              onChoose={() => onWithKey(true)}
            />
          </div>
        )}
        {programs}
      </div>
      <p className="pt-4 text-fg-2 text-sm">
        A chat subscription (Claude Pro or Max) does not include API access; the maker’s own program takes it.
        Troupe keeps a key in your system's key store and sends it only to the API.
      </p>
      <p className="pt-1 text-fg-2 text-sm">
        Create a key: <ExternalLink url={KEYS_PAGE} onOpen={(url) => void openLink(url)} />
      </p>
      <div className="mt-3 -ml-2.5 flex items-center gap-1">
        {withKey && (
          <Button variant="quiet" onClick={() => onWithKey(false)}>
            Back <Kbd keys="Esc" />
          </Button>
        )}
        <Button variant="quiet" onClick={onLater}>
          Look around first
        </Button>
        <Button variant="quiet" onClick={() => showOverlay('programs')}>
          External agents…
        </Button>
      </div>
    </>
  )
}
