/** Why sending is blocked, and the way out. */
import { History, Lock, PlugZap } from 'lucide-react'
import type { ReactNode } from 'react'
import { splitModel } from '../../../shared/models/model-provider.ts'
import { TUTORIAL_MODEL } from '../../../shared/tutorial/tutorial.ts'
import { useNeedsNoModel } from '../../stores/conversation-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { showFailure, showOverlay } from '../../stores/overlay-store.ts'
import { leaveReplay } from '../../stores/replay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { setAccess, showSettingsPart } from '../../stores/settings-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { Button } from '../../ui/button.tsx'
import { useCurrentModel } from './model-picker.tsx'

type Block = 'past' | 'read-only' | 'imported' | 'no-access' | 'unreadable'

/** The reason that blocks sending, or null. */
export function useBlock(): Block | null {
  const readOnly = useConversation((state) => state.readOnly)
  const imported = useConversation((state) => state.record?.imported === true)
  const isPast = useConversation((state) => state.pastAt !== null)
  const unreadable = useConversation((state) => state.phase === 'failed')
  const model = useCurrentModel()
  const isProgram = useNeedsNoModel()
  // A provider's model needs no main access, and neither does an external agent, nor the tutorial's script.
  const noAccess = useSession(
    ({ access, settings }) =>
      access.kind === 'none' &&
      !isProgram &&
      model !== TUTORIAL_MODEL &&
      !Object.hasOwn(settings.providers, splitModel(model).provider ?? ''),
  )
  if (unreadable) return 'unreadable'
  if (isPast) return 'past'
  if (readOnly) return imported ? 'imported' : 'read-only'
  return noAccess ? 'no-access' : null
}

export function BlockedNotice({ block }: { readonly block: Block }) {
  switch (block) {
    case 'past':
      return (
        <Notice
          icon={<History size={14} aria-hidden="true" />}
          text="You see a past moment of this conversation. It continues now, or in a branch from here."
        >
          <Button onClick={() => void leaveReplay()}>Back to now</Button>
        </Notice>
      )
    case 'read-only':
    case 'imported':
      return (
        <Notice
          icon={<Lock size={14} aria-hidden="true" />}
          text={
            block === 'imported'
              ? 'This conversation was imported from a file. You can read and export it, but not continue it.'
              : 'Another program is running this conversation. You can read along here and continue once that program closes it.'
          }
        >
          <Button onClick={() => void openConversation(null)}>New conversation</Button>
        </Notice>
      )
    case 'no-access':
      return (
        <Notice
          icon={<PlugZap size={14} aria-hidden="true" />}
          text="Troupe has no model access yet. Rehearse with a script that reads your folder, add a key, or use an external agent."
        >
          <Button onClick={() => showOverlay('programs')}>External agents…</Button>
          <Button onClick={() => void rehearse()}>Rehearse without a key</Button>
          <Button variant="primary" onClick={() => showSettingsPart('access')}>
            Add key
          </Button>
        </Notice>
      )
    case 'unreadable':
      return null
  }
}

async function rehearse(): Promise<void> {
  const answer = await setAccess({ kind: 'rehearsal' })
  if (!answer.ok) showFailure(answer.failure)
}

interface NoticeProps {
  readonly icon: ReactNode
  readonly text: string
  readonly children: ReactNode
}

function Notice({ icon, text, children }: NoticeProps) {
  return (
    <div
      role="note"
      className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border border-line bg-bg-2 px-3 py-2"
    >
      <span className="flex min-w-0 flex-[1_1_16rem] items-start gap-2 text-fg-1 text-sm">
        <span className="mt-0.5 text-fg-2">{icon}</span>
        {text}
      </span>
      <span className="flex gap-2">{children}</span>
    </div>
  )
}
