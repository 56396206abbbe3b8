/** An agent's name, and where that is not enough its task: with little room it is the name that gets shorter. */
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
      <span className="min-w-12 shrink-[100] truncate">{name}</span>
      <span className="truncate font-normal text-fg-2">{makeVisible(task)}</span>
    </span>
  )
}
