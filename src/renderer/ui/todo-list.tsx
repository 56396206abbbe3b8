import type { ComponentProps } from 'react'
import type { Todo } from '../../shared/agent-event.ts'
import { makeVisible } from '../../shared/visible-text.ts'
import { classNames } from './class-names.ts'

interface TodoListProps extends ComponentProps<'ul'> {
  readonly todos: readonly Todo[]
}

/** The to-do list of an agent. The item in progress has `aria-current`. */
export function TodoList({ todos, className, ...rest }: TodoListProps) {
  return (
    <ul {...rest} className={classNames('flex flex-col gap-1 text-sm', className)}>
      {todos.map(({ status, content }, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is a snapshot
          key={index}
          aria-current={status === 'in_progress' ? 'step' : undefined}
          className="grid shrink-0 grid-cols-[12px_minmax(0,1fr)] items-baseline gap-2"
        >
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
          <span
            dir="auto"
            className={classNames(
              'break-words',
              status === 'completed' ? 'text-fg-2 line-through' : 'text-fg-0',
            )}
          >
            {makeVisible(content)}
          </span>
        </li>
      ))}
    </ul>
  )
}

const LABELS = { pending: 'To do', in_progress: 'In progress', completed: 'Done' } as const
