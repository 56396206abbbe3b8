/** A permission request as a question of the editor, and the editor's answer as ours. */
import type {
  PermissionOption,
  RequestPermissionOutcome,
  ToolCallContent,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk'
import type { EventOf } from '../../../shared/agent-event.ts'
import type { FormAnswer } from '../../../shared/form.ts'
import { offersOf } from '../../../shared/rule-offers.ts'
import type { PermissionAnswer } from '../../runtime/runtime.ts'
import { kindOf, outputBlock, textContent } from './tool-call-update.ts'

type Asked = EventOf<'permission-asked'>

const ALLOW = 'allow-once'
const DENY = 'deny'
const ALWAYS = 'always:'

/** The rules offered with a request at most: each is a button. */
const OFFERED = 3

export function permissionOptions(asked: Asked): PermissionOption[] {
  const offers = offersOf(asked).slice(0, OFFERED)
  return [
    { optionId: ALLOW, name: 'Allow once', kind: 'allow_once' },
    ...offers.map(({ rule, alsoCovers }, index) => ({
      optionId: `${ALWAYS}${index}`,
      name: `Always allow ${rule}${alsoCovers === undefined ? '' : ` (also ${alsoCovers})`}`,
      kind: 'allow_always' as const,
    })),
    { optionId: DENY, name: 'Deny', kind: 'reject_once' },
  ]
}

/** The call that asks, with what the user decides about. */
export function askedCall(id: string, asked: Asked, who: string | null): ToolCallUpdate {
  const { subject, because, toolName } = asked
  const what = subject.text === '' ? [] : [subjectContent(asked)]
  return {
    toolCallId: id,
    title: `${who === null ? '' : `${who}: `}${toolName}: ${firstLine(subject.text)}`,
    kind: kindOf(toolName),
    status: 'pending',
    content: [...what, ...(because === '' ? [] : [textContent(because)])],
  }
}

export function permissionAnswer(outcome: RequestPermissionOutcome, asked: Asked): PermissionAnswer {
  if (outcome.outcome === 'selected') {
    if (outcome.optionId === ALLOW) return { decision: 'allow-once' }
    if (outcome.optionId.startsWith(ALWAYS)) {
      const offer = offersOf(asked)[Number(outcome.optionId.slice(ALWAYS.length))]
      if (offer !== undefined) return { decision: 'allow-always', rule: offer.rule }
    }
  }
  return { decision: 'deny', feedback: null }
}

const PLAN_EDITS = 'acceptEdits'
const PLAN_ASKS = 'default'

/** The answers to a plan that an agent presents. */
export const PLAN_OPTIONS: PermissionOption[] = [
  { optionId: PLAN_EDITS, name: 'Carry it out, change files unasked', kind: 'allow_always' },
  { optionId: PLAN_ASKS, name: 'Carry it out, ask before each change', kind: 'allow_once' },
  { optionId: 'keep', name: 'Keep planning', kind: 'reject_once' },
]

export function planAnswer(outcome: RequestPermissionOutcome, plan: string): FormAnswer {
  if (outcome.outcome === 'cancelled') return { action: 'cancel', reason: 'user' }
  return outcome.optionId === PLAN_EDITS || outcome.optionId === PLAN_ASKS
    ? { action: 'accept', values: { plan, mode: outcome.optionId } }
    : { action: 'decline', feedback: null }
}

function subjectContent({ subject }: Asked): ToolCallContent {
  return outputBlock(subject.text)
}

const firstLine = (text: string): string => text.split('\n', 1)[0]?.slice(0, 200) ?? ''
