/** What the user can do with a task, as entries of a menu. */
import { Ban, Check, CircleDot, ListTree, Undo2, UserRound } from 'lucide-react'
import type { TeamTask } from '../../../shared/teams/team-schema.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { changeTask, taskActions } from '../../stores/team-actions.ts'
import { MenuHeading, MenuItem, MenuNote, MenuSeparator } from '../../ui/menu.tsx'
import { partyName, peopleIn } from './people.ts'
import { showTeamDialog } from './teams-store.ts'

const ICONS = { release: Undo2, complete: Check, cancel: Ban, reopen: CircleDot } as const

export function TaskMenuItems({ task }: { readonly task: TeamTask }) {
  const readOnly = useConversation((state) => state.readOnly)
  return (
    <>
      <MenuItem icon={ListTree} keys="Enter" onSelect={() => showTeamDialog({ kind: 'task', id: task.id })}>
        Show task
      </MenuItem>
      {readOnly ? (
        <MenuNote>Another program runs this conversation. It can be read here, not changed.</MenuNote>
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
          {(task.status === 'pending' || task.status === 'in_progress') && (
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

interface AssignItemsProps {
  readonly task: TeamTask
  readonly onDone?: () => void
}

/** The agents that can get the task: those of its team, or of the last team. */
export function AssignItems({ task, onDone }: AssignItemsProps) {
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
            onSelect={() => {
              onDone?.()
              void changeTask(task, { assign: agentId })
            }}
          >
            {partyName(agentId, agents)}
          </MenuItem>
        ))}
    </>
  )
}
