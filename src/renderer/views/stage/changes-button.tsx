/** Opens the changes of a conversation that has only a main agent: without panels there is no bar to switch in. */
import { FileDiff } from 'lucide-react'
import { hasChanges, totalsOf } from '../../../shared/changes/changes-amounts.ts'
import { openChanges, useChanges } from '../../stores/changes-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { Button } from '../../ui/button.tsx'

export function ChangesButton() {
  const isAlone = useConversation((state) => state.agentIds.length <= 1)
  const isOffered = useChanges(({ isShown, list }) => !isShown && hasChanges(list))
  const amount = useChanges(({ list }) => (list === null ? 0 : totalsOf(list).files))
  if (!isAlone || !isOffered) return null
  return (
    <Button variant="quiet" aria-label={`Changes ${amount}`} onClick={() => openChanges()}>
      <FileDiff size={13} aria-hidden="true" />
      {amount}
    </Button>
  )
}
