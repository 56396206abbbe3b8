/** What can't be saved, above everything else and for as long as it is so: one line for each conversation. */
import { CirclePause } from 'lucide-react'
import type { LogTrouble } from '../../../shared/ipc-contract.ts'
import { useLogTrouble } from '../../stores/log-trouble-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { Button } from '../../ui/button.tsx'
import { RetryButton } from './retry-button.tsx'

export function LogTroubleBanner() {
  const troubles = useLogTrouble((state) => state.troubles)
  return (
    <div role="alert" className="max-h-[40vh] overflow-y-auto">
      {troubles.map((trouble) => (
        <Line key={trouble.conversationId} trouble={trouble} />
      ))}
    </div>
  )
}

function Line({ trouble: { conversationId, agentIds, message } }: { readonly trouble: LogTrouble }) {
  const shown = useSession((state) => state.conversationId === conversationId)
  const title = useSession(
    (state) => state.conversations.find(({ id }) => id === conversationId)?.title ?? 'a conversation',
  )
  return (
    <div className="flex items-start gap-2.5 border-bad/50 border-b bg-bad/10 px-3 py-2 text-sm">
      <CirclePause size={14} strokeWidth={1.75} aria-hidden="true" className="mt-[3px] shrink-0 text-bad" />
      <p className="min-w-0 flex-1 text-fg-0 wrap-anywhere" data-selectable="">
        <span className="font-medium">{pausedWords(agentIds.length, shown ? null : title)}</span>{' '}
        <span className="text-fg-1">{message}</span>
      </p>
      {!shown && (
        <Button variant="quiet" onClick={() => void openConversation(conversationId)}>
          Show it
        </Button>
      )}
      <RetryButton conversationId={conversationId} />
    </div>
  )
}

function pausedWords(agents: number, title: string | null): string {
  const where = title === null ? '' : ` in “${title === '' ? 'a new conversation' : title}”`
  return agents === 1 ? `One agent${where} is paused.` : `${agents} agents${where} are paused.`
}
