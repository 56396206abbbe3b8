/** An answered request: what was asked, the answer, and the rule, which can be removed again. */
import { useEffect, useRef, useState } from 'react'
import type { AnsweredRequest } from '../../../shared/events/agent-event.ts'
import { command } from '../../bridge.ts'
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { editRule } from '../../stores/settings-store.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { displayName } from '../../ui/text/agent-text.ts'
import { formatClock } from '../../ui/text/format.ts'
import { CommandText, VisibleText } from '../../ui/text/visible-text.tsx'
import { useRequestFocus } from '../../ui/use-focus.ts'
import { outcomeSentence } from './request-shape.ts'
import type { AnsweredByAgent } from './use-answer.ts'

/** Pass the request's id as `key`. */
export function AnsweredCard({ answered }: { readonly answered: AnsweredByAgent }) {
  const { agentId, action, text, feedback, rule, at } = answered
  const agent = useAgent(agentId)
  const folder = useConversation((state) => state.record?.folder ?? null)
  const card = useRef<HTMLElement>(null)
  const { isSaved, failure, remove } = useSavedRule(folder, rule)
  useRequestFocus(card)
  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-label="Answered request"
      data-answered={answered.requestId}
      onKeyDown={(event) => {
        if (event.key.toLowerCase() !== 'u' || event.ctrlKey || event.metaKey || event.altKey || event.repeat)
          return
        if (!isSaved) return
        event.preventDefault()
        event.stopPropagation()
        remove()
      }}
      className="flex flex-col gap-2 px-4 pt-3 text-sm outline-none"
    >
      <p className="text-fg-0">
        <b className="font-semibold">{agent === undefined ? 'An agent' : displayName(agent)}</b> wanted to{' '}
        <VisibleText>{action}</VisibleText>
      </p>
      {text !== '' && (
        <pre className="whitespace-pre-wrap rounded-sm bg-bg-0 px-2 py-[5px] font-medium font-mono text-[0.71875rem] text-fg-0 leading-[1.5] wrap-anywhere">
          <CommandText>{text}</CommandText>
        </pre>
      )}
      <p className="text-fg-1">
        {outcomeSentence(answered)} <span className="text-fg-2">{formatClock(at)}</span>
      </p>
      {feedback !== null && (
        <p className="text-fg-1">
          Your feedback: <VisibleText>{feedback}</VisibleText>
        </p>
      )}
      {rule !== null && (
        <div className="flex flex-wrap items-center gap-2">
          <code className="font-mono text-fg-0 text-xs wrap-anywhere">
            <CommandText>{rule}</CommandText>
          </code>
          {isSaved === true && (
            <Button onClick={remove}>
              Remove rule <Kbd keys="U" />
            </Button>
          )}
          {isSaved === false && (
            <span role="status" className="text-fg-2">
              This rule no longer holds: Troupe asks again.
            </span>
          )}
        </div>
      )}
      {failure !== null && (
        <p role="alert" className="text-bad">
          {failure}
        </p>
      )}
    </section>
  )
}

/** Whether "Always allow" saved the rule and it still holds; null: not known yet. */
function useSavedRule(folder: string | null, rule: string | null) {
  const [isSaved, setSaved] = useState<boolean | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => {
    let isCurrent = true
    if (folder !== null && rule !== null)
      void command('rules.list', { folder }).then((listed) => {
        if (!isCurrent) return
        if (!listed.ok) setFailure(listed.failure.message)
        else setSaved(listed.value.entries.some(({ source, text }) => source === 'saved' && text === rule))
      })
    return () => {
      isCurrent = false
    }
  }, [folder, rule])
  const remove = () => {
    if (folder === null || rule === null) return
    void editRule(folder, { from: { source: 'saved', list: 'allow', text: rule }, to: null }).then(
      (problem) => {
        setFailure(problem)
        if (problem === null) setSaved(false)
      },
    )
  }
  return { isSaved, failure, remove }
}

/** Below a request that something else has answered while it was on the screen. */
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
