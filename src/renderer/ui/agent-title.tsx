/** An agent's name; where others have it too its task comes first, and the name has what room is left. */
import { makeVisible } from '../../shared/visible-text.ts'

export interface AgentTitleProps {
  readonly name: string
  /** What tells it apart from others of its name; null: nobody else has it. */
  readonly task: string | null
}

export function AgentTitle({ name, task }: AgentTitleProps) {
  if (task === null || task === '') return <span className="truncate">{name}</span>
  return (
    <span className="flex min-w-0 gap-1.5" title={`${name}: ${task}`}>
      <span className="truncate">{makeVisible(task)}</span>
      <span className="min-w-0 flex-1 truncate font-normal text-fg-2">{name}</span>
    </span>
  )
}
