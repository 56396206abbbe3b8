/** Below a request that something else has answered while it was on the screen. */
import { useEffect, useRef } from 'react'
import type { AnsweredRequest } from '../../../shared/state/answered-request.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { CommandText } from '../../ui/text/command-text.tsx'
import { outcomeSentence } from './outcome-text.ts'

interface AnsweredElsewhereProps {
  /** Null: the request was withdrawn, or a form was closed. */
  readonly outcome: AnsweredRequest | null
  /** Null: nothing else is pending. */
  readonly onNext: (() => void) | null
}

export function AnsweredElsewhere({ outcome, onNext }: AnsweredElsewhereProps) {
  const next = useRef<HTMLButtonElement>(null)
  // The focus was on the card, whose keys have no effect any more.
  useEffect(() => {
    if (next.current?.closest('[role="dialog"]')?.contains(document.activeElement)) next.current.focus()
  }, [])
  return (
    <div
      role="status"
      className="flex shrink-0 flex-wrap items-center gap-2 border-line border-t px-4 py-2.5"
    >
      <span className="text-fg-1 text-sm">
        {outcome === null ? 'No longer asked.' : outcomeSentence(outcome)}{' '}
        {outcome?.rule != null && (
          <code className="font-mono text-fg-0 text-xs">
            <CommandText>{outcome.rule}</CommandText>
          </code>
        )}
      </span>
      {onNext !== null && (
        <Button ref={next} onClick={onNext}>
          Next request <Kbd keys="Enter" />
        </Button>
      )}
    </div>
  )
}
