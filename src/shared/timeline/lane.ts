/**
 * The spans of one agent: a fold over its events that changes the lane in place, in constant time for each event. A lane is
 * plain data: it can be sent to another process, which continues the fold.
 *
 * At each moment an agent does one thing (`base`: the model, a wait, a pause), or calls run, each with a span of its own.
 */
import type { AgentEvent, EventOf, PermissionSubject } from '../events/agent-event.ts'
import { startsAgents } from '../tools/tool-names.ts'
import { addSpent, type ModelSpan, type RunEndMark, type Span, type ToolSpan, type UserSpan } from './span.ts'

export interface Lane {
  readonly agentId: string
  readonly parentId: string | null
  /** The name of its definition, and its task. */
  type: string
  task: string
  /** A name of a color, or `#hex`. */
  readonly color: string
  readonly spawnedAt: number
  /** The ended spans, in the order of their ends. See `spansOf`. */
  readonly spans: Span[]
  readonly ends: RunEndMark[]
  /** Of the last event, ms since the epoch: never before an earlier one. */
  lastAt: number
  lastSeq: number
  readonly now: LaneNow
}

/** What the agent does after the last event. */
interface LaneNow {
  status: EventOf<'status-changed'>['status'] | 'ended'
  waitingFor: EventOf<'status-changed'>['waitingFor']
  /** Whether its model works without a request in the log: only the prompts of external agents are logged. */
  readonly isExternal: boolean
  awaitsWorker: boolean
  turn: number
  request: { readonly key: string; readonly model: string; readonly attempt: number } | null
  retry: { readonly key: string; readonly name: string; readonly title: string } | null
  login: { readonly name: string; readonly title: string } | null
  base: { readonly key: string; span: Span } | null
  /** The ids of the open calls that started agents. */
  agentCalls: string[]
  /** Those that run or ask. */
  calls: OpenCall[]
}

interface OpenCall {
  readonly toolUseId: string
  started: Pick<ToolSpan, 'seq' | 'name' | 'title'> | null
  /** Its open questions by their ids. */
  readonly asks: Asked[]
  /** `key`: the id of the question, or `tool`. */
  open: { readonly key: string; span: ToolSpan | UserSpan } | null
}

interface Asked {
  readonly id: string
  readonly span: Pick<UserSpan, 'seq' | 'asks' | 'name' | 'title'>
}

export function laneFrom(event: EventOf<'agent-spawned'>): Lane {
  const { agentId, parentId, definition, task, backing, at, seq } = event
  const lane: Lane = {
    ...{ agentId, parentId, type: definition.name, task, color: definition.color, spawnedAt: at },
    ...{ spans: [], ends: [], lastAt: at, lastSeq: seq },
    now: {
      ...{ status: 'queued', waitingFor: null, awaitsWorker: false, turn: 0 },
      isExternal: definition.program !== undefined || backing === 'acp' || backing === 'acp-child',
      ...{ request: null, retry: null, login: null, base: null, agentCalls: [], calls: [] },
    },
  }
  settleBase(lane, event)
  return lane
}

/** All spans of a lane, those that have not ended last. */
export function spansOf({ spans, now }: Lane): readonly Span[] {
  const calls = now.calls.flatMap(({ open }) => (open === null ? [] : [open.span]))
  return [...spans, ...(now.base === null ? [] : [now.base.span]), ...calls]
}

/** Adds an event of the agent that the lane does not have yet. */
export function addToLane(lane: Lane, event: AgentEvent): void {
  // Clocks of other machines differ. An interrupted run ended with its last event, though the end was written later.
  const isLate = event.type === 'agent-ended' && event.status === 'interrupted'
  const at = isLate ? lane.lastAt : Math.max(lane.lastAt, event.at)
  take(lane, event, { seq: event.seq, at })
  settleBase(lane, { seq: event.seq, at })
  lane.lastAt = at
  lane.lastSeq = event.seq
}

type Moment = Pick<AgentEvent, 'seq' | 'at'>

