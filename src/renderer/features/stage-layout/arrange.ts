/**
 * Chooses which agents get a panel, which are tiles, and which fold into a row. Panels keep their places:
 * one is taken away only for an agent that needs it more, never while the person is at it.
 */
import { type AgentState, needsUser } from '../../../shared/agent-state.ts'

/** How much an agent needs a panel: less is more. */
export type Need = 'needs-you' | 'failed' | 'working' | 'queued' | 'done'

const RANK: Readonly<Record<Need, number>> = { 'needs-you': 0, failed: 1, working: 2, queued: 3, done: 4 }

export function needOf(agent: AgentState): Need {
  if (needsUser(agent)) return 'needs-you'
  switch (agent.status) {
    case 'failed':
    case 'interrupted':
      return 'failed'
    case 'queued':
      return 'queued'
    case 'completed':
    case 'stopped':
      return 'done'
    case 'running':
    case 'waiting':
    case 'paused':
      return agent.waitingFor === 'message' ? 'done' : 'working'
  }
}

/** What is known of an agent here. */
export interface Candidate {
  readonly id: string
  readonly need: Need
}

export interface Arrangement {
  /** In the order of their places. */
  readonly panels: readonly string[]
  readonly tiles: readonly string[]
  readonly finished: readonly string[]
}

export interface ArrangeOptions {
  /** In the order in which they were started. */
  readonly agents: readonly Candidate[]
  /** The panels as they are. */
  readonly panels: readonly string[]
  /** How many panels there is room for; at least one. */
  readonly capacity: number
  readonly pinned: ReadonlySet<string>
  /** The one that the person opened last: it stays as if it were pinned. */
  readonly opened: string | null
  /** The ones that the pointer or the focus is in: they stay where they are for now. */
  readonly inUse: ReadonlySet<string>
}

export function arrange(options: ArrangeOptions): Arrangement {
  const { agents, capacity } = options
  const needs = new Map(agents.map((agent) => [agent.id, agent.need]))
  const needIn = (id: string) => needs.get(id) ?? 'done'
  const stays = (id: string) => options.pinned.has(id) || options.opened === id || options.inUse.has(id)
  const panels = options.panels.filter((id) => needs.has(id))
  while (panels.length > capacity) panels.splice(leastNeedy(panels, needIn, stays) ?? panels.length - 1, 1)

  const wanted = agents
    .filter((agent) => !panels.includes(agent.id))
    .sort((a, b) => priority(a, options) - priority(b, options))
  for (const agent of wanted) {
    if (panels.length < capacity) {
      panels.push(agent.id)
      continue
    }
    const place = leastNeedy(panels, needIn, stays)
    if (priority(agent, options) < 0) panels[place ?? panels.length - 1] = agent.id
    else if (place !== null && takesPlaceOf(agent.need, needIn(panels[place] ?? ''), panels.map(needIn)))
      panels[place] = agent.id
  }

  // Nobody has a place yet: then the order of their start is the one to find them by.
  if (options.panels.length === 0) panels.sort((a, b) => indexIn(agents, a) - indexIn(agents, b))

  const rest = agents.filter((agent) => !panels.includes(agent.id))
  return {
    panels,
    tiles: rest.filter((agent) => agent.need !== 'done').map((agent) => agent.id),
    finished: rest.filter((agent) => agent.need === 'done').map((agent) => agent.id),
  }
}

function indexIn(agents: readonly Candidate[], id: string): number {
  return agents.findIndex((agent) => agent.id === id)
}

/** Whether two arrangements put everything in the same place. */
export function sameArrangement(a: Arrangement, b: Arrangement): boolean {
  const same = (one: readonly string[], other: readonly string[]) =>
    one.length === other.length && one.every((id, index) => id === other[index])
  return same(a.panels, b.panels) && same(a.tiles, b.tiles) && same(a.finished, b.finished)
}

/** What the person chose comes before any need. */
function priority(agent: Candidate, { opened, pinned }: ArrangeOptions): number {
  if (agent.id === opened || pinned.has(agent.id)) return -1
  return RANK[agent.need]
}

/** The place of the panel that is needed least; of equals the last, so that the first ones rest. */
function leastNeedy(
  panels: readonly string[],
  needIn: (id: string) => Need,
  stays: (id: string) => boolean,
): number | null {
  let least: number | null = null
  panels.forEach((id, index) => {
    if (stays(id)) return
    if (least === null || RANK[needIn(id)] >= RANK[needIn(panels[least] ?? '')]) least = index
  })
  return least
}

/** A failure is news, but failures alone never drive out all work. */
function takesPlaceOf(need: Need, other: Need, shown: readonly Need[]): boolean {
  if (RANK[need] >= RANK[other]) return false
  if (need === 'queued') return false
  if (need === 'failed' && other === 'working') return shown.filter((one) => one === 'working').length > 1
  return true
}
