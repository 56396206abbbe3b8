/** The completions above the composer. The focus stays in the text field, which names the active option. */
import { useEffect, useRef } from 'react'
import { agentStyle } from '../../ui/agent-style.ts'
import { Dot } from '../../ui/dot.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import type { CompletionOption } from './completion-options.ts'
import type { Completion } from './use-completion.ts'

interface CompletionListProps {
  readonly id: string
  readonly completion: Completion
  /** The note would cover a message above the composer. */
  readonly hidesNote: boolean
  readonly onPick: (option: CompletionOption) => void
}

export function CompletionList({ id, completion, hidesNote, onPick }: CompletionListProps) {
  const { options, active, note } = completion
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView?.({ block: 'nearest' })
  }, [active])
  if (options.length === 0)
    return note === null || hidesNote ? null : (
      <p className="completion-popup px-3 py-2 text-fg-2 text-sm">{note}</p>
    )
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label="Completions"
      className="completion-popup max-h-72 overflow-y-auto p-1"
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field handles the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text field
        <div
          key={option.key}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          onMouseMove={() => index !== active && completion.choose(index)}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(option)}
          style={option.color === null ? undefined : agentStyle(option.color)}
          className={classNames(
            'flex min-w-0 items-center gap-2 rounded-sm px-2 py-1 text-sm',
            index === active ? 'bg-bg-3 text-fg-0' : 'text-fg-1',
          )}
        >
          {option.color !== null && <Dot status={option.live ? 'running' : 'completed'} className="mx-1" />}
          <span className={classNames('max-w-[70%] shrink-0 truncate', option.mono && 'font-mono text-xs')}>
            {option.label}
          </span>
          <span className="min-w-0 flex-1 truncate text-fg-2 text-xs">{option.hint}</span>
          {option.source !== undefined && <span className="shrink-0 text-fg-2 text-xs">{option.source}</span>}
        </div>
      ))}
    </div>
  )
}
