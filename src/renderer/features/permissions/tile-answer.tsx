/**
 * The answers to a request on the tile of its agent, in place of the last line. A request that a tile shows whole can be
 * allowed there; any other one is looked at in the panel first. For the pointer: the keyboard has the drawer.
 */
import { useRef } from 'react'
import { hasHiddenCharacters } from '../../../shared/kernel/visible-text.ts'
import type { AgentState, PendingRequest } from '../../../shared/state/agent-state.ts'
import { useAgent } from '../../stores/conversation-store.ts'
import { revealRequest } from '../../stores/stage-store.ts'
import { Button } from '../../ui/button.tsx'
import { isDangerous } from './request-shape.ts'
import { answerRequest, useRequestAnswers } from './use-answer.ts'

/** Characters that fit on a line of the smallest tile. */
const WHOLE = 18

/** Renders nothing for an agent that asks nothing. */
export function TileAnswer({ agentId }: { readonly agentId: string }) {
  const agent = useAgent(agentId)
  const request = agent?.requests[0]
  if (agent === undefined || request === undefined) return null
  return <Answers key={request.requestId} agent={agent} request={request} />
}

function Answers({ agent, request }: { readonly agent: AgentState; readonly request: PendingRequest }) {
  const row = useRef<HTMLSpanElement>(null)
  const { id: agentId, conversationId } = agent
  const { requestId } = request
  const { answer, keys, isSettled, isSending } = useRequestAnswers(row, request, {
    onAnswer: (given) => answerRequest({ conversationId, agentId, requestId, ...given }),
    isAnswerable: true,
  })
  const review = () => revealRequest(agentId, requestId)
  const button = {
    tabIndex: -1,
    className: 'h-[1.375rem] flex-1 px-0',
    ...(isSettled && !isSending ? {} : { disabled: true, focusableWhenDisabled: true, 'aria-busy': true }),
  }
  return (
    <span ref={row} className="absolute right-2.5 bottom-1 left-[2rem] flex gap-1.5">
      {isWhole(request) ? (
        <Button {...button} onClick={keys.once}>
          Allow once
        </Button>
      ) : (
        <Button {...button} onClick={review}>
          Review
        </Button>
      )}
      <Button {...button} onClick={() => answer({ decision: 'deny', feedback: null })}>
        Deny
      </Button>
    </span>
  )
}

function isWhole({ subject, choices = [] }: PendingRequest): boolean {
  const { kind, text } = subject
  const isShort = kind !== 'diff' && text.length <= WHOLE && !text.includes('\n')
  return isShort && choices.length === 0 && !isDangerous(subject) && !hasHiddenCharacters(text)
}
