/** Permission requests: Troupe's as questions of an editor with its answers, and those of external agents as choices. */
import { resolve } from 'node:path'
import type {
  PermissionOption,
  RequestPermissionOutcome,
  RequestPermissionResponse,
  ToolCall,
  ToolCallContent,
} from '@agentclientprotocol/sdk'
import type { PermissionAnswer } from '../../../shared/agents/contract.ts'
import type { EventOf } from '../../../shared/events/agent-event.ts'
import { offersOf } from '../../../shared/events/permissions.ts'
import type { ExternalAgentChoice } from '../../../shared/external-agents/external-agent.ts'
import type { FormAnswer } from '../../../shared/forms/form.ts'
import { shortText } from './content.ts'
import { diffsOf, isProgramCall, kindOf, outputBlock, textContent } from './tool-calls.ts'

type Asked = EventOf<'permission-asked'>

const ALLOW = 'allow-once'
const DENY = 'deny'
const ALWAYS = 'always:'

/** Before the id of an answer of an external agent, so that it can't be one of ours. */
const PROGRAM = 'program:'

const KINDS = { once: 'allow_once', always: 'allow_always', deny: 'reject_once' } as const

/** The rules offered with a request at most: each is a button. */
const OFFERED = 3

const offeredRules = (asked: Asked) => offersOf(asked).slice(0, OFFERED)

/**
 * Troupe's answers, and those of the external agent that asks. Where the program's own stand for a plain
 * permission or a plain denial, they take its place.
 */
export function permissionOptions(asked: Asked): PermissionOption[] {
  const ofProgram = (kind: ExternalAgentChoice['kind']) =>
    (asked.choices ?? [])
      .filter((choice) => choice.kind === kind)
      .map(({ id, name }) => ({ optionId: `${PROGRAM}${id}`, name, kind: KINDS[kind] }))
  const [once, deny] = [ofProgram('once'), ofProgram('deny')]
  return [
    ...(once.length > 0 ? once : [{ optionId: ALLOW, name: 'Allow once', kind: 'allow_once' as const }]),
    ...ofProgram('always'),
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

// ---- requests of external agents -----------------------------------------------------------------

const CHOICES: Readonly<Record<PermissionOption['kind'], ExternalAgentChoice['kind']>> = {
  allow_once: 'once',
  allow_always: 'always',
  reject_once: 'deny',
  reject_always: 'deny',
}

/**
 * What the user can choose beyond a plain permission and a plain denial. Where the program offers several answers of one
 * kind, their names tell them apart, so all of the kind are choices.
 */
export function choicesOf(options: readonly PermissionOption[]): readonly ExternalAgentChoice[] {
  const known = options.filter(({ kind }) => kind in CHOICES)
  const choiceOf = (option: PermissionOption) => CHOICES[option.kind]
  const several = (kind: ExternalAgentChoice['kind']) =>
    known.filter((option) => choiceOf(option) === kind).length > 1
  const isAmbiguous = several('once') || several('always')
  const choices = known
    .filter((option) => {
      const kind = choiceOf(option)
      return kind === 'always' || (kind === 'once' ? isAmbiguous : several('deny'))
    })
    .map((option) => ({ id: option.optionId, name: shortText(option.name), kind: choiceOf(option) }))
  return withDistinctNames(choices)
}

/** The names of Troupe's own answers in a request. */
const OWN_NAMES = ['allow', 'allow once', 'always allow', 'deny', 'deny…']

/** No two buttons have one name: a name is followed by how long its answer holds, and then by a number. */
function withDistinctNames(choices: readonly ExternalAgentChoice[]): readonly ExternalAgentChoice[] {
  const countOfName = (name: string) =>
    choices.filter((other) => other.name.trim().toLowerCase() === name.trim().toLowerCase()).length +
    (OWN_NAMES.includes(name.trim().toLowerCase()) ? 1 : 0)
  const taken = new Set(OWN_NAMES)
  return choices.map((choice) => {
    const named = countOfName(choice.name) > 1 ? `${choice.name} (${LENGTHS[choice.kind]})` : choice.name
    let name = named
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${named} (${number})`
    taken.add(name.toLowerCase())
    return { ...choice, name }
  })
}

/** A program keeps an answer that always holds by itself. */
const LENGTHS: Readonly<Record<ExternalAgentChoice['kind'], string>> = {
  once: 'once',
  always: 'kept by the program',
  deny: 'denies',
}

/** The answer to a request that nobody answers any more. */
export const CANCELED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } }

/**
 * Once rather than always, unless the user chose an answer of the program: after an answer for always the program would
 * not ask again, and neither the user's rules nor the queue of requests would see its calls.
 */
export function chosen(
  options: readonly PermissionOption[],
  kinds: readonly PermissionOption['kind'][],
  choice?: string,
): RequestPermissionResponse {
  if (choice !== undefined) return { outcome: { outcome: 'selected', optionId: choice } }
  const found = kinds.flatMap((kind) => options.find((option) => option.kind === kind) ?? [])[0]
  return found === undefined ? CANCELED : { outcome: { outcome: 'selected', optionId: found.optionId } }
}
