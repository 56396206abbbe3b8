/**
 * The answers to what an agent asks on its tile, in place of the last line. A request that a tile shows whole can be allowed
 * there; any other one, questions and a login are looked at in the panel first. For the pointer: the keyboard has the drawer.
 */
import { useRef } from 'react'
import { hasHiddenCharacters } from '../../../shared/kernel/visible-text.ts'
import type { AgentState, PendingRequest } from '../../../shared/state/agent-state.ts'
import { useAgent } from '../../stores/conversation-store.ts'
import { revealAgent, revealRequest } from '../../stores/stage-store.ts'
import { Button } from '../../ui/button.tsx'
import { usePressGuard } from '../../ui/press-guard.ts'
import { isDangerous } from './request-shape.ts'
import { answerRequest, useRequestAnswers } from './use-answer.ts'

/** Characters that fit on a line of the smallest tile. */
const WHOLE = 18

/** Renders nothing for an agent that asks nothing. */
export function TileAnswer({ agentId }: { readonly agentId: string }) {
  const agent = useAgent(agentId)
  if (agent === undefined) return null
  const [request] = agent.requests
  if (request !== undefined) return <Answers key={request.requestId} agent={agent} request={request} />
  const [form] = agent.forms
  const label = form !== undefined ? 'Answer' : 'Log in'
  return <OpenButton key={form?.formId ?? 'login'} label={label} onPress={() => revealAgent(agentId)} />
}

const ROW = 'absolute right-2.5 bottom-1 left-[2rem] flex gap-1.5'
const BUTTON = { tabIndex: -1, className: 'h-[1.375rem] flex-1 px-0' }
const NOT_YET = { disabled: true, focusableWhenDisabled: true, 'aria-busy': true } as const

/** Opens the panel of the agent, in which there is more room. */
function OpenButton({ label, onPress }: { readonly label: string; readonly onPress: () => void }) {
  const row = useRef<HTMLSpanElement>(null)
  const { isSettled, mayClick } = usePressGuard(row)
  return (
    <span ref={row} className={ROW}>
      <Button {...BUTTON} {...(isSettled ? {} : NOT_YET)} onClick={() => mayClick() && onPress()}>
        {label}
      </Button>
    </span>
  )
}

function Answers({ agent, request }: { readonly agent: AgentState; readonly request: PendingRequest }) {
  const row = useRef<HTMLSpanElement>(null)
  const { id: agentId, conversationId } = agent
  const { requestId } = request
  const { answer, keys, isSettled, isSending, failure } = useRequestAnswers(row, request, {
    onAnswer: (given) => answerRequest({ conversationId, agentId, requestId, ...given }),
    isAnswerable: true,
  })
  const review = () => revealRequest(agentId, requestId)
  const button = { ...BUTTON, ...(isSettled && !isSending ? {} : NOT_YET) }
  const isFailed = failure !== null
  return (
    <span ref={row} className={ROW}>
      {isFailed && (
        <span role="alert" className="sr-only">
          {failure}
        </span>
      )}
      {isWhole(request) && !isFailed ? (
        <Button {...button} onClick={keys.once}>
          Allow once
        </Button>
      ) : (
        <Button {...button} {...(isFailed && { title: failure })} onClick={review}>
          {isFailed ? 'Not answered: review' : 'Review'}
        </Button>
      )}
      {!isFailed && (
        <Button {...button} onClick={() => answer({ decision: 'deny', feedback: null })}>
          Deny
        </Button>
      )}
    </span>
  )
}

function isWhole({ subject, choices = [] }: PendingRequest): boolean {
  const { kind, text } = subject
  const isShort = kind !== 'diff' && text.length <= WHOLE && !text.includes('\n')
  return isShort && choices.length === 0 && !isDangerous(subject) && !hasHiddenCharacters(text)
}
