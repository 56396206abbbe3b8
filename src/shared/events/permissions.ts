/** What an agent asks the user, and what it may do unasked: how the events change its state, and how the transcript shows them. */
import type { AgentState, AnsweredRequest, EventOf, PermissionSubject, RuleOffer } from './agent-event.ts'
import { type EventParts, noticeRow } from './event-parts.ts'
import { requestKey } from './transcript-row.ts'

/** Of an agent's answered requests. Older ones are in its transcript. */
const MOST = 50
const TEXT_LENGTH = 300

export const permissionStart = { requests: [], answered: [], forms: [] } satisfies Partial<AgentState>

export const permissionParts: EventParts<
  'permission-asked' | 'permission-answered' | 'permission-mode-changed' | 'form-opened' | 'form-closed'
> = {
  'permission-asked': {
    fold(state, event) {
      const { requestId, toolUseId, toolName, subject, because, alwaysRule, ruleOffers, choices, at } = event
      const offers = { ...(ruleOffers && { ruleOffers }), ...(choices && { choices }) }
      const call = { requestId, toolUseId, toolName, subject, because, alwaysRule }
      return { requests: [...state.requests, { ...call, ...offers, askedAt: at }] }
    },
    rows({ requestId, toolUseId, toolName, subject, because, alwaysRule, at, seq }) {
      const row = { key: requestKey(requestId), at, seq, kind: 'request', requestId, toolUseId } as const
      const shown = { toolName, subject, because, alwaysRule, decision: null, feedback: null }
      return [{ op: 'add', row: { ...row, ...shown } }]
    },
  },
  'permission-answered': {
    fold: (state, event) => ({
      requests: state.requests.filter((request) => request.requestId !== event.requestId),
      answered: withAnswered(state, event),
    }),
    rows({ requestId, decision, feedback, rule, answeredBy }) {
      const by = { ...(rule !== undefined && { rule }), ...(answeredBy !== undefined && { answeredBy }) }
      return [{ op: 'change', key: requestKey(requestId), with: { decision, feedback, ...by } }]
    },
  },
  'permission-mode-changed': {
    fold: (_, { permissionMode, neverAsks }) => ({ permissionMode, neverAsks }),
    rows(event) {
      const silent = event.neverAsks ? ', denies instead of asking' : ''
      return noticeRow(event, `Permission mode: ${event.permissionMode}${silent}`)
    },
  },
  // The row of the call shows the form.
  'form-opened': {
    fold: (state, { formId, toolUseId, toolName, form, at }) => ({
      forms: [...state.forms, { formId, toolUseId, toolName, form, openedAt: at }],
    }),
  },
  'form-closed': {
    fold: (state, event) => ({ forms: state.forms.filter(({ formId }) => formId !== event.formId) }),
  },
}

/** The answered requests after one more answer. A withdrawn request had none. */
function withAnswered(
  { answered, requests }: Pick<AgentState, 'answered' | 'requests'>,
  { requestId, decision, feedback, rule, answeredBy, at }: EventOf<'permission-answered'>,
): readonly AnsweredRequest[] {
  const request = requests.find((one) => one.requestId === requestId)
  if (request === undefined || decision === 'withdrawn') return answered
  const { toolName, subject } = request
  const entry: AnsweredRequest = {
    requestId,
    toolName,
    action: subject.action,
    text: subject.kind === 'diff' ? '' : (subject.text.split('\n')[0] ?? '').slice(0, TEXT_LENGTH),
    decision,
    feedback: feedback === null ? null : feedback.slice(0, TEXT_LENGTH),
    rule: rule ?? null,
    answeredBy: answeredBy ?? 'user',
    at,
  }
  return [...answered, entry].slice(-MOST)
}

/**
 * The rules that "Always allow" can add for a request, the narrowest first; empty if the user decides each time.
 * Requests of earlier versions have only `alwaysRule`.
 */
export function offersOf(request: {
  readonly alwaysRule: string | null
  readonly ruleOffers?: readonly RuleOffer[] | undefined
}): readonly RuleOffer[] {
  return request.ruleOffers ?? (request.alwaysRule === null ? [] : [{ rule: request.alwaysRule }])
}

/** Why no rule is offered for a request, whatever the rules could allow: it deletes files, or it shows secrets. */
export function askedEachTime({ parts = [] }: Pick<PermissionSubject, 'parts'>): 'deletes' | 'secret' | null {
  const kinds = parts.map(({ danger }) => danger?.kind)
  return kinds.includes('deletes') ? 'deletes' : kinds.includes('secret') ? 'secret' : null
}
