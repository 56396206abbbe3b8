/** What the work of many conversations cost: the sums of their agents, grouped in one of six ways. Pure; see `AgentInsight`. */
import { countOf } from '../kernel/amounts.ts'
import {
  type AgentInsight,
  figureNames,
  type InsightCell,
  type InsightFigures,
  type WorkFigures,
  type WorkKind,
  workKinds,
} from './agent-insight.ts'

export const insightGroups = ['definition', 'folder', 'model', 'month', 'conversation', 'agent'] as const
export type InsightGroup = (typeof insightGroups)[number]

/** Which work is counted, and how it is grouped. */
export interface InsightQuery {
  readonly by: InsightGroup
  /** Days, both included: `2026-11-25`. Null: no bound. */
  readonly since: string | null
  readonly until: string | null
  /** Only conversations of this folder or of folders in it. Null: all. */
  readonly folder: string | null
  /** Whether own agents of a rehearsal count too, at no cost: a script made their figures. */
  readonly rehearsal: boolean
  /** Only the work that belongs to all of these rows, as other groupings named them. Empty: all. */
  readonly within: readonly { readonly by: InsightGroup; readonly key: string }[]
}

/** A conversation with what its agents' logs say. */
export interface ConversationInsight {
  readonly id: string
  readonly title: string
  /** Absolute. */
  readonly folder: string
  readonly rehearsal: boolean
  readonly agents: readonly AgentInsight[]
}

export interface InsightRow {
  /** Names the row in `InsightQuery.within`. */
  readonly key: string
  /** The definition, the folder's path, the model, `2026-11`, the title, or the agent's task. May be empty. */
  readonly name: string
  /** A definition's file or source, the folder of a conversation, or the definition of an agent. */
  readonly detail: string
  readonly figures: InsightFigures
  /** Every kind, in the order of `workKinds`. */
  readonly work: WorkSums
  readonly agents: number
  readonly conversations: number
  /** Of a conversation, and of an agent. */
  readonly conversationId: string | null
  /** Of an agent. `conversation`: the title. */
  readonly agentId: string | null
  readonly conversation: string | null
}

export type WorkSums = Readonly<Record<WorkKind, WorkFigures>>

/** A version of one definition. */
interface InsightVersion {
  /** The beginning of the definition's digest; empty: unknown. */
  readonly version: string
  /** The last day of its work. */
  readonly lastDay: string
  readonly figures: InsightFigures
  readonly agents: number
}

export interface InsightReport {
  /** The most expensive first, then those with the most tokens. */
  readonly rows: readonly InsightRow[]
  readonly total: Pick<InsightRow, 'figures' | 'work' | 'agents' | 'conversations'>
  /** The days with work, in their order. */
  readonly days: readonly { readonly day: string; readonly figures: InsightFigures }[]
  /** Within a definition, the newest first; otherwise empty. */
  readonly versions: readonly InsightVersion[]
  /** Agents of rehearsals that the query leaves out. */
  readonly rehearsed: number
}

/** Linear in the number of agents, but for the sorting. */
export function insightOf(all: readonly ConversationInsight[], query: InsightQuery): InsightReport {
  const rows = new Map<string, Sum & Named>()
  const days = new Map<string, Sum>()
  const versions = new Map<string, Sum & { lastDay: string }>()
  const total = emptySum()
  const isOfDefinition = query.within.some(({ by }) => by === 'definition')
  let rehearsed = 0
  for (const conversation of all) {
    if (query.folder !== null && !isIn(conversation.folder, query.folder)) continue
    for (const agent of conversation.agents) {
      const isRehearsed = conversation.rehearsal && !agent.isExternal
      let isLeftOut = false
      for (const stored of agent.cells) {
        const { day } = stored
        if ((query.since !== null && day < query.since) || (query.until !== null && day > query.until))
          continue
        const of = { conversation, agent, cell: stored }
        if (query.within.some(({ by, key }) => nameFor(by, of).key !== key)) continue
        if (isRehearsed && !query.rehearsal) {
          isLeftOut = true
          continue
        }
        const cell = isRehearsed ? withoutCost(stored) : told(stored, agent)
        const named = nameFor(query.by, of)
        add(
          entry(rows, named.key, () => ({ ...emptySum(), ...named })),
          of,
          cell,
        )
        add(total, of, cell)
        add(entry(days, day, emptySum), of, cell)
        if (!isOfDefinition) continue
        const digest = agent.definitions[stored.definition]?.digest ?? ''
        const version = entry(versions, digest, () => ({ ...emptySum(), lastDay: '' }))
        add(version, of, cell)
        if (day > version.lastDay) version.lastDay = day
      }
      if (isLeftOut) rehearsed += 1
    }
  }
  return {
    rows: [...rows.values()].map((row) => ({ ...row, ...sumOf(row) })).sort(byCost),
    total: sumOf(total),
    days: [...days]
      .map(([day, { figures }]) => ({ day, figures }))
      .sort((one, other) => (one.day < other.day ? -1 : 1)),
    versions: [...versions]
      .map(([digest, { figures, agents, lastDay }]) => {
        return { version: digest.slice(0, VERSION_LENGTH), lastDay, figures, agents: agents.size }
      })
      .sort((one, other) => (one.lastDay < other.lastDay ? 1 : -1)),
    rehearsed,
  }
}

const VERSION_LENGTH = 7

const byCost = ({ figures: one }: InsightRow, { figures: other }: InsightRow): number =>
  other.costUsd - one.costUsd || other.countedTokens - one.countedTokens || other.workedMs - one.workedMs

type Changing<T> = { -readonly [K in keyof T]: T[K] }

