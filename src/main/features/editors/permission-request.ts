/** A permission request as a question of the editor, and the editor's answer as ours. */
import { resolve } from 'node:path'
import type {
  PermissionOption,
  RequestPermissionOutcome,
  ToolCall,
  ToolCallContent,
} from '@agentclientprotocol/sdk'
import type { EventOf } from '../../../shared/events/agent-event.ts'
import { offersOf } from '../../../shared/events/rule-offers.ts'
import type { ProgramChoice } from '../../../shared/external-agents/program-choice.ts'
import type { FormAnswer } from '../../../shared/forms/form.ts'
import type { PermissionAnswer } from '../../runtime/runtime.ts'
import { diffsOf, isProgramCall, kindOf, outputBlock, textContent } from './tool-call-update.ts'

type Asked = EventOf<'permission-asked'>

const ALLOW = 'allow-once'
const DENY = 'deny'
const ALWAYS = 'always:'

/** Before the id of an answer of an external agent, so that it can't be one of ours. */
const PROGRAM = 'program:'

/** The rules offered with a request at most: each is a button. */
const OFFERED = 3

const offeredRules = (asked: Asked) => offersOf(asked).slice(0, OFFERED)

/**
 * Troupe's answers, and those of the external agent that asks. Where the program's own stand for a plain
 * permission or a plain denial, they take its place.
 */
export function permissionOptions(asked: Asked): PermissionOption[] {
  const ofProgram = (kind: ProgramChoice['kind'], shown: PermissionOption['kind']) =>
    (asked.choices ?? [])
      .filter((choice) => choice.kind === kind)
      .map(({ id, name }) => ({ optionId: `${PROGRAM}${id}`, name, kind: shown }))
  const [once, deny] = [ofProgram('once', 'allow_once'), ofProgram('deny', 'reject_once')]
  return [
    ...(once.length > 0 ? once : [{ optionId: ALLOW, name: 'Allow once', kind: 'allow_once' as const }]),
    ...ofProgram('always', 'allow_always'),
    ...offeredRules(asked).map(({ rule, alsoCovers }, index) => ({
      optionId: `${ALWAYS}${index}`,
      name: `Always allow ${rule}${alsoCovers === undefined ? '' : ` (also ${alsoCovers})`}`,
      kind: 'allow_always' as const,
    })),
    ...(deny.length > 0 ? deny : [{ optionId: DENY, name: 'Deny', kind: 'reject_once' as const }]),
  ]
}

/** The call that asks, with what the user decides about. */
export function askedCall(id: string, asked: Asked, who: string | null): ToolCall {
  const { subject, because, toolName } = asked
  const what = subject.text === '' ? [] : subjectContent(asked)
  // An external agent has told the kind of its call, and calls it by its first line.
  const isOfProgram = isProgramCall(toolName)
  const words = [who, isOfProgram ? null : toolName, firstLine(changedFile(asked) ?? subject.text)]
  return {
    toolCallId: id,
    title: words.filter((word) => word !== null && word !== '').join(': '),
    ...(!isOfProgram && { kind: kindOf(toolName) }),
    status: 'pending',
    content: [...what, ...(because === '' ? [] : [textContent(because)])],
  }
}

/** An answer that was not offered denies, and so does a closed question. */
export function permissionAnswer(outcome: RequestPermissionOutcome, asked: Asked): PermissionAnswer {
  const denied = { decision: 'deny', feedback: null } as const
  if (outcome.outcome !== 'selected') return denied
  const { optionId } = outcome
  if (optionId === ALLOW) return { decision: 'allow-once' }
  if (optionId.startsWith(ALWAYS)) {
    const offer = offeredRules(asked).find((_, index) => optionId === `${ALWAYS}${index}`)
    return offer === undefined ? denied : { decision: 'allow-always', rule: offer.rule }
  }
  const choice = asked.choices?.find(({ id }) => optionId === `${PROGRAM}${id}`)
  if (choice === undefined) return denied
  return choice.kind === 'deny'
    ? { ...denied, choice: choice.id }
    : { decision: 'allow-once', choice: choice.id }
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

/** The path of the file that a request about a difference names; null: it is about something else. */
const changedFile = ({ subject }: Asked): string | null =>
  subject.kind === 'diff' && subject.action.startsWith(WRITES) ? subject.action.slice(WRITES.length) : null

const WRITES = 'write '

function subjectContent(asked: Asked): readonly ToolCallContent[] {
  const { text, folder } = asked.subject
  const file = changedFile(asked)
  const diffs =
    file === null
      ? []
      : diffsOf({ path: resolve(folder, file), patch: text, created: text.startsWith(CREATES) })
  return diffs.length > 0 ? diffs.map((diff) => ({ type: 'diff', ...diff })) : [outputBlock(text)]
}

/** So begins the difference of a file that does not exist yet. */
const CREATES = '@@ -0,0 '

/** As a title. */
export const firstLine = (text: string): string => text.split('\n', 1)[0]?.slice(0, 200) ?? ''