function take(lane: Lane, event: AgentEvent, moment: Moment): void {
  const { now } = lane
  switch (event.type) {
    case 'status-changed':
      statusChanged(lane, event)
      return
    case 'request-started':
      // A request has the results of all earlier calls.
      endCalls(lane, moment.at)
      now.agentCalls = []
      now.turn = event.turn
      now.retry = null
      now.request = { key: `model ${event.seq}`, model: event.model, attempt: event.attempt }
      return
    case 'request-failed':
      requestFailed(lane, event)
      return
    case 'assistant-message': {
      const { base } = now
      now.request = null
      if (base?.span.kind !== 'model') {
        spend(lane, event, { moment, span: null })
        return
      }
      const [firstMs, characters] = event.pace.find(([, count]) => count > 0) ?? [null, 0]
      const firstWordMs = characters > 0 ? firstMs : null
      // The span ends here, also that of an external agent, whose next one begins at once.
      closeBase(lane, moment.at, {
        ...base.span,
        firstWordMs,
        outcome: 'answered',
        spent: addSpent(base.span.spent, event),
      })
      return
    }
    case 'model-asked': {
      const span = knownCall(lane, event.toolUseId)?.open?.span ?? null
      spend(lane, event, { moment, span })
      return
    }
    case 'permission-asked': {
      const { requestId: id, toolUseId, toolName: name, subject, seq } = event
      ask(lane, { id, toolUseId, span: { seq, asks: 'permission', name, title: titleOf(subject) } }, moment)
      return
    }
    case 'permission-answered': {
      const { decision } = event
      const outcome = decision === 'withdrawn' ? decision : decision === 'deny' ? 'denied' : 'allowed'
      answered(lane, event.toolUseId, { id: event.requestId, outcome, at: moment.at })
      return
    }
    case 'form-opened': {
      const { formId: id, toolUseId, toolName: name, seq } = event
      ask(lane, { id, toolUseId, span: { seq, asks: 'form', name, title: '' } }, moment)
      return
    }
    case 'form-closed': {
      const { action } = event.answer
      const outcome = action === 'decline' ? 'denied' : action === 'cancel' ? 'withdrawn' : 'answered'
      answered(lane, event.toolUseId, { id: event.formId, outcome, at: moment.at })
      return
    }
    case 'tool-started': {
      const { toolUseId, name, seq } = event
      if (startsAgents(name)) now.agentCalls = [...now.agentCalls.filter((id) => id !== toolUseId), toolUseId]
      else {
        callOf(lane, toolUseId).started ??= { seq, name, title: firstLine(event.summary) }
        settleCall(lane, toolUseId, moment.at)
      }
      return
    }
    case 'tool-ended':
      toolEnded(lane, event, moment)
      return
    case 'program-login':
      now.login = { name: event.program.title, title: event.message }
      return
    case 'program-connected':
      now.login = null
      return
    case 'worker-changed':
      now.awaitsWorker = event.state === 'waiting'
      return
    case 'child-changed':
      Object.assign(lane, { type: event.name, task: event.task })
      return
    case 'agent-ended':
      ended(lane, event, moment)
      return
    default:
      return
  }
}

const TITLE_LENGTH = 200
const firstLine = (text: string) => (text.trimStart().split('\n', 1)[0] ?? '').slice(0, TITLE_LENGTH)
const titleOf = ({ kind, action, text }: PermissionSubject) => (kind === 'diff' ? action : firstLine(text))

function statusChanged({ now }: Lane, { status, waitingFor }: EventOf<'status-changed'>): void {
  // The agent waits for a usage limit because its request failed, which the next event says.
  if (waitingFor === 'limit' && now.base?.span.kind === 'model')
    now.base.span = { ...now.base.span, outcome: 'failed' }
  const rests = status === 'waiting' && (waitingFor === 'message' || waitingFor === 'limit')
  if (rests || status === 'queued' || status === 'paused') now.request = null
  now.status = status
  now.waitingFor = waitingFor
  now.retry = null
}

function requestFailed({ now }: Lane, event: EventOf<'request-failed'>): void {
  const { failure, retryAt, seq } = event
  const span = now.base?.span
  now.request = null
  if (now.base !== null && span?.kind === 'model') now.base.span = { ...span, outcome: 'failed' }
  // A usage limit is a wait of its own, which began just before.
  if (now.base !== null && span?.kind === 'queued') now.base.span = { ...span, title: failure.message }
  if (retryAt === null || now.waitingFor === 'limit') return
  const name = STATUS_OF[failure.type] ?? failure.type
  now.retry = { key: `retry ${seq}`, name, title: failure.message }
}

