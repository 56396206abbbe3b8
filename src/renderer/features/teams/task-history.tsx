/** What happened to a task, with times and authors. */
import { USER } from '../../../shared/state/message-log.ts'
import type { TaskChange, TeamTask } from '../../../shared/teams/team-schema.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { Moment } from '../../ui/text/times.tsx'
import { Part } from './part.tsx'
import { Party } from './party.tsx'
import { partyName } from './teams-store.ts'

/** One line of the history: “builder claimed it”. */
export interface TaskStep {
  /** ms since the epoch. */
  readonly at: number
  /** An agent's id, or `USER`. */
  readonly by: string
  readonly text: string
  /** The agent that got the task from another party. */
  readonly to: string | null
}

export function TaskHistory({ task }: { readonly task: TeamTask }) {
  const agents = useConversation((state) => state.agents)
  return (
    <Part title="History">
      <ol className="grid gap-0.5">
        {stepsOf(task).map(({ at, by, text, to }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only added at the end
          <li key={index} className="flex min-w-0 flex-wrap items-center gap-x-2">
            <span className="shrink-0 text-fg-2 text-xs">
              <Moment at={at} />
            </span>
            <Party id={by} />
            <span className="min-w-0 text-fg-1 wrap-anywhere">
              {text}
              {to !== null && ` ${partyName(to, agents)}`}
            </span>
          </li>
        ))}
      </ol>
    </Part>
  )
}

/** Oldest first. A task of an earlier version has no history: then its times tell what happened last. */
export function stepsOf(task: TeamTask): readonly TaskStep[] {
  const created = { at: task.createdAt, by: task.createdBy ?? USER, text: 'created it', to: null }
  const changes = task.history ?? knownChanges(task)
  let before: Pick<TaskChange, 'status' | 'owner'> = { status: 'pending', owner: null }
  return [
    created,
    ...changes.flatMap((change) => {
      const step = { at: change.at, by: change.by ?? USER, ...wordsFor(change, before) }
      before = change
      return [step]
    }),
  ]
}

function knownChanges({ status, owner, claimedAt, endedAt }: TeamTask): readonly TaskChange[] {
  const changes: TaskChange[] = []
  if (claimedAt !== null && owner !== null)
    changes.push({ at: claimedAt, by: owner, status: 'in_progress', owner })
  if (endedAt !== null) changes.push({ at: endedAt, by: owner, status, owner })
  return changes
}

function wordsFor(
  { by, status, owner, dependsOn }: TaskChange,
  before: Pick<TaskChange, 'status' | 'owner'>,
): Pick<TaskStep, 'text' | 'to'> {
  if (dependsOn !== undefined)
    return {
      text:
        dependsOn.length === 0
          ? 'let it begin without waiting for others'
          : `let it wait for ${dependsOn.map((id) => `#${id}`).join(', ')}`,
      to: null,
    }
  switch (status) {
    case 'in_progress':
      return owner === by ? { text: 'claimed it', to: null } : { text: 'gave it to', to: owner }
    case 'pending':
      return before.status === 'in_progress'
        ? {
            text: before.owner === by ? 'released it' : 'took it from',
            to: before.owner === by ? null : before.owner,
          }
        : { text: 'opened it again', to: null }
    case 'completed':
      return { text: by === null ? 'marked it as done' : 'completed it', to: null }
    case 'canceled':
      return { text: 'canceled it', to: null }
  }
}
