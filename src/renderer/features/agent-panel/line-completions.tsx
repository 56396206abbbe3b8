/** The commands of the agent's program above the message field, while a command is typed there. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { matchingCommands, type ProgramCommand } from '../../ui/text/program-text.ts'

interface LineCompletion {
  readonly options: readonly ProgramCommand[]
  readonly active: number
  readonly pick: (command: ProgramCommand) => void
  readonly choose: (index: number) => void
  /** Whether the key was for the list. */
  readonly takes: (event: KeyboardEvent) => boolean
}

/** `onPick` gets the new text of the field. */
export function useLineCompletion(
  agent: AgentState | undefined,
  text: string,
  onPick: (text: string) => void,
): LineCompletion {
  const [choice, setChoice] = useState({ text: '', index: 0 })
  const [dismissed, setDismissed] = useState(false)
  const found = matchingCommands(agent, text)
  if (dismissed && found.length === 0) setDismissed(false)
  const options = dismissed ? [] : found
  const active = choice.text === text ? Math.min(choice.index, options.length - 1) : 0
  const choose = (index: number) => setChoice({ text, index })
  const pick = ({ name }: ProgramCommand) => onPick(`/${name} `)
  const takes = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const current = options[active]
    if (current === undefined) return false
    if (key === 'ArrowDown') choose((active + 1) % options.length)
    else if (key === 'ArrowUp') choose((active + options.length - 1) % options.length)
    else if (key === 'Escape') setDismissed(true)
    // A whole name is sent by Enter; another one is completed first.
    else if ((key === 'Tab' && !shiftKey) || (key === 'Enter' && text !== `/${current.name}`)) pick(current)
    else return false
    return true
  }
  return { options, active, pick, choose, takes }
}

interface LineCompletionsProps {
  readonly id: string
  readonly completion: LineCompletion
  readonly label: string
}

export function LineCompletions({ id, completion, label }: LineCompletionsProps) {
  const { options, active, pick, choose } = completion
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView?.({ block: 'nearest' })
  }, [active])
  if (options.length === 0) return null
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={label}
      className="absolute inset-x-2 bottom-9 z-20 max-h-48 overflow-y-auto rounded-md border border-line bg-bg-2 p-1 shadow-popup"
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the message field handles the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the message field
        <div
          key={option.name}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          onMouseMove={() => index !== active && choose(index)}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => pick(option)}
          className={classNames(
            'flex min-w-0 items-center gap-2 rounded-sm px-2 py-1 text-sm',
            index === active ? 'bg-bg-3 text-fg-0' : 'text-fg-1',
          )}
        >
          <span className="max-w-[70%] shrink-0 truncate font-mono text-xs">
            /{makeVisible(option.name)}
            {option.hint !== null && <span className="text-fg-2"> {makeVisible(option.hint)}</span>}
          </span>
          <span className="min-w-0 flex-1 truncate text-fg-2 text-xs">{makeVisible(option.description)}</span>
        </div>
      ))}
    </div>
  )
}