const STATUS_OF: Readonly<Record<string, string>> = { 'rate-limited': '429', overloaded: '529' }

function ended(lane: Lane, event: EventOf<'agent-ended'>, { at, seq }: Moment): void {
  const { now } = lane
  const { status, failure } = event
  endCalls(lane, at)
  Object.assign(now, { status: 'ended', waitingFor: null, request: null, retry: null, login: null })
  Object.assign(now, { agentCalls: [], awaitsWorker: false })
  lane.ends.push({ at, seq, status, failure: failure?.message ?? '' })
}

// ---- What an agent does while no call runs. ----

/** Closes the base span and opens the next one if the agent now does something else. */
function settleBase(lane: Lane, moment: Moment): void {
  const { now } = lane
  const next = baseOf(lane, moment)
  if (next?.key === now.base?.key) return
  if (now.base !== null) closeBase(lane, moment.at, now.base.span)
  now.base = next
}

function baseOf(lane: Lane, { at, seq }: Moment): LaneNow['base'] {
  const { now, agentId } = lane
  const { status, waitingFor, request, retry, login, turn } = now
  const base = { agentId, seq, from: at, to: null, spent: null, turn }
  const plain = (kind: 'agents' | 'queued' | 'retry' | 'paused', name = '', title = '') => ({
    key: kind === 'retry' ? (retry?.key ?? kind) : `${kind} ${name}`,
    span: { ...base, kind, name, title },
  })
  const model = (key: string, model: string, attempt: number) => ({
    key,
    span: { ...base, kind: 'model' as const, model, attempt, firstWordMs: null, outcome: null },
  })
  if (status === 'ended') return null
  if (now.calls.length > 0) return null
  if (status === 'paused') return plain('paused')
  if (status === 'queued') return plain('queued', 'slot')
  if (waitingFor === 'limit') return plain('queued', 'limit')
  if (retry !== null) return plain('retry', retry.name, retry.title)
  if (request !== null) return model(request.key, request.model, request.attempt)
  if (now.agentCalls.length > 0 || waitingFor === 'children') return plain('agents')
  if (login !== null) {
    const asks = { toolUseId: null, asks: 'login', name: login.name, title: login.title } as const
    return { key: 'login', span: { ...base, kind: 'user', ...asks, outcome: null } }
  }
  if (now.awaitsWorker) return plain('queued', 'worker')
  return now.isExternal && status === 'running' ? model(THINKS, '', 1) : null
}

/** The key of the time in which an external agent thinks. */
const THINKS = 'thinks'

function closeBase(lane: Lane, at: number, span: Span): void {
  const key = lane.now.base?.key
  lane.now.base = null
  const isMark = span.kind === 'retry' || span.spent !== null || (span.kind === 'model' && key !== THINKS)
  if (span.from === at && !isMark) return
  const isCutOff = (span.kind === 'model' || span.kind === 'user') && span.outcome === null
  const isDone = key === THINKS || (span.kind === 'user' && lane.now.status !== 'ended')
  lane.spans.push({ ...span, to: at, ...(isCutOff && { outcome: isDone ? 'answered' : 'stopped' }) } as Span)
}

// ---- Calls. ----

const knownCall = ({ now }: Lane, toolUseId: string) => now.calls.find((call) => call.toolUseId === toolUseId)

function callOf(lane: Lane, toolUseId: string): OpenCall {
  const known = knownCall(lane, toolUseId)
  if (known !== undefined) return known
  const call: OpenCall = { toolUseId, started: null, asks: [], open: null }
  lane.now.calls.push(call)
  return call
}

/** Closes the span of a call and opens its next one: it asks, it runs, or it waits to begin. */
function settleCall(lane: Lane, toolUseId: string, at: number): void {
  const { now, agentId } = lane
  const call = callOf(lane, toolUseId)
  const [asked] = call.asks
  const key = asked?.id ?? (call.started === null ? null : 'tool')
  if (call.open !== null && call.open.key !== key)
    closeCall(lane, call, { at, outcome: call.open.span.kind === 'tool' ? 'asked' : 'withdrawn' })
  const base = { agentId, from: at, to: null, spent: null, toolUseId, turn: now.turn, outcome: null }
  if (call.open === null && asked !== undefined)
    call.open = { key: asked.id, span: { ...base, kind: 'user', ...asked.span } }
  if (call.open === null && call.started !== null)
    call.open = { key: 'tool', span: { ...base, kind: 'tool', ...call.started, note: '' } }
  if (call.open === null) now.calls.splice(now.calls.indexOf(call), 1)
}

