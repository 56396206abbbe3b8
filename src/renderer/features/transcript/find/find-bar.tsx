/** The search field of one transcript. The search covers all rows, also those not loaded yet. */
import { useEffect, useRef } from 'react'
import { FindBar } from '../../../ui/find-bar.tsx'
import type { Finder } from './use-finder.ts'

interface TranscriptFindBarProps {
  readonly finder: Finder
  /** The name of the transcript's agent. */
  readonly agentName: string
}

export function TranscriptFindBar({ finder, agentName }: TranscriptFindBarProps) {
  const { text, setText, total, number, searching, move, close, openedAt } = finder
  const field = useRef<HTMLInputElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a second `open` selects the text again
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [openedAt])
  useClosedByEscape(close)
  return (
    <FindBar
      label={`Find in the transcript of ${agentName}`}
      fieldLabel={`Find in ${agentName}`}
      placeholder="Find"
      className="absolute top-1.5 right-2 z-10 flex items-center gap-0.5 rounded-md border border-line-strong bg-bg-2 p-1 shadow-popup"
      fieldClassName="w-36"
      statusClassName="min-w-16"
      onText={setText}
      onMove={move}
      onClose={close}
      {...{ field, text, total, number, searching }}
    />
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
