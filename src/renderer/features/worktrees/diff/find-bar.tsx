/** The search field above the lines of a diff. */
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import { INPUT_CLASS } from '../../../ui/text-field.tsx'
import { closeReviewFind, useReviewFind } from '../diff-options.ts'
import type { DiffFind } from './use-find.ts'

interface FindBarProps {
  readonly find: DiffFind
  readonly path: string
  /** Moves the focus back to the lines. */
  readonly onLeave: () => void
}

export function FindBar({ find: { text, total, number, setText, move }, path, onLeave }: FindBarProps) {
  const field = useRef<HTMLInputElement>(null)
  const wantsFocus = useReviewFind((state) => state.wantsFocus)
  useEffect(() => {
    if (!wantsFocus) return
    field.current?.focus()
    field.current?.select()
    useReviewFind.setState({ wantsFocus: false })
  }, [wantsFocus])
  const close = () => {
    closeReviewFind()
    onLeave()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return
    const isField = event.target === field.current
    if (event.key === 'Escape') close()
    else if (isField && (event.key === 'Enter' || event.key === 'ArrowDown' || event.key === 'ArrowUp'))
      move(event.key === 'ArrowUp' || event.shiftKey ? -1 : 1)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: not all browsers know the search element
    <div
      role="search"
      aria-label={`Find in ${path}`}
      onKeyDown={onKeyDown}
      className="flex shrink-0 items-center gap-1 border-line border-b bg-bg-1 px-3 py-1"
    >
      <input
        ref={field}
        aria-label="Find in this file"
        placeholder="Find in this file"
        dir="auto"
        value={text ?? ''}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
        className={`${INPUT_CLASS} h-[22px] w-56 text-sm`}
      />
      <span role="status" className="min-w-20 px-1 text-center text-fg-2 text-xs tabular-nums">
        {text === '' || text === null
          ? ''
          : total === 0
            ? 'Nothing found'
            : `${number.toLocaleString('en')} of ${total.toLocaleString('en')}`}
      </span>
      <IconButton
        icon={ChevronUp}
        label="Previous match"
        keys="Shift Enter"
        disabled={total === 0}
        onClick={() => move(-1)}
      />
      <IconButton
        icon={ChevronDown}
        label="Next match"
        keys="Enter"
        disabled={total === 0}
        onClick={() => move(1)}
      />
      <IconButton icon={X} label="Close find" keys="Esc" onClick={close} />
    </div>
  )
}
