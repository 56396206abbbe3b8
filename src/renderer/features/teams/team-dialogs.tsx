/** The dialogs of the view of teams. */
import type { Team } from '../../../shared/teams/team-schema.ts'
import { AddWorkerDialog } from './add-worker-dialog.tsx'
import { EndTeamDialog } from './end-team-dialog.tsx'
import { NewTaskDialog } from './new-task-dialog.tsx'
import { TaskDialog } from './task-dialog.tsx'
import { showTeamDialog, useTeams } from './teams-store.ts'

export function TeamDialogs({ team }: { readonly team: Team | null }) {
  const dialog = useTeams((state) => state.dialog)
  const close = () => showTeamDialog(null)
  return (
    <>
      <NewTaskDialog open={dialog?.kind === 'new-task'} onClose={close} />
      <TaskDialog taskId={dialog?.kind === 'task' ? dialog.id : null} onClose={close} />
      {team !== null && (
        <>
          <AddWorkerDialog team={team} open={dialog?.kind === 'add-worker'} onClose={close} />
          <EndTeamDialog team={team} open={dialog?.kind === 'end'} onClose={close} />
        </>
      )}
    </>
  )
}
