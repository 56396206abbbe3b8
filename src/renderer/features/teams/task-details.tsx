/** The details of a task: its state, what it is about, what it depends on, its result, its verification and its history. */
import { ArrowLeft, CircleAlert, PanelRight, Play } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { USER } from '../../../shared/state/message-log.ts'
import type { StuckCause } from '../../../shared/state/stuck-team.ts'
import type { Team, TeamTask } from '../../../shared/teams/team-schema.ts'
import { doWith, useOfferedActions } from '../../stores/agent-actions.ts'
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { agentText } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { Lasted, Moment } from '../../ui/text/times.tsx'
import { Part } from './part.tsx'
import { Party } from './party.tsx'
import { causeText, useStuck } from './stuck-text.ts'
import { TaskButtons } from './task-actions.tsx'
import { TaskHistory } from './task-history.tsx'
import { TaskResult, TaskVerification } from './task-outcome.tsx'
import { selectTask, showTeamDialog } from './teams-store.ts'

interface TaskDetailsProps {
  readonly taskId: string
  readonly team: Team | null
  readonly onClose: () => void
  readonly onOpenAgent: (agentId: string) => void
}

const NO_TASKS: readonly TeamTask[] = []

export function TaskDetails({ taskId, team, onClose, onOpenAgent }: TaskDetailsProps) {
  const tasks = useConversation((state) => state.record?.tasks ?? NO_TASKS)
  const readOnly = useConversation((state) => state.readOnly)
  const { marks } = useStuck(team)
  // The tasks that the user came from, through what a task depends on.
  const [path, setPath] = useState<readonly string[]>([])
  const task = tasks.find(({ id }) => id === taskId)
  if (task === undefined) return null
  const show = (id: string, next: readonly string[]) => {
    setPath(next)
    selectTask(id)
    showTeamDialog({ kind: 'task', id })
  }
  const before = path.at(-1)
  const goTo = (id: string) => show(id, [...path, taskId])
  const openAgent = (agentId: string) => {
    onClose()
    onOpenAgent(agentId)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      width={720}
      title={`#${task.id} ${makeVisible(task.subject)}`}
      className="top-[9vh]! max-h-[84vh]!"
      {...(before !== undefined && {
        aside: (
          <Button variant="quiet" onClick={() => show(before, path.slice(0, -1))}>
            <ArrowLeft size={12} aria-hidden="true" /> Back to #{before}
          </Button>
        ),
      })}
      {...(!readOnly && { actions: <TaskButtons task={task} /> })}
    >
      <div className="grid gap-4 text-sm">
        <State task={task} onOpenAgent={openAgent} />
        <Stuck task={task} cause={marks.get(task.id)} onShow={goTo} />
        <Part title="Description">
          <p dir="auto" data-selectable="" className="whitespace-pre-wrap text-fg-0 wrap-anywhere">
            {task.description === '' ? 'No description.' : makeVisible(task.description)}
          </p>
        </Part>
        <Dependencies task={task} tasks={tasks} onShow={goTo} />
        <TaskResult task={task} onOpenAgent={openAgent} />
        <TaskVerification task={task} onOpenAgent={openAgent} />
        <TaskHistory task={task} />
      </div>
    </Dialog>
  )
}

const STATES: Readonly<Record<TeamTask['status'], { readonly text: string; readonly look: string }>> = {
  pending: { text: 'Not begun', look: 'border-line text-fg-1' },
  in_progress: { text: 'In progress', look: 'border-line-strong text-fg-0' },
  completed: { text: 'Done', look: 'border-ok/50 text-ok' },
  canceled: { text: 'Canceled', look: 'border-line text-fg-2 line-through' },
}

interface StateProps {
  readonly task: TeamTask
  readonly onOpenAgent: (agentId: string) => void
}

/** The state, its holder with what it does, and who created the task. */
function State({ task, onOpenAgent }: StateProps) {
  const { text, look } = STATES[task.status]
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1.5">
      <Fact name="State">
        <span className={classNames('rounded-xs border px-1.5 py-px text-xs', look)}>{text}</span>
        {task.claimedAt !== null && (
          <span className="text-fg-2">
            {task.endedAt === null ? 'for ' : 'after '}
            <Lasted since={task.claimedAt} until={task.endedAt} />
          </span>
        )}
      </Fact>
      <Fact name={task.status === 'completed' ? 'Done by' : 'Holder'}>
        {task.owner === null ? (
          <span className="text-fg-2">nobody</span>
        ) : (
          <Holder agentId={task.owner} isOpen={task.status === 'in_progress'} onOpenAgent={onOpenAgent} />
        )}
      </Fact>
      <Fact name="Created by">
        <Party id={task.createdBy ?? USER} />
        <span className="text-fg-2">
          <Moment at={task.createdAt} />
        </span>
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-fg-2">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-2 text-fg-1">{children}</dd>
    </>
  )
}

