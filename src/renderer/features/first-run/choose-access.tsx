/** Chooses the model source: a rehearsal or an API key. */
import { Drama, KeyRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { showFailure } from '../../stores/notice-store.ts'
import { setAccess } from '../../stores/settings-actions.ts'
import { Button } from '../../ui/button.tsx'
import { BigChoice } from './big-choice.tsx'

interface ChooseAccessProps {
  /** The form for a key. */
  readonly keyForm: ReactNode
  readonly onLater: () => void
}

export function ChooseAccess({ keyForm, onLater }: ChooseAccessProps) {
  const [withKey, setWithKey] = useState(false)
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
          <div className="rounded-md border border-accent/60 bg-bg-1 px-4 py-3">{keyForm}</div>
        ) : (
          <BigChoice
            icon={KeyRound}
            title="Use an API key"
            text="A key for the Anthropic API or a server with the same Messages API. You pay for the usage of agents."
            onChoose={() => setWithKey(true)}
          />
        )}
      </div>
      <p className="pt-4 text-fg-2 text-sm">
        A chat subscription (Claude Pro or Max) does not include API access. Create a key at
        console.anthropic.com. Troupe keeps the key in your system's key store and sends it only to the API.
      </p>
      <Button variant="quiet" className="mt-3 -ml-2.5" onClick={onLater}>
        Look around first
      </Button>
    </>
  )
}
