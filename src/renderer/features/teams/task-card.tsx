/** One task of the board. Renders when the task, its owner's state or the selection changes. */
import { Ban, Check, CircleDot, ListTree, Lock, Undo2, UserRound } from 'lucide-react'
import { memo } from 'react'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { needsUser } from '../../../shared/state/agent-state.ts'
import type { TeamTask } from '../../../shared/teams/team-schema.ts'
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { changeTask, taskActions } from '../../stores/teams-and-workers.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Dot } from '../../ui/dot.tsx'
import { ContextMenu, MenuHeading, MenuItem, MenuNote, MenuSeparator } from '../../ui/menu.tsx'
import { markOf } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { formatDuration } from '../../ui/text/format.ts'
import { Age } from './age.tsx'
import { partyName, peopleIn, showTeamDialog, usePartyName } from './teams-store.ts'

interface TaskCardProps {
  readonly id: string
  readonly task: TeamTask
  /** The ids of the open tasks that hold it up, joined; empty: none. */
  readonly openIds: string
  readonly selected: boolean
  /** Whether the selected task depends on this one, or the reverse. */
  readonly related: boolean
  readonly onSelect: (taskId: string) => void
  readonly onOpen: (taskId: string) => void
}

export const TaskCard = memo(function TaskCard(props: TaskCardProps) {
  const { id, task, openIds, selected, related, onSelect, onOpen } = props
  const owner = useAgent(task.owner)
  const needs = task.status === 'in_progress' && owner !== undefined && needsUser(owner)
  return (
    <ContextMenu
      area={
        // biome-ignore lint/a11y/useKeyWithClickEvents: the board around it handles the keys
        <div
          id={id}
          role="option"
          aria-selected={selected}
          tabIndex={-1}
          data-task={task.id}
          onClick={() => onSelect(task.id)}
          onDoubleClick={() => onOpen(task.id)}
          style={agentStyle(owner?.definition.color ?? '')}
          className={classNames(
            'flex min-w-0 flex-col gap-1 rounded-md border bg-bg-1 px-2.5 py-1.5 text-sm [contain-intrinsic-size:auto_3.25rem] [content-visibility:auto]',
            needs
              ? 'border-needs-you/60'
              : selected
                ? 'border-accent'
                : related
                  ? 'border-line-strong'
                  : 'border-line hover:border-line-strong',
            selected && 'bg-bg-2',
          )}
        >
          <span className="flex min-w-0 items-baseline gap-1.5">
            <span className="shrink-0 font-mono text-fg-2 text-xs">#{task.id}</span>
            <span
              dir="auto"
              title={task.subject}
              className={classNames(
                'line-clamp-2 min-w-0 break-words',
                task.status === 'canceled' ? 'text-fg-2 line-through' : 'text-fg-0',
              )}
            >
              {makeVisible(task.subject)}
            </span>
          </span>
          <Facts task={task} openIds={openIds} needs={needs} />
        </div>
      }
    >
      <TaskMenuItems task={task} />
    </ContextMenu>
  )
})

interface FactsProps extends Pick<TaskCardProps, 'task' | 'openIds'> {
  readonly needs: boolean
}

function Facts({ task, openIds, needs }: FactsProps) {
  if (task.owner !== null)
    return (
      <span className="flex min-w-0 items-center gap-1.5 text-fg-2 text-xs">
        <Owner agentId={task.owner} />
        <span className="shrink-0">
          <Time task={task} />
        </span>
        {needs && <span className="ml-auto shrink-0 font-medium text-needs-you">needs you</span>}
      </span>
    )
  if (openIds !== '')
    return (
      <span className="flex min-w-0 items-center gap-1 text-fg-2 text-xs">
        <Lock size={10} aria-hidden="true" className="shrink-0" />
        <span className="truncate">after {openIds}</span>
      </span>
    )
  return null
}

function Owner({ agentId }: { readonly agentId: string }) {
  const agent = useAgent(agentId)
  const name = usePartyName(agentId)
  return (
    <>
      {agent !== undefined && <Dot status={markOf(agent)} />}
      <span className="truncate text-fg-1" title={name}>
        {name}
      </span>
    </>
  )
}

function Time({ task }: { readonly task: TeamTask }) {
  if (task.claimedAt === null) return null
  if (task.endedAt === null) return <Age since={task.claimedAt} />
  return <span className="font-mono tabular-nums">{formatDuration(task.endedAt - task.claimedAt)}</span>
}

/** What the user can do with a task, as entries of a menu. */
const ICONS = { release: Undo2, complete: Check, cancel: Ban, reopen: CircleDot } as const

function TaskMenuItems({ task }: { readonly task: TeamTask }) {
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