interface Sum {
  readonly figures: Changing<InsightFigures>
  readonly work: Readonly<Record<WorkKind, Changing<WorkFigures>>>
  readonly agents: Set<string>
  readonly conversations: Set<string>
}

const emptySum = (): Sum => ({
  figures: { ...noFigures },
  work: Object.fromEntries(workKinds.map((kind) => [kind, { ...NOTHING }])) as Sum['work'],
  agents: new Set(),
  conversations: new Set(),
})

const noFigures = Object.fromEntries(figureNames.map((name) => [name, 0])) as InsightFigures

const sumOf = ({ figures, work, agents, conversations }: Sum) => ({
  ...{ figures, work },
  agents: agents.size,
  conversations: conversations.size,
})

interface CellOf {
  readonly conversation: ConversationInsight
  readonly agent: AgentInsight
  readonly cell: InsightCell
}

function add(sum: Sum, { conversation, agent }: CellOf, cell: Pick<InsightCell, 'figures' | 'work'>): void {
  for (const name of figureNames) sum.figures[name] += cell.figures[name] ?? 0
  for (const kind of workKinds) {
    const { costUsd, countedTokens, calls } = cell.work[kind] ?? NOTHING
    const work = sum.work[kind]
    work.costUsd += costUsd
    work.countedTokens += countedTokens
    work.calls += calls
  }
  sum.agents.add(agent.agentId)
  sum.conversations.add(conversation.id)
}

const NOTHING: WorkFigures = { costUsd: 0, countedTokens: 0, calls: 0 }

/** An external agent that told its cost told all of it, with the last message of a turn. */
function told(cell: InsightCell, { isExternal, reportsCost }: AgentInsight): InsightCell {
  if (!isExternal || !reportsCost || cell.figures.unpriced === undefined) return cell
  return { ...cell, figures: { ...cell.figures, unpriced: 0 } }
}

function withoutCost(cell: InsightCell): InsightCell {
  const work = Object.fromEntries(
    Object.entries(cell.work).map(([kind, figures]) => [kind, { ...figures, costUsd: 0 }]),
  )
  return { ...cell, figures: { ...cell.figures, costUsd: 0, unpriced: 0 }, work }
}

interface Named extends Omit<InsightRow, 'figures' | 'work' | 'agents' | 'conversations'> {}

function nameFor(by: InsightGroup, { conversation, agent, cell }: CellOf): Named {
  const plain = { detail: '', conversationId: null, agentId: null, conversation: null }
  const definition = agent.definitions[cell.definition]
  const { name = '', source = '', file = null } = definition ?? {}
  switch (by) {
    case 'definition': {
      // Each installation has built-in files of its own.
      const detail = source === 'built-in' || file === null ? source : file
      return { ...plain, key: `${name}\n${detail}`, name, detail }
    }
    case 'folder':
      return { ...plain, key: conversation.folder, name: conversation.folder }
    case 'model':
      return { ...plain, key: cell.model, name: cell.model }
    case 'month': {
      const month = cell.day.slice(0, 'yyyy-mm'.length)
      return { ...plain, key: month, name: month }
    }
    case 'conversation': {
      const { id, title, folder } = conversation
      return { ...plain, key: id, name: title, detail: folder, conversationId: id }
    }
    case 'agent': {
      // The main agent's task is the title of its conversation.
      const task = agent.task === '' && agent.parentId === null ? conversation.title : agent.task
      const ids = {
        conversationId: conversation.id,
        agentId: agent.agentId,
        conversation: conversation.title,
      }
      return { key: agent.agentId, name: task, detail: name, ...ids }
    }
  }
}

/** Whether a folder is another one, or in it. Both absolute. */
function isIn(folder: string, outer: string): boolean {
  const root = outer.replace(/[/\\]+$/, '')
  return folder === root || folder.startsWith(`${root}/`) || folder.startsWith(`${root}\\`)
}

function entry<T>(map: Map<string, T>, key: string, create: () => T): T {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = create()
  map.set(key, made)
  return made
}

// ---- Figures that follow from others. ----

/** The shares of the kinds of work, the largest first: of the cost, or of the tokens where nothing has a cost. */
export function workShares(work: WorkSums): readonly { readonly kind: WorkKind; readonly share: number }[] {
  const isPriced = workKinds.some((kind) => work[kind].costUsd > 0)
  const amounts = workKinds.map((kind) => ({
    kind,
    amount: isPriced ? work[kind].costUsd : work[kind].countedTokens,
  }))
  const all = amounts.reduce((sum, { amount }) => sum + amount, 0)
  return amounts
    .filter(({ amount }) => amount > 0)
    .sort((one, other) => other.amount - one.amount)
    .map(({ kind, amount }) => ({ kind, share: amount / all }))
}

/** The kinds of work in words. */
export const WORK_TEXT: Readonly<Record<WorkKind, string>> = {
  read: 'Reading',
  edit: 'Editing',
  command: 'Commands',
  web: 'Web',
  agent: 'Agents',
  other: 'Other tools',
  text: 'Answers',
}

/** "2 conversations in the trash are not counted." */
export const trashedText = (trashed: number): string =>
  `${countOf(trashed, 'conversation')} in the trash ${trashed === 1 ? 'is' : 'are'} not counted.`

/** Attempts at requests that were repeated. */
export const retriesIn = ({ rateLimited, overloaded, otherRetries }: InsightFigures): number =>
  rateLimited + overloaded + otherRetries

/** Failed calls and failed runs. */
export const failuresIn = ({ failedCalls, failedRuns }: InsightFigures): number => failedCalls + failedRuns
