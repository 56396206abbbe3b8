/** The search field of a text: what is sought, which match is marked, and the ways to the next, the previous and out. */
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import type { KeyboardEvent, RefObject } from 'react'
import { IconButton } from './button.tsx'
import { INPUT_CLASS } from './text-field.tsx'

interface FindBarProps {
  /** Names the search and its field for screen readers. */
  readonly label: string
  readonly fieldLabel: string
  readonly placeholder: string
  readonly field: RefObject<HTMLInputElement | null>
  readonly text: string
  /** The number of matches, and of the marked one, from 1. */
  readonly total: number
  readonly number: number
  /** Whether more matches may come. */
  readonly searching?: boolean
  readonly onText: (text: string) => void
  readonly onMove: (by: 1 | -1) => void
  readonly onClose: () => void
  readonly onKeyDown?: (event: KeyboardEvent) => void
  readonly className: string
  readonly fieldClassName: string
  readonly statusClassName: string
}

/** Enter and the arrows in the field go through the matches. Each user of it says what Escape does. */
export function FindBar(props: FindBarProps) {
  const { label, fieldLabel, placeholder, field, text, total, number, searching = false } = props
  const { onText, onMove, onClose } = props
  const onFieldKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.key === 'Escape' || event.ctrlKey || event.metaKey) return
    // Other keys belong to the text; shortcuts belong to the panel and the window.
    event.stopPropagation()
    if (event.key === 'Enter') onMove(event.shiftKey ? -1 : 1)
    else if (event.key === 'ArrowDown') onMove(1)
    else if (event.key === 'ArrowUp') onMove(-1)
    else return
    event.preventDefault()
  }
  const move = [
    { icon: ChevronUp, label: 'Previous match', keys: 'Shift Enter', by: -1 },
    { icon: ChevronDown, label: 'Next match', keys: 'Enter', by: 1 },
  ] as const
  return (
    // biome-ignore lint/a11y/useSemanticElements: not all browsers know the search element
    <div role="search" aria-label={label} onKeyDown={props.onKeyDown} className={props.className}>
      <input
        ref={field}
        aria-label={fieldLabel}
        placeholder={placeholder}
        dir="auto"
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onFieldKeyDown}
        className={`${INPUT_CLASS} h-[22px] text-sm ${props.fieldClassName}`}
      />
      <span
        role="status"
        className={`px-1 text-center text-fg-2 text-xs tabular-nums ${props.statusClassName}`}
      >
        {statusOf({ text, total, number, searching })}
      </span>
      {move.map(({ by, ...button }) => (
        <IconButton key={by} {...button} disabled={total === 0} onClick={() => onMove(by)} />
      ))}
      <IconButton icon={X} label="Close find" keys="Esc" onClick={onClose} />
    </div>
  )
}

function statusOf({
  text,
  total,
  number,
  searching,
}: Pick<Required<FindBarProps>, 'text' | 'total' | 'number' | 'searching'>): string {
  if (text === '') return ''
  if (total > 0) return `${number.toLocaleString('en')} of ${total.toLocaleString('en')}`
  return searching ? 'Searching…' : 'Nothing found'
}
