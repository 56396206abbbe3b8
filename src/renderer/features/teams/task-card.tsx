/** One task of the board. Renders when the task, its owner's state or the selection changes. */
import { CircleAlert } from 'lucide-react'
import { memo } from 'react'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { needsUser } from '../../../shared/state/agent-state.ts'
import type { TeamTask } from '../../../shared/teams/team-schema.ts'
import { useAgent } from '../../stores/conversation-store.ts'
import { ContextMenu } from '../../ui/menu.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { Lasted, Moment } from '../../ui/text/times.tsx'
import { Party } from './party.tsx'
import { TaskMenuItems } from './task-actions.tsx'

interface TaskCardProps {
  readonly id: string
  readonly task: TeamTask
  /** What the task waits for, as `<id>:<status>` joined with spaces; empty: nothing. */
  readonly waitsFor: string
  /** Why nobody works on it, or on the task that it waits for: "builder was stopped". Empty: it advances. */
  readonly cause: string
  /** The task that blocks it; empty: none. */
  readonly blockedBy: string
  readonly selected: boolean
  /** Whether the selected task depends on this one, or the reverse. */
  readonly related: boolean
  readonly onOpen: (taskId: string) => void
}

export const TaskCard = memo(function TaskCard(props: TaskCardProps) {
  const { id, task, waitsFor, cause, blockedBy, selected, related, onOpen } = props
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
          onClick={() => onOpen(task.id)}
          className={classNames(
            'flex min-w-0 flex-col gap-0.5 rounded-md border px-2.5 py-1.5 text-sm [contain-intrinsic-size:auto_3.25rem] [content-visibility:auto]',
            borderOf({ selected, needs, isStuck: cause !== '', related }),
            selected ? 'bg-bg-3' : related ? 'bg-bg-2' : 'bg-bg-1',
          )}
        >
          <span className="flex min-w-0 items-baseline gap-1.5">
            <span className="shrink-0 font-mono text-fg-2 text-xs">#{task.id}</span>
            <span
              dir="auto"
              title={task.subject}
              className={classNames(
                'line-clamp-2 min-w-0 wrap-anywhere',
                task.status === 'canceled' ? 'text-fg-2 line-through' : 'text-fg-0',
              )}
            >
              {makeVisible(task.subject)}
            </span>
          </span>
          {task.owner !== null && <Holder task={task} owner={task.owner} needs={needs} />}
          {waitsFor !== '' && <Waits waitsFor={waitsFor} />}
          {task.status === 'pending' && waitsFor === '' && (
            <span className="flex justify-between gap-2 text-fg-2 text-xs">
              nobody yet <Moment at={task.createdAt} />
            </span>
          )}
          {cause !== '' && (
            <span className="flex min-w-0 items-baseline gap-1 text-bad text-xs">
              <CircleAlert size={11} aria-hidden="true" className="shrink-0 translate-y-px" />
              <span className="min-w-0 wrap-anywhere">
                {blockedBy === '' ? cause : `Blocked by #${blockedBy}: ${cause}`}
              </span>
            </span>
          )}
        </div>
      }
    >
      <TaskMenuItems task={task} onOpen={onOpen} />
    </ContextMenu>
  )
})

interface CardLook {
  readonly selected: boolean
  readonly needs: boolean
  readonly isStuck: boolean
  readonly related: boolean
}

function borderOf({ selected, needs, isStuck, related }: CardLook): string {
  if (selected) return 'border-accent'
  if (needs) return 'border-needs-you/60'
  if (isStuck) return 'border-bad/60'
  return related ? 'border-line-strong' : 'border-line hover:border-line-strong'
}

interface HolderProps {
  readonly task: TeamTask
  readonly owner: string
  readonly needs: boolean
}

function Holder({ task: { status, claimedAt, endedAt }, owner, needs }: HolderProps) {
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-fg-1 text-xs">
      <Party id={owner} dot={status === 'completed' ? 'color' : 'state'} />
      {needs && <span className="shrink-0 font-medium text-needs-you">needs you</span>}
      {claimedAt !== null && (
        <span className="ml-auto shrink-0 text-fg-2">
          <Lasted since={claimedAt} until={endedAt} />
        </span>
      )}
    </span>
  )
}

const MARKS: Readonly<Record<string, { readonly look: string; readonly text: string }>> = {
  completed: { look: 'bg-ok border-ok', text: 'done' },
  in_progress: { look: 'bg-fg-2 border-fg-2', text: 'in progress' },
  pending: { look: 'border-fg-3', text: 'not begun' },
  canceled: { look: 'border-bad', text: 'canceled' },
}

/** "after #3 #4", each with the mark of its state. */
function Waits({ waitsFor }: { readonly waitsFor: string }) {
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 text-fg-2 text-xs">
      after
      {waitsFor.split(' ').map((one) => {
        const [id = '', status = ''] = one.split(':')
        const mark = MARKS[status] ?? { look: 'border-bad', text: 'does not exist' }
        return (
          <span key={id} title={`#${id}: ${mark.text}`} className="inline-flex items-center gap-1 text-fg-1">
            <span aria-hidden="true" className={`size-1.5 rounded-full border-[1.5px] ${mark.look}`} />
            <span className="font-mono">#{id}</span>
          </span>
        )
      })}
    </span>
  )
}
