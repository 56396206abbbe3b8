/** Offers a new conversation with the other mode: a conversation that has begun keeps its own. */
import { useState } from 'react'
import { useLiveCounts } from '../../stores/agent-actions.ts'
import { continueInMode, startInMode } from '../../stores/conversation-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { count } from '../../ui/text/format.ts'

export function CoordinatorDialog({
  open,
  onClose,
}: {
  readonly open: boolean
  readonly onClose: () => void
}) {
  const isOn = useConversation(({ record }) => record?.coordinator === true)
  const { working, asking, queued, paused } = useLiveCounts()
  const [busy, setBusy] = useState(false)
  const live = working + asking + queued + paused
  const branch = async () => {
    if (busy) return
    setBusy(true)
    const isShown = await continueInMode(!isOn)
    setBusy(false)
    if (isShown) onClose()
  }
  const begin = () => {
    onClose()
    void startInMode(!isOn)
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={isOn ? 'Continue without coordinator mode?' : 'Continue in coordinator mode?'}
      description={isOn ? LEAVE : ENTER}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button onClick={begin}>Empty conversation</Button>
          <Button variant="primary" disabled={busy} onClick={() => void branch()}>
            Branch
          </Button>
        </>
      }
    >
      <p className="text-fg-1 text-sm">
        A conversation that has begun keeps its mode. A branch begins with a copy of this conversation, which
        stays as it is.
        {live > 0 &&
          ` ${count(live, 'agent')} of this conversation ${live === 1 ? 'continues' : 'continue'} here, not in the branch.`}
      </p>
    </Dialog>
  )
}

const ENTER =
  'A coordinator changes nothing itself. It plans in four phases, gives the work to agents, merges it, and has it verified.'
const LEAVE = 'The main agent can then read, change and run things itself again.'
