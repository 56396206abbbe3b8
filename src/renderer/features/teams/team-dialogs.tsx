/** The dialogs of the view of teams. */

import { useState } from 'react'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { isLive } from '../../../shared/state/agent-state.ts'
import type { Team, TeamTask } from '../../../shared/teams/team-schema.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useDialogCommand } from '../../stores/overlay-store.ts'
import { createTask, endTeam } from '../../stores/teams-and-workers.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FormDialog, FormFailure } from '../../ui/form-dialog.tsx'
import { count } from '../../ui/text/format.ts'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { AddWorkerDialog } from './add-worker-dialog.tsx'
import { TaskDetails } from './task-details.tsx'
import { selectTask, showTeamDialog, useTeams } from './teams-store.ts'

interface TeamDialogsProps {
  readonly team: Team | null
  readonly onOpenAgent: (agentId: string) => void
}

export function TeamDialogs({ team, onOpenAgent }: TeamDialogsProps) {
  const dialog = useTeams((state) => state.dialog)
  const close = () => showTeamDialog(null)
  return (
    <>
      {dialog?.kind === 'new-task' && <NewTaskDialog onClose={close} />}
      {dialog?.kind === 'task' && (
        <TaskDetails taskId={dialog.id} team={team} onClose={close} onOpenAgent={onOpenAgent} />
      )}
      {team !== null && (
        <>
          {dialog?.kind === 'add-worker' && <AddWorkerDialog team={team} onClose={close} />}
          {dialog?.kind === 'end' && <EndTeamDialog team={team} onClose={close} />}
        </>
      )}
    </>
  )
}

/** Ends a team: says what each way means, and what stays. */
interface EndTeamDialogProps {
  readonly team: Team
  readonly onClose: () => void
}

function EndTeamDialog({ team, onClose }: EndTeamDialogProps) {
  const working = useConversation(({ agents }) => {
    let live = 0
    for (const { agentId } of team.members) {
      const agent = agents.get(agentId)
      if (agent !== undefined && isLive(agent)) live += 1
    }
    return live
  })
  const { busy, failure, run } = useDialogCommand()
  const end = async (force: boolean) => {
    const answer = await run(() => endTeam(team.id, force))
    if (answer?.ok) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
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
          <Button size="md" onClick={onClose}>
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
      <FormFailure message={failure?.message ?? null} />
    </Dialog>
  )
}

/** A new task of the user: what is to be done, and the tasks that must be done before. */
const NO_TASKS: readonly TeamTask[] = []

function NewTaskDialog({ onClose }: { readonly onClose: () => void }) {
  const tasks = useConversation((state) => state.record?.tasks ?? NO_TASKS)
  const [subject, setSubject] = useState('')
  const [description, setDescription] = useState('')
  const [dependsOn, setDependsOn] = useState<readonly string[]>([])
  const { busy, failure, run } = useDialogCommand()
  const open = tasks.filter(({ status }) => status === 'pending' || status === 'in_progress')
  const create = async () => {
    const answer = await run(() => createTask({ subject, description, dependsOn: [...dependsOn] }))
    if (!answer?.ok) return
    selectTask(answer.value.id)
    onClose()
  }
  const toggle = (taskId: string) =>
    setDependsOn(
      dependsOn.includes(taskId) ? dependsOn.filter((other) => other !== taskId) : [...dependsOn, taskId],
    )
  return (
    <FormDialog
      onClose={onClose}
      width={520}
      title="New task"
      description="A worker claims it when it is free."
      label="Create task"
      isReady={subject.trim() !== ''}
      busy={busy}
      onSubmit={() => void create()}
    >
      <TextField
        label="Task"
        autoFocus
        maxLength={200}
        value={subject}
        onChange={(event) => setSubject(event.target.value)}
        placeholder="Move the charge key into the order"
      />
      <TextArea
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.target.value)}
        placeholder="What the worker must know: it does not see this conversation."
      />
      {open.length > 0 && (
        <fieldset className="flex min-w-0 flex-col gap-1">
          <legend className="mb-1 text-fg-1 text-sm">Only after</legend>
          <div className="max-h-36 overflow-y-auto rounded-md border border-line p-1">
            {open.map((task) => (
              <label
                key={task.id}
                className="flex items-baseline gap-2 rounded-sm px-1.5 py-0.5 text-sm hover:bg-bg-2"
              >
                <input
                  type="checkbox"
                  checked={dependsOn.includes(task.id)}
                  onChange={() => toggle(task.id)}
                  className="translate-y-px accent-(--accent)"
                />
                <span className="font-mono text-fg-2 text-xs">#{task.id}</span>
                <span dir="auto" className="min-w-0 truncate text-fg-1">
                  {makeVisible(task.subject)}
                </span>
              </label>
            ))}
          </div>
        </fieldset>
      )}
      <FormFailure message={failure?.message ?? null} />
    </FormDialog>
  )
}
