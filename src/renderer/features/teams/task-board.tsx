/** The task list as columns. One tab stop; the arrow keys move over the cards. */
import { CornerDownRight, ListPlus } from 'lucide-react'
import { type KeyboardEvent, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { StuckCause, StuckState } from '../../../shared/state/stuck-team.ts'
import type { Team, TeamTask } from '../../../shared/teams/team-schema.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { changeTask, taskActions } from '../../stores/teams-and-workers.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { BOARD_COLUMNS, boardOf, type ColumnId, neighborTask } from './board.ts'
import { DependencyLines } from './dependency-lines.tsx'
import { causeText, useStuck } from './stuck-text.ts'
import { TaskCard } from './task-card.tsx'
import { selectTask, showTeamDialog, useTeams } from './teams-store.ts'

const NO_TASKS: readonly TeamTask[] = []
/** Of the done tasks; the others are shown on request. */
const DONE_SHOWN = 20

export function TaskBoardView({ team }: { readonly team: Team | null }) {
  const id = useId()
  const tasks = useConversation((state) => state.record?.tasks ?? NO_TASKS)
  const readOnly = useConversation((state) => state.readOnly)
  const selectedId = useTeams((state) => state.taskId)
  const board = useMemo(() => boardOf(tasks, team), [tasks, team])
  const [withAllDone, setWithAllDone] = useState(false)
  const [withCanceled, setWithCanceled] = useState(false)
  const shown = useMemo(
    () => ({
      ...board,
      done: [
        ...(withAllDone ? board.done : board.done.slice(0, DONE_SHOWN)),
        ...(withCanceled ? board.canceled : []),
      ],
    }),
    [board, withAllDone, withCanceled],
  )
  const stuck = useStuck(team)
  const area = useRef<HTMLDivElement>(null)
  const cardId = useCallback((taskId: string) => `${id}-${taskId}`, [id])
  const total = BOARD_COLUMNS.reduce((sum, column) => sum + board[column.id].length, 0)
  const selected = tasks.find((task) => task.id === selectedId) ?? null
  const open = useCallback((taskId: string) => {
    // Where the focus returns to, so that the keys work on.
    area.current?.focus({ preventScroll: true })
    selectTask(taskId)
    showTeamDialog({ kind: 'task', id: taskId })
  }, [])
  useEffect(() => {
    if (selectedId !== null)
      document.getElementById(cardId(selectedId))?.scrollIntoView?.({ block: 'nearest' })
  }, [selectedId, cardId])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return
    if (event.key === 'Enter' && selected !== null) open(selected.id)
    else if (event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End') {
      const next = neighborTask(shown, selectedId, event.key)
      if (next !== null) selectTask(next)
    } else if (!(selected !== null && !readOnly && runKey(selected, event.key))) return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <section aria-label="Tasks" className="flex h-full min-h-0 flex-col">
      <div className="flex h-9 shrink-0 items-center gap-2 px-3">
        <h2 className="side-heading">Tasks · {total}</h2>
        <span className="flex-1" />
        {board.done.length > DONE_SHOWN && (
          <Button variant="quiet" aria-pressed={withAllDone} onClick={() => setWithAllDone(!withAllDone)}>
            {withAllDone ? `Last ${DONE_SHOWN} done` : `All ${board.done.length} done`}
          </Button>
        )}
        {board.canceled.length > 0 && (
          <Button variant="quiet" aria-pressed={withCanceled} onClick={() => setWithCanceled(!withCanceled)}>
            {withCanceled ? 'Hide canceled' : `Canceled · ${board.canceled.length}`}
          </Button>
        )}
        {!readOnly && (
          <Button variant="quiet" onClick={() => showTeamDialog({ kind: 'new-task' })} aria-keyshortcuts="N">
            <ListPlus size={13} aria-hidden="true" /> Task… <Kbd keys="N" />
          </Button>
        )}
      </div>
      {total === 0 && board.canceled.length === 0 ? (
        <EmptyState
          title="No tasks yet"
          {...(!readOnly && {
            actions: <Button onClick={() => showTeamDialog({ kind: 'new-task' })}>New task…</Button>,
          })}
        >
          The leader writes tasks that the workers claim one by one. You can add one, too.
        </EmptyState>
      ) : (
        <div
          ref={area}
          role="listbox"
          aria-label="Task board"
          aria-orientation="horizontal"
          aria-activedescendant={selected === null ? undefined : cardId(selected.id)}
          tabIndex={0}
          onKeyDown={onKeyDown}
          className="group/board relative grid min-h-0 flex-1 grid-cols-4 gap-2 px-3 pb-2 outline-none focus-visible:-outline-offset-2"
        >
          {BOARD_COLUMNS.map((column) => (
            <Column
              key={column.id}
              {...column}
              count={board[column.id].length}
              shown={shown[column.id]}
              tasks={tasks}
              stuck={stuck}
              selected={selected}
              offers={column.id === 'free' && offersTasks(team)}
              cardId={cardId}
              onOpen={open}
            />
          ))}
          {selected !== null && <DependencyLines area={area} task={selected} tasks={tasks} cardId={cardId} />}
        </div>
      )}
    </section>
  )
}