function closeCall(
  lane: Lane,
  call: OpenCall,
  { at, outcome, note = '' }: { readonly at: number; readonly outcome: string; readonly note?: string },
): void {
  if (call.open === null) return
  const { span } = call.open
  call.open = null
  lane.spans.push({ ...span, to: at, outcome, ...(span.kind === 'tool' && { note }) } as Span)
}

function ask(lane: Lane, asked: Asked & { readonly toolUseId: string }, { at }: Moment): void {
  const { toolUseId, id, span } = asked
  const call = callOf(lane, toolUseId)
  if (!call.asks.some((other) => other.id === id)) call.asks.push({ id, span })
  settleCall(lane, toolUseId, at)
}

interface Answered {
  readonly id: string
  readonly outcome: NonNullable<UserSpan['outcome']>
  readonly at: number
}

function answered(lane: Lane, toolUseId: string, { id, outcome, at }: Answered): void {
  const call = knownCall(lane, toolUseId)
  const index = call?.asks.findIndex((asked) => asked.id === id) ?? -1
  if (call === undefined || index < 0) return
  call.asks.splice(index, 1)
  if (call.open?.key === id) closeCall(lane, call, { at, outcome })
  settleCall(lane, toolUseId, at)
}

function toolEnded(lane: Lane, event: EventOf<'tool-ended'>, { at, seq }: Moment): void {
  const { now, agentId } = lane
  const { toolUseId, name, isError, note } = event
  now.agentCalls = now.agentCalls.filter((id) => id !== toolUseId)
  const outcome = isError ? 'failed' : 'done'
  const call = knownCall(lane, toolUseId)
  if (call?.open?.span.kind === 'tool') closeCall(lane, call, { at, outcome, note })
  else if (isError && !startsAgents(name)) {
    // A call that was refused, or could not begin.
    if (call !== undefined) closeCall(lane, call, { at, outcome: 'withdrawn' })
    if (now.base !== null) closeBase(lane, at, now.base.span)
    const span = { agentId, seq, from: at, to: at, spent: null, toolUseId, name, title: '', turn: now.turn }
    lane.spans.push({ ...span, kind: 'tool', outcome, note })
  }
  if (call === undefined) return
  closeCall(lane, call, { at, outcome: 'withdrawn' })
  now.calls.splice(now.calls.indexOf(call), 1)
}

function endCalls(lane: Lane, at: number): void {
  for (const call of lane.now.calls) closeCall(lane, call, { at, outcome: 'stopped' })
  lane.now.calls = []
}

// ---- Spending: each answer is counted in one span. ----

type Answer = EventOf<'assistant-message' | 'model-asked'>

interface Spending {
  readonly moment: Moment
  readonly span: Span | null
}

/** Counts an answer in an open span: the given one, or else another. Without one, the answer gets a span of its own. */
function spend(lane: Lane, event: Answer, { moment: { at, seq }, span }: Spending): void {
  const { now, agentId } = lane
  for (const call of now.calls) {
    if (call.open === null || (span !== null && call.open.span !== span)) continue
    call.open.span = { ...call.open.span, spent: addSpent(call.open.span.spent, event) }
    return
  }
  if (event.type === 'model-asked' && now.base !== null) {
    now.base.span = { ...now.base.span, spent: addSpent(now.base.span.spent, event) }
    return
  }
  const from = Math.max(lane.lastAt, at - Math.max(0, event.durationMs))
  if (now.base !== null) closeBase(lane, from, now.base.span)
  const own: ModelSpan = {
    ...{ kind: 'model', agentId, seq, from, to: at, spent: addSpent(null, event), model: event.model },
    ...{ turn: now.turn, attempt: 1, firstWordMs: null, outcome: 'answered' },
  }
  lane.spans.push(own)
}