interface HolderProps {
  readonly agentId: string
  /** Whether the task is in progress. */
  readonly isOpen: boolean
  readonly onOpenAgent: (agentId: string) => void
}

function Holder({ agentId, isOpen, onOpenAgent }: HolderProps) {
  const agent = useAgent(agentId)
  const offered = useOfferedActions(agentId)
  return (
    <>
      <Party id={agentId} dot="state" />
      {isOpen && agent !== undefined && <span className="text-fg-2 wrap-anywhere">{agentText(agent)}</span>}
      {agent !== undefined && (
        <Button variant="quiet" onClick={() => onOpenAgent(agentId)}>
          <PanelRight size={12} aria-hidden="true" />
          {agent.parentId === null ? 'Show the conversation' : 'Open panel'}
        </Button>
      )}
      {isOpen && offered.includes('resume') && (
        <Button onClick={() => doWith(agentId, 'resume')}>
          <Play size={12} aria-hidden="true" /> Resume
        </Button>
      )}
    </>
  )
}

interface StuckProps {
  readonly task: TeamTask
  readonly cause: StuckCause | undefined
  readonly onShow: (taskId: string) => void
}

/** Why the task does not advance. Nothing while it does. */
function Stuck({ task, cause, onShow }: StuckProps) {
  const text = useConversation(({ agents }) => (cause === undefined ? '' : causeText(cause, agents)))
  if (cause === undefined) return null
  const isOwn = cause.taskId === task.id
  return (
    <p className="flex flex-wrap items-center gap-x-2 rounded-sm border border-bad/50 bg-bad/8 px-2.5 py-1.5 text-fg-0">
      <CircleAlert size={13} aria-hidden="true" className="shrink-0 text-bad" />
      {isOwn ? `Nobody works on it: ${text}.` : `Blocked by #${cause.taskId}: ${text}.`}
      {!isOwn && (
        <Button variant="quiet" onClick={() => onShow(cause.taskId)}>
          Show #{cause.taskId}
        </Button>
      )}
    </p>
  )
}

interface DependenciesProps {
  readonly task: TeamTask
  readonly tasks: readonly TeamTask[]
  readonly onShow: (taskId: string) => void
}

/** Both directions. */
function Dependencies({ task, tasks, onShow }: DependenciesProps) {
  const after = tasks.filter(({ dependsOn }) => dependsOn.includes(task.id)).map(({ id }) => id)
  return (
    <div className="grid grid-cols-2 gap-x-6">
      <Part title="Depends on">
        <TaskLinks ids={task.dependsOn} tasks={tasks} onShow={onShow} none="No other task." />
      </Part>
      <Part title="Needed by">
        <TaskLinks ids={after} tasks={tasks} onShow={onShow} none="No other task." />
      </Part>
    </div>
  )
}

interface TaskLinksProps extends Pick<DependenciesProps, 'tasks' | 'onShow'> {
  readonly ids: readonly string[]
  readonly none: string
}

function TaskLinks({ ids, tasks, onShow, none }: TaskLinksProps) {
  if (ids.length === 0) return <p className="text-fg-2">{none}</p>
  return (
    <ul className="grid">
      {ids.map((id) => {
        const task = tasks.find((other) => other.id === id)
        return (
          <li key={id} className="min-w-0">
            {task === undefined ? (
              <span className="text-bad">#{id} does not exist</span>
            ) : (
              <button
                type="button"
                onClick={() => onShow(id)}
                className="-mx-1.5 flex w-[calc(100%+0.75rem)] min-w-0 items-baseline gap-1.5 rounded-sm px-1.5 py-0.5 text-left hover:bg-bg-3"
              >
                <span className="shrink-0 font-mono text-fg-2 text-xs">#{id}</span>
                <span dir="auto" className="min-w-0 text-fg-1 wrap-anywhere">
                  {makeVisible(task.subject)}
                </span>
                <span className="ml-auto shrink-0 text-fg-2 text-xs">
                  {STATES[task.status].text.toLowerCase()}
                </span>
              </button>
            )}
          </li>
        )
      })}
    </ul>
  )
}
