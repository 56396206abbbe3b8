/**
 * What one agent's work cost: a fold over its events, in place and in constant time for each event. The result is plain data
 * of a few hundred bytes, so that it can be kept on disk, and the fold continued from there.
 *
 * Figures are kept in cells: by day, model and definition, since each of them may change while an agent works.
 */
import type { AgentEvent, EventOf, WorkTime } from '../events/agent-event.ts'
import { workedUntil, workTimeAfter, workTimeEnded } from '../events/lifecycle.ts'
import { countedIn, countedUsage } from '../events/model-requests.ts'
import { dayOf } from '../kernel/times.ts'
import { rowForName } from '../tools/row-for-name.ts'
import type { ToolKind } from '../tools/tool-call-row.ts'

/** Everything that is counted. All are numbers that add up; times in ms, money in US dollars. */
export const figureNames = [
  ...(['input', 'output', 'cacheRead', 'cacheWrite', 'countedTokens', 'costUsd', 'unpriced'] as const),
  ...(['workedMs', 'waitedMs', 'turns', 'runs', 'failedRuns', 'calls', 'failedCalls'] as const),
  ...(['rateLimited', 'overloaded', 'otherRetries'] as const),
  ...([
    'asked',
    'allowedOnce',
    'allowedAlways',
    'decidedByRules',
    'denied',
    'answered',
    'withdrawn',
  ] as const),
] as const
type FigureName = (typeof figureNames)[number]

/**
 * `countedTokens`: as limits count them. `costUsd`: of the answers with a known price. `unpriced`: answers without one; of an
 * external agent, prompts. `workedMs` does not include `waitedMs`, the time in which the agent waited for the user. `runs`
 * ended; those that failed or were interrupted are `failedRuns`. `failedCalls` leaves out calls that the user denied.
 * `rateLimited` (429), `overloaded` (529) and `otherRetries` are attempts that were repeated. `asked`: permission requests
 * and forms; the figures after it say how they ended, where `answered` are forms.
 */
export type InsightFigures = Readonly<Record<FigureName, number>>

/** What requests were made for, by the calls in their answers. `text`: the answer had no call. */
export const workKinds = ['read', 'edit', 'command', 'web', 'agent', 'other', 'text'] as const
export type WorkKind = (typeof workKinds)[number]

/** The share of one kind of work. An answer with calls of several kinds counts for each call in equal parts. */
export interface WorkFigures {
  readonly costUsd: number
  readonly countedTokens: number
  readonly calls: number
}

/** A figure that is missing is 0. */
export interface InsightCell {
  /** The user's day: `2026-11-25`. */
  readonly day: string
  readonly model: string
  /** Its place among the definitions. */
  readonly definition: number
  readonly figures: Partial<Record<FigureName, number>>
  readonly work: Partial<Record<WorkKind, Changing<WorkFigures>>>
}

type Changing<T> = { -readonly [K in keyof T]: T[K] }

interface InsightDefinition {
  readonly name: string
  /** `built-in`, `user`, `project`, … */
  readonly source: string
  /** Null for a built-in definition. */
  readonly file: string | null
  /** Of the whole definition; empty: unknown. */
  readonly digest: string
}

export interface AgentInsight {
  readonly agentId: string
  readonly parentId: string | null
  task: string
  /** Whether an external agent carries it out. */
  readonly isExternal: boolean
  /** Whether it told a cost: then it told all. Own agents do not need to. */
  reportsCost: boolean
  readonly definitions: InsightDefinition[]
  readonly cells: InsightCell[]
  /** Of the last event, ms since the epoch: never before an earlier one. */
  lastAt: number
  lastSeq: number
  readonly now: {
    model: string
    time: WorkTime
    /** Of the work so far, in ms, what the cells have. */
    countedMs: number
    waitsForUser: boolean
    /** Whether a run has made a request and has not ended. */
    isInRun: boolean
    /** Whether it has made a request. Calls before it are copies: the agent began with the history of another conversation. */
    hasBegun: boolean
    /** Calls whose requests have no tokens yet: an external agent tells them at the end of its turn. */
    calls: WorkKind[]
    /** The kinds of the calls that have not ended, by their ids. */
    open: Record<string, WorkKind>
    denied: string[]
  }
}

