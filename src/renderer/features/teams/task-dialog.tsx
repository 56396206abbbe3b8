/** One task with its description, its times and what can be done with it. */
import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { TeamTask } from '../../../shared/teams/team-schema.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { changeTask, taskActions } from '../../stores/teams-and-workers.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { formatDuration } from '../../ui/text/format.ts'
import { Age } from './age.tsx'
import { AssignItems } from './task-card.tsx'
import { usePartyName } from './teams-store.ts'

interface TaskDialogProps {
  /** Null: closed. */
  readonly taskId: string | null
  readonly onClose: () => void
}

export function TaskDialog({ taskId, onClose }: TaskDialogProps) {
  const task = useConversation((state) => state.record?.tasks.find(({ id }) => id === taskId) ?? null)
  const readOnly = useConversation((state) => state.readOnly)
  if (task === null) return null
  const act = (action: Parameters<typeof changeTask>[1]) => {
    onClose()
    void changeTask(task, action)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      width={560}
      title={`#${task.id} ${makeVisible(task.subject)}`}
      actions={
        readOnly ? undefined : (
          <>
            {taskActions(task).map(({ action, label }) => (
              <Button
                key={action}
                size="md"
                variant={action === 'cancel' ? 'danger' : 'secondary'}
                onClick={() => act(action)}
              >
                {label}
              </Button>
            ))}
            {(task.status === 'pending' || task.status === 'in_progress') && (
              <Menu
                align="end"
                trigger={
                  <Button size="md">
                    Assign <ChevronDown size={12} aria-hidden="true" />
                  </Button>
                }
              >
                <AssignItems task={task} onDone={onClose} />
              </Menu>
            )}
          </>
        )
      }
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
        <Fact name="State">
          <State task={task} />
        </Fact>
        {task.dependsOn.length > 0 && (
          <Fact name="Only after">
            <ul>
              {task.dependsOn.map((id) => (
                <Dependency key={id} id={id} />
              ))}
            </ul>
          </Fact>
        )}
        <Fact name="Created by">
          <Creator createdBy={task.createdBy} />
        </Fact>
      </dl>
      <p
        dir="auto"
        data-selectable=""
        className="mt-3 whitespace-pre-wrap break-words rounded-md border border-line bg-bg-2 p-2.5 text-fg-1 text-sm"
      >
        {task.description === '' ? 'No description.' : makeVisible(task.description)}
      </p>
    </Dialog>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-2">{name}</dt>
      <dd className="min-w-0 text-fg-1">{children}</dd>
    </>
  )
}

const STATES: Readonly<Record<TeamTask['status'], string>> = {
  pending: 'nobody has claimed it',
  in_progress: 'claimed by',
  completed: 'done by',
  canceled: 'canceled',
}

function State({ task }: { readonly task: TeamTask }) {
  const owner = usePartyName(task.owner ?? '')
  const withOwner = task.owner !== null && task.status !== 'canceled'
  return (
    <>
      {task.status === 'completed' && task.owner === null ? 'done' : STATES[task.status]}
      {withOwner && ` ${owner}, `}
      {withOwner && task.claimedAt !== null && task.endedAt === null && <Age since={task.claimedAt} />}
      {withOwner &&
        task.claimedAt !== null &&
        task.endedAt !== null &&
        formatDuration(task.endedAt - task.claimedAt)}
    </>
  )
}

function Dependency({ id }: { readonly id: string }) {
  const task = useConversation((state) => state.record?.tasks.find((other) => other.id === id))
  return (
    <li dir="auto" className="truncate">
      <span className="font-mono text-fg-2 text-xs">#{id}</span>{' '}
      {task === undefined ? 'does not exist' : makeVisible(task.subject)}
      {task !== undefined && (
        <span className="text-fg-2"> · {task.status === 'in_progress' ? 'in progress' : task.status}</span>
      )}
    </li>
  )
}

function Creator({ createdBy }: { readonly createdBy: string | null }) {
  const name = usePartyName(createdBy ?? 'user')
  return <>{name}</>
}
