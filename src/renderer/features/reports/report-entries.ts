/** What the list of reports says of each agent: one sentence of its report, or why there is none, and its changed files. */
import type { ChangesList } from '../../../shared/changes/changes.ts'
import { plainLine } from '../../../shared/messages/text-of.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { agentElapsed, agentText, markOf } from '../../ui/text/agent-text.ts'

/** `problems`: agents that did not finish come first. */
export type ReportOrder = 'start' | 'time' | 'cost' | 'problems'

export interface ReportedFile {
  /** Absolute. */
  readonly path: string
  readonly shown: string
  readonly added: number
  readonly removed: number
}

/** The agents below the main agent in an order. @param now ms since the epoch */
export function orderedReports(
  agents: Iterable<AgentState>,
  order: ReportOrder,
  now: number,
): readonly AgentState[] {
  const reporting = [...agents].filter(({ parentId }) => parentId !== null)
  if (order === 'time') return reporting.sort((a, b) => agentElapsed(b, now) - agentElapsed(a, now))
  if (order === 'cost') return reporting.sort((a, b) => b.costUsd - a.costUsd)
  if (order === 'problems') return reporting.sort((a, b) => Number(hasProblem(b)) - Number(hasProblem(a)))
  return reporting
}

const hasProblem = (agent: AgentState) => unfinishedText(agent) !== null

/** "Failed on turn 3:" of an agent that did not finish its task; null: it did, or it still works. */
export function unfinishedText(agent: AgentState): string | null {
  const mark = markOf(agent)
  if (mark !== 'failed' && mark !== 'stopped') return null
  if (agent.reachedLimit !== null) return `${capitalized(agentText(agent))}.`
  const what = agent.status === 'failed' ? 'Failed' : agent.status === 'stopped' ? 'Stopped' : 'Interrupted'
  const when = agent.turn === 0 ? 'before its first turn' : `on turn ${agent.turn}`
  return `${what} ${when}${agent.status === 'failed' && agent.failure !== null ? ':' : '.'}`
}

/** The first sentence of the report, the reason of a failure, or what the agent does now. Empty: there is nothing to say. */
export function sentenceOf(agent: AgentState): string {
  if (agent.status === 'failed') return agent.failure?.message ?? ''
  if (agent.report !== '') return firstSentence(agent.report)
  if (unfinishedText(agent) !== null) return ''
  return agent.status === 'completed' ? 'No report.' : `${capitalized(agentText(agent))}.`
}

/** Of the first paragraph that is prose. At most 240 characters. */
function firstSentence(report: string): string {
  const lines = report.split('\n').map((line) => line.trim())
  const prose = lines.find((line) => line !== '' && !/^(#{1,6}\s|```|\||[-*_]{3,}$)/.test(line))
  const line = plainLine(prose ?? lines.find((one) => one !== '') ?? '')
  const end = line.search(/[.?!](?=\s+\S)/)
  const sentence = end === -1 ? line : line.slice(0, end + 1)
  return sentence.length > 240 ? `${sentence.slice(0, 239).trimEnd()}…` : sentence.replace(/:$/, '.')
}

/** The files that each agent changed, with the lines of its changes that are not undone. In the order of the first change. */
export function filesByAgent(list: ChangesList | null): ReadonlyMap<string, readonly ReportedFile[]> {
  const byAgent = new Map<string, Map<string, ReportedFile>>()
  for (const { agentId, files } of list?.calls ?? []) {
    const own = byAgent.get(agentId) ?? new Map<string, ReportedFile>()
    byAgent.set(agentId, own)
    for (const { path, shown, added, removed, undone } of files) {
      if (undone) continue
      const before = own.get(path)
      own.set(path, {
        path,
        shown,
        added: (before?.added ?? 0) + (added ?? 0),
        removed: (before?.removed ?? 0) + (removed ?? 0),
      })
    }
  }
  return new Map([...byAgent].map(([agentId, own]) => [agentId, [...own.values()]]))
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