/** The insight after `agent-spawned`. */
export function startInsight(event: EventOf<'agent-spawned'>): AgentInsight {
  const { agentId, parentId, task, definition, backing, model, at, seq } = event
  return {
    ...{ agentId, parentId, task, reportsCost: false, cells: [], lastAt: at, lastSeq: seq },
    isExternal: definition.program !== undefined || backing === 'acp' || backing === 'acp-child',
    definitions: [definitionIn(definition)],
    now: {
      ...{ model, countedMs: 0, waitsForUser: false, isInRun: false, hasBegun: false },
      time: { runStartedAt: null, heldAt: null, workedMs: 0 },
      ...{ calls: [], open: {}, denied: [] },
    },
  }
}

/** An event, or what the insight needs of the end of a call. */
export type InsightEvent =
  | Exclude<AgentEvent, { readonly type: 'tool-ended' }>
  | Pick<EventOf<'tool-ended'>, 'type' | 'seq' | 'at' | 'toolUseId' | 'name' | 'isError'>

/** Adds one event of the agent. An event that the insight has already changes nothing. */
export function addToInsight(insight: AgentInsight, event: InsightEvent): void {
  if (event.seq <= insight.lastSeq) return
  const { now, lastAt } = insight
  // An interrupted run ended with its last event, though the end was written at the next start.
  const isLate = event.type === 'agent-ended' && event.status === 'interrupted'
  // Clocks of other machines differ, and a clock may go back.
  const at = isLate ? lastAt : Math.max(lastAt, event.at)
  const waitedMs = now.waitsForUser ? at - lastAt : 0
  take(insight, event, at)
  const workedMs = workedUntil(now.time, event.at) - now.countedMs
  if (workedMs > 0) now.countedMs += workedMs
  if (workedMs > 0 || waitedMs > 0) count(cellAt(insight, at), { workedMs: Math.max(0, workedMs), waitedMs })
  insight.lastAt = at
  insight.lastSeq = event.seq
}

function take(insight: AgentInsight, event: InsightEvent, at: number): void {
  const { now } = insight
  const add = (figures: Partial<InsightFigures>) => count(cellAt(insight, at), figures)
  switch (event.type) {
    case 'status-changed':
      now.time = workTimeAfter(now.time, event)
      now.waitsForUser = event.waitingFor === 'permission' || event.waitingFor === 'answer'
      if (event.waitingFor === 'message') endRun(insight, at, false)
      return
    case 'agent-ended': {
      const isFailed = event.status === 'failed' || event.status === 'interrupted'
      now.time = workTimeEnded(now.time, event.status === 'interrupted' ? at : event.at)
      now.waitsForUser = false
      endRun(insight, at, isFailed)
      return
    }
    case 'request-started':
      Object.assign(now, { model: event.model, isInRun: true, hasBegun: true, calls: [] })
      if (event.attempt !== 1) return
      // The usage of a program covers its own subagents, and comes when it pleases.
      add({ turns: 1, ...(insight.isExternal && { unpriced: 1 }) })
      return
    case 'request-failed':
      if (event.retryAt !== null) add({ [RETRIES[event.failure.type] ?? 'otherRetries']: 1 })
      return
    case 'assistant-message': {
      const calls = event.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
      for (const { id, name } of calls) now.open[id] = workKindOf(name)
      now.calls.push(...calls.map(({ name }) => workKindOf(name)))
      // The API may answer with a longer name than the one that was asked for.
      if (insight.isExternal) now.model = event.model
      spend(insight, event, { at, model: now.model, kinds: now.calls })
      return
    }
    case 'model-asked': {
      const kind = now.open[event.toolUseId] ?? 'other'
      spend(insight, event, { at, model: event.model, kinds: [kind] })
      return
    }
    case 'tool-started':
      now.open[event.toolUseId] ??= workKindOf(event.name)
      return
    case 'tool-ended':
      callEnded(insight, event, at)
      return
    case 'permission-asked':
    case 'form-opened':
      add({ asked: 1 })
      return
    case 'permission-answered':
      if (event.decision === 'deny') now.denied.push(event.toolUseId)
      add({ [event.answeredBy === 'rules' ? 'decidedByRules' : ANSWERS[event.decision]]: 1 })
      return
    case 'form-closed':
      add({ [FORM_ANSWERS[event.answer.action]]: 1 })
      return
    case 'definition-renewed':
      renewDefinition(insight, definitionIn(event.definition))
      return
    case 'child-changed': {
      insight.task = event.task
      const [last] = insight.definitions.slice(-1)
      if (last !== undefined) renewDefinition(insight, { ...last, name: event.name })
      return
    }
    default:
      return
  }
}

const RETRIES: Readonly<Record<string, FigureName>> = {
  'rate-limited': 'rateLimited',
  overloaded: 'overloaded',
}

