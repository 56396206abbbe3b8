import { Check } from 'lucide-react'
import type { ComponentProps } from 'react'
import type { Todo } from '../../shared/events/agent-event.ts'
import { makeVisible } from '../../shared/kernel/visible-text.ts'
import { classNames } from './text/class-names.ts'

interface TodoListProps extends ComponentProps<'ul'> {
  readonly todos: readonly Todo[]
  /** Check marks instead of boxes, and nothing crossed out. */
  readonly checks?: boolean
}

/** The to-do list of an agent. The item in progress has `aria-current`. */
export function TodoList({ todos, checks = false, className, ...rest }: TodoListProps) {
  return (
    <ul {...rest} className={classNames('flex flex-col gap-1 text-sm', className)}>
      {todos.map(({ status, content }, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is a snapshot
          key={index}
          aria-current={status === 'in_progress' ? 'step' : undefined}
          className="grid shrink-0 grid-cols-[12px_minmax(0,1fr)] items-baseline gap-2"
        >
          {checks ? <CheckMark status={status} /> : <BoxMark status={status} />}
          <span
            dir="auto"
            className={classNames(
              'break-words',
              status === 'completed' && !checks && 'line-through',
              status === 'completed'
                ? 'text-fg-2'
                : checks && status === 'pending'
                  ? 'text-fg-1'
                  : 'text-fg-0',
            )}
          >
            {makeVisible(content)}
          </span>
        </li>
      ))}
    </ul>
  )
}

interface MarkProps {
  readonly status: Todo['status']
}

function BoxMark({ status }: MarkProps) {
  return (
    <span
      role="img"
      aria-label={LABELS[status]}
      className={classNames(
        'size-2.5 self-center rounded-[3px] border-[1.5px]',
        status === 'completed' && 'border-ok bg-ok',
        status === 'in_progress' &&
          'border-agent bg-[linear-gradient(90deg,var(--agent)_50%,transparent_50%)]',
        status === 'pending' && 'border-fg-3',
      )}
    />
  )
}

function CheckMark({ status }: MarkProps) {
  if (status === 'completed')
    return (
      <Check
        size={12}
        strokeWidth={1.75}
        role="img"
        aria-label={LABELS[status]}
        className="self-center text-fg-2"
      />
    )
  return (
    <span
      role="img"
      aria-label={LABELS[status]}
      className={classNames(
        'size-2 self-center justify-self-center rounded-full',
        status === 'in_progress'
          ? 'bg-agent shadow-[0_0_0_3px_color-mix(in_oklab,var(--agent)_25%,transparent)]'
          : 'border border-fg-3 border-dashed',
      )}
    />
  )
}

const LABELS = { pending: 'To do', in_progress: 'In progress', completed: 'Done' } as const
