/** Sends one answer at a time from a card, and shows what went wrong. */
import { useEffect, useRef, useState } from 'react'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import type { GivenAnswer } from './answer-request.ts'

interface AnswerOptions {
  readonly onAnswer: (answer: GivenAnswer) => Promise<Answer<void>>
  readonly isAnswerable: boolean
  /** Whether the card took another's place, so that a click just after may be meant for that one. */
  readonly isReplaced: boolean
  /** Whether another answer may follow, to other requests of the card. */
  readonly isRepeatable: boolean
}

/** Answers are ignored this long after a card appears: a key or click was meant for what was there before. */
export const GRACE_MS = 400

interface CardAnswer {
  readonly isSending: boolean
  readonly failure: string | null
  readonly answer: (answer: GivenAnswer) => void
}

export function useAnswer({ onAnswer, isAnswerable, isReplaced, isRepeatable }: AnswerOptions): CardAnswer {
  const [state, setState] = useState<'asking' | 'sending' | { readonly failure: string }>('asking')
  /** A ref changes before the next render, so a second click can't answer twice. */
  const sending = useRef(false)
  const since = useRef(0)
  useEffect(() => {
    since.current = performance.now()
  }, [])
  const answer = (given: GivenAnswer) => {
    if (sending.current || !isAnswerable) return
    if (isReplaced && performance.now() - since.current < GRACE_MS) return
    sending.current = true
    setState('sending')
    void onAnswer(given).then((answered) => {
      // The answer of a single request closes its card as soon as the event arrives.
      if (answered.ok && !isRepeatable) return
      sending.current = false
      setState(answered.ok ? 'asking' : { failure: answered.failure.message })
    })
  }
  return {
    isSending: state === 'sending',
    failure: typeof state === 'object' ? state.failure : null,
    answer,
  }
}