const ANSWERS: Readonly<Record<EventOf<'permission-answered'>['decision'], FigureName>> = {
  'allow-once': 'allowedOnce',
  'allow-always': 'allowedAlways',
  deny: 'denied',
  withdrawn: 'withdrawn',
}

const FORM_ANSWERS: Readonly<Record<EventOf<'form-closed'>['answer']['action'], FigureName>> = {
  accept: 'answered',
  decline: 'denied',
  cancel: 'withdrawn',
}

const WORK_OF: Readonly<Record<ToolKind, WorkKind>> = {
  ...{ read: 'read', search: 'read', edit: 'edit', command: 'command', web: 'web', agent: 'agent' },
  ...{ message: 'other', plan: 'other', other: 'other' },
}

const workKindOf = (name: string): WorkKind => WORK_OF[rowForName(name).kind]

function callEnded(
  insight: AgentInsight,
  event: Extract<InsightEvent, { readonly type: 'tool-ended' }>,
  at: number,
): void {
  const { now } = insight
  const { toolUseId, isError, name } = event
  const kind = now.open[toolUseId] ?? workKindOf(name)
  const wasDenied = now.denied.includes(toolUseId)
  delete now.open[toolUseId]
  if (wasDenied) now.denied = now.denied.filter((id) => id !== toolUseId)
  if (!now.hasBegun && !insight.isExternal) return
  const cell = cellAt(insight, at)
  count(cell, { calls: 1, failedCalls: isError && !wasDenied ? 1 : 0 })
  workIn(cell, kind).calls += 1
}

function endRun(insight: AgentInsight, at: number, isFailed: boolean): void {
  const { now } = insight
  if (now.isInRun || isFailed) count(cellAt(insight, at), { runs: 1, failedRuns: isFailed ? 1 : 0 })
  Object.assign(now, { isInRun: false, calls: [], open: {}, denied: [] })
}

interface Spending {
  readonly at: number
  readonly model: string
  /** One for each call. */
  readonly kinds: readonly WorkKind[]
}

function spend(
  insight: AgentInsight,
  event: EventOf<'assistant-message' | 'model-asked'>,
  { at, model, kinds }: Spending,
): void {
  const { now, isExternal } = insight
  const { input, output, cacheRead, cacheWrite } = countedUsage(event.usage)
  const costUsd = Math.max(0, event.costUsd ?? 0)
  const countedTokens = countedIn(event)
  const unpriced = event.costUsd === null && !isExternal ? 1 : 0
  if (event.costUsd !== null && now.hasBegun) insight.reportsCost = true
  if (input + output + cacheRead + cacheWrite + countedTokens + costUsd + unpriced === 0) return
  const cell = cellAt(insight, at, model)
  count(cell, { input, output, cacheRead, cacheWrite, countedTokens, costUsd, unpriced })
  const shares = kinds.length === 0 ? (['text'] as const) : kinds
  for (const kind of shares) {
    const work = workIn(cell, kind)
    work.costUsd += costUsd / shares.length
    work.countedTokens += countedTokens / shares.length
  }
  if (event.type === 'assistant-message') now.calls = []
}

function cellAt(insight: AgentInsight, at: number, model = insight.now.model): InsightCell {
  const { cells, definitions } = insight
  const day = dayOf(at)
  const definition = definitions.length - 1
  const known = cells.findLast(
    (cell) => cell.day === day && cell.model === model && cell.definition === definition,
  )
  if (known !== undefined) return known
  const cell: InsightCell = { day, model, definition, figures: {}, work: {} }
  cells.push(cell)
  return cell
}

function count({ figures }: InsightCell, more: Partial<InsightFigures>): void {
  for (const name of figureNames) {
    const amount = more[name] ?? 0
    if (amount > 0) figures[name] = (figures[name] ?? 0) + amount
  }
}

function workIn({ work }: InsightCell, kind: WorkKind): Changing<WorkFigures> {
  work[kind] ??= { costUsd: 0, countedTokens: 0, calls: 0 }
  return work[kind]
}

function definitionIn({
  name,
  source,
  file,
  digest,
}: EventOf<'agent-spawned'>['definition']): InsightDefinition {
  return { name, source, file, digest }
}

function renewDefinition({ definitions }: AgentInsight, next: InsightDefinition): void {
  const last = definitions.at(-1)
  const isSame = (['name', 'source', 'file', 'digest'] as const).every((key) => last?.[key] === next[key])
  if (!isSame) definitions.push(next)
}
