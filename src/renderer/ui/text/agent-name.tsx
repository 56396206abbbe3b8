/** The name of an agent on one line: its task, and the letter that tells it from agents with the same task. */
import { type AgentName, nameText } from '../../../shared/state/agent-names.ts'
import { classNames } from './class-names.ts'

interface AgentNameLineProps {
  readonly name: AgentName
  /** On up to two lines, where the line has room for them. */
  readonly wraps?: boolean
}

/** The whole name shows on hover. The letter stays visible when the task is cut. */
export function AgentNameLine({ name, wraps = false }: AgentNameLineProps) {
  const { title, letter } = name
  return (
    <span className="flex min-w-0 items-center gap-1.5" title={nameText(name)}>
      <span
        dir="auto"
        data-agent-title=""
        className={classNames('min-w-0', wraps ? 'line-clamp-2 wrap-anywhere' : 'truncate')}
      >
        {title}
      </span>
      {letter !== null && <LetterBadge letter={letter} />}
    </span>
  )
}

/** Contestants and other agents with one task: A, B, C. In the color of the nearest `agentStyle`. */
function LetterBadge({ letter }: { readonly letter: string }) {
  return (
    <span className="grid h-4 min-w-4 shrink-0 place-items-center rounded-xs border border-agent px-1 font-mono font-semibold text-2xs text-fg-0 leading-none">
      {letter}
    </span>
  )
}
