/** What the user can do with a task: the entries of its menu, and the buttons of its details. */
import { Ban, Check, ChevronDown, CircleDot, ListTree, Undo2, UserRound } from 'lucide-react'
import type { TeamTask } from '../../../shared/teams/team-schema.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useReadOnlyReason } from '../../stores/replay-store.ts'
import { changeTask, taskActions } from '../../stores/teams-and-workers.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuHeading, MenuItem, MenuNote, MenuSeparator } from '../../ui/menu.tsx'
import { partyName, peopleIn } from './teams-store.ts'

const ICONS = { release: Undo2, complete: Check, cancel: Ban, reopen: CircleDot } as const

interface TaskMenuItemsProps {
  readonly task: TeamTask
  readonly onOpen: (taskId: string) => void
}

export function TaskMenuItems({ task, onOpen }: TaskMenuItemsProps) {
  const readOnly = useConversation((state) => state.readOnly)
  const reason = useReadOnlyReason()
  return (
    <>
      <MenuItem icon={ListTree} keys="Enter" onSelect={() => onOpen(task.id)}>
        Show task
      </MenuItem>
      {readOnly ? (
        <MenuNote>{reason}</MenuNote>
      ) : (
        <>
          {taskActions(task).map(({ action, label, keys }) => (
            <MenuItem
              key={action}
              icon={ICONS[action]}
              keys={keys}
              danger={action === 'cancel'}
              onSelect={() => void changeTask(task, action)}
            >
              {label}
            </MenuItem>
          ))}
          {isOpen(task) && (
            <>
              <MenuSeparator />
              <AssignItems task={task} />
            </>
          )}
        </>
      )}
    </>
  )
}

/** The buttons of the details. The details stay open and show what came of it. */
export function TaskButtons({ task }: { readonly task: TeamTask }) {
  return (
    <>
      {taskActions(task).map(({ action, label }) => (
        <Button
          key={action}
          size="md"
          variant={action === 'cancel' ? 'danger' : 'secondary'}
          onClick={() => void changeTask(task, action)}
        >
          {label}
        </Button>
      ))}
      {isOpen(task) && (
        <Menu
          align="end"
          trigger={
            <Button size="md">
              Assign <ChevronDown size={12} aria-hidden="true" />
            </Button>
          }
        >
          <AssignItems task={task} />
        </Menu>
      )}
    </>
  )
}

const isOpen = ({ status }: TeamTask): boolean => status === 'pending' || status === 'in_progress'

/** The agents that can get the task: those of its team, or of the last team. */
function AssignItems({ task }: { readonly task: TeamTask }) {
  const { agents, record } = useConversation.getState()
  const teams = record?.teams ?? []
  const team = teams.find(({ id }) => id === task.teamId) ?? teams.findLast(({ endedAt }) => endedAt === null)
  const ids = team === undefined ? [...agents.keys()] : peopleIn(team, agents)
  return (
    <>
      <MenuHeading>Assign to</MenuHeading>
      {ids
        .filter((agentId) => agentId !== task.owner)
        .map((agentId) => (
          <MenuItem
            key={agentId}
            icon={UserRound}
            onSelect={() => void changeTask(task, { assign: agentId })}
          >
            {partyName(agentId, agents)}
          </MenuItem>
        ))}
    </>
  )
}
