/** The name of an agent. A shared name follows the task, which tells the agents apart. */
import { makeVisible } from '../../../shared/kernel/visible-text.ts'

interface AgentTitleProps {
  readonly name: string
  /** The task that tells agents with the same name apart; null for a unique name. */
  readonly task: string | null
}

export function AgentTitle({ name, task }: AgentTitleProps) {
  if (task === null || task === '') return <span className="truncate">{name}</span>
  return (
    // A name with room for a few letters only wraps to a second line, which is not shown.
    <span className="flex h-[1lh] min-w-0 flex-wrap gap-x-1.5 overflow-hidden" title={`${name}: ${task}`}>
      <span dir="auto" className="max-w-full truncate">
        {makeVisible(task)}
      </span>
      <span className="min-w-12 flex-1 truncate font-normal text-fg-2">{name}</span>
    </span>
  )
}