/** Runs the action of a key on a task. False: the task has no such action. */
function runKey(task: TeamTask, key: string): boolean {
  const found = taskActions(task).find(({ keys }) => keys.toLowerCase() === key.toLowerCase())
  if (found === undefined) return false
  void changeTask(task, found.action)
  return true
}

interface ColumnProps {
  readonly id: ColumnId
  readonly title: string
  readonly empty: string
  /** Of all its tasks, also those that are not shown. */
  readonly count: number
  readonly shown: readonly TeamTask[]
  readonly tasks: readonly TeamTask[]
  readonly stuck: StuckState
  readonly selected: TeamTask | null
  /** Whether its first task is offered to the next worker without one. */
  readonly offers: boolean
  readonly cardId: (taskId: string) => string
  readonly onOpen: (taskId: string) => void
}

function Column(props: ColumnProps) {
  const { id, title, empty, count, shown, tasks, stuck, selected, offers, cardId, onOpen } = props
  const next = offers ? shown.find((task) => !stuck.marks.has(task.id)) : undefined
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <fieldset> is for forms
    <div role="group" aria-label={`${title}: ${count}`} className="flex min-h-0 min-w-0 flex-col gap-1.5">
      <span aria-hidden="true" className="flex items-baseline gap-1.5 truncate px-0.5 text-fg-2 text-xs">
        <span className="truncate font-medium text-fg-1">{title}</span> {count}
      </span>
      <div className="flex min-h-0 flex-1 flex-col gap-1.5 overflow-y-auto rounded-md bg-bg-0 pb-1">
        {shown.length === 0 && <span className="px-0.5 py-1 text-fg-2 text-xs">{empty}</span>}
        {shown.map((task) => (
          <TaskCard
            key={task.id}
            id={cardId(task.id)}
            task={task}
            waitsFor={id === 'waiting' ? waitsFor(task, tasks) : ''}
            {...markOf(task, stuck.marks.get(task.id))}
            selected={task.id === selected?.id}
            related={
              selected !== null &&
              (selected.dependsOn.includes(task.id) || task.dependsOn.includes(selected.id))
            }
            onOpen={onOpen}
          />
        ))}
        {next !== undefined && (
          <p className="flex gap-2 rounded-md border border-line-strong border-dashed px-2.5 py-1.5 text-fg-2 text-xs">
            <CornerDownRight size={12} aria-hidden="true" className="mt-0.5 shrink-0" />
            The next worker without a task is offered #{next.id}.
          </p>
        )}
      </div>
    </div>
  )
}

/** Whether the runtime offers free tasks: to the workers of a team that has not ended. */
const offersTasks = (team: Team | null): boolean =>
  team !== null && team.endedAt === null && team.endingAt === null && team.members.length > 0

/** What the task waits for, as `<id>:<status>`. */
function waitsFor({ dependsOn }: TeamTask, tasks: readonly TeamTask[]): string {
  return dependsOn.map((id) => `${id}:${tasks.find((other) => other.id === id)?.status ?? ''}`).join(' ')
}

/** The cause is the task's own, or that of a task before it. */
function markOf({ id }: TeamTask, cause: StuckCause | undefined) {
  if (cause === undefined) return { cause: '', blockedBy: '' }
  const text = causeText(cause, useConversation.getState().agents)
  return { cause: text, blockedBy: cause.taskId === id ? '' : cause.taskId }
}
