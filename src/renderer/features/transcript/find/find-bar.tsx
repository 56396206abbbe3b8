/** The search field of one transcript. The search covers all rows, also those not loaded yet. */
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import { INPUT_CLASS } from '../../../ui/text-field.tsx'
import type { Finder } from './use-finder.ts'

interface FindBarProps {
  readonly finder: Finder
  /** The name of the transcript's agent. */
  readonly agentName: string
}

export function FindBar({ finder, agentName }: FindBarProps) {
  const { text, setText, total, number, searching, move, close, openedAt } = finder
  const field = useRef<HTMLInputElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a second `open` selects the text again
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [openedAt])
  useClosedByEscape(close)
  const onKeyDown = (event: KeyboardEvent) => {
    // Shortcuts belong to the panel and the window.
    if (event.key === 'Escape' || event.ctrlKey || event.metaKey) return
    event.stopPropagation()
    if (event.key === 'Enter') move(event.shiftKey ? -1 : 1)
    else if (event.key === 'ArrowDown') move(1)
    else if (event.key === 'ArrowUp') move(-1)
    else return
    event.preventDefault()
  }
  const status =
    text === ''
      ? ''
      : total > 0
        ? `${number.toLocaleString('en')} of ${total.toLocaleString('en')}`
        : searching
          ? 'Searching…'
          : 'Nothing found'
  return (
    // biome-ignore lint/a11y/useSemanticElements: not all browsers know the search element
    <div
      role="search"
      aria-label={`Find in the transcript of ${agentName}`}
      className="absolute top-1.5 right-2 z-10 flex items-center gap-0.5 rounded-md border border-line-strong bg-bg-2 p-1 shadow-popup"
    >
      <input
        ref={field}
        aria-label={`Find in ${agentName}`}
        placeholder="Find"
        dir="auto"
        value={text}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        className={`${INPUT_CLASS} h-[22px] w-36 text-sm`}
      />
      <span aria-live="polite" className="min-w-16 px-1 text-center text-fg-2 text-xs tabular-nums">
        {status}
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

/** Escape closes the search wherever the focus is, unless something above the search handled the key. */
function useClosedByEscape(close: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
      if (event.target instanceof Element && event.target.closest('[role="dialog"], [role="menu"]')) return
      event.preventDefault()
      close()
    }
    // On the document: after the parts of the window, before the keys of the whole window.
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [close])
}
