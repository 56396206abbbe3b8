/** Ends a team: says what each way means, and what stays. */
import { useState } from 'react'
import { isLive } from '../../../shared/state/agent-state.ts'
import type { Team } from '../../../shared/teams/team-schema.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { endTeam } from '../../stores/team-actions.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { count } from '../../ui/text/format.ts'
import { DialogFailure } from './dialog-failure.tsx'

interface EndTeamDialogProps {
  readonly team: Team
  readonly open: boolean
  readonly onClose: () => void
}

export function EndTeamDialog({ team, open, onClose }: EndTeamDialogProps) {
  const working = useConversation(({ agents }) => {
    let live = 0
    for (const { agentId } of team.members) {
      const agent = agents.get(agentId)
      if (agent !== undefined && isLive(agent)) live += 1
    }
    return live
  })
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const close = () => {
    setFailure(null)
    onClose()
  }
  const end = async (force: boolean) => {
    setBusy(true)
    const answer = await endTeam(team.id, force)
    setBusy(false)
    if (answer.ok) close()
    else setFailure(answer.failure.message)
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      width={520}
      title={`End the team ${team.name}?`}
      description={
        <>
          <p>
            {working === 0
              ? 'No worker works now.'
              : `${count(working, 'worker')} ${working === 1 ? 'works' : 'work'} now.`}{' '}
            Their transcripts, worktrees, messages and the task list stay. A message resumes a worker later.
          </p>
          <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-sm">
            <dt className="font-medium text-fg-0">By agreement</dt>
            <dd>
              Each worker is asked to finish what it does and to report. The team ends with the last one.
            </dd>
            <dt className="font-medium text-fg-0">Now</dt>
            <dd>All workers stop at once. What they have not reported is only in their transcripts.</dd>
          </dl>
        </>
      }
      actions={
        <>
          <Button size="md" onClick={close}>
            Cancel
          </Button>
          <Button size="md" variant="danger" disabled={busy} onClick={() => void end(true)}>
            End now
          </Button>
          <Button
            size="md"
            variant="primary"
            disabled={busy || team.endingAt !== null}
            onClick={() => void end(false)}
          >
            {team.endingAt === null ? 'End by agreement' : 'Asked to finish'}
          </Button>
        </>
      }
    >
      <DialogFailure message={failure} />
    </Dialog>
  )
}
