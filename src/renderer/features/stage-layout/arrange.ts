/**
 * Chooses which agents get a panel, a tile or a line in the finished row. Panels keep their positions: an
 * agent loses its panel only to an agent with a greater need, and never while the user works in the panel.
 */
import { type AgentState, needsUser } from '../../../shared/state/agent-state.ts'

/** The need for a panel, from the greatest to the smallest. */
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

export interface Candidate {
  readonly id: string
  readonly need: Need
}

export interface Arrangement {
  /** In the order of their positions. */
  readonly panels: readonly string[]
  readonly tiles: readonly string[]
  readonly finished: readonly string[]
}

export interface ArrangeOptions {
  /** In the order in which they were started. */
  readonly agents: readonly Candidate[]
  /** The current panels. */
  readonly panels: readonly string[]
  /** The number of panels that fit; at least one. */
  readonly capacity: number
  readonly pinned: ReadonlySet<string>
  /** The agent that the user opened last: treated as pinned. */
  readonly opened: string | null
  /** The panels that the pointer or the focus is in: they stay for now. */
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
    const slot = leastNeedy(panels, needIn, stays)
    if (priority(agent, options) < 0) panels[slot ?? panels.length - 1] = agent.id
    else if (slot !== null && replaces(agent.need, needIn(panels[slot] ?? ''), panels.map(needIn)))
      panels[slot] = agent.id
  }

  // A first arrangement follows the order in which the agents started.
  if (options.panels.length === 0) panels.sort((a, b) => indexIn(agents, a) - indexIn(agents, b))

  const others = agents.filter((agent) => !panels.includes(agent.id))
  return {
    panels,
    tiles: others.filter((agent) => agent.need !== 'done').map((agent) => agent.id),
    finished: others.filter((agent) => agent.need === 'done').map((agent) => agent.id),
  }
}

function indexIn(agents: readonly Candidate[], id: string): number {
  return agents.findIndex((agent) => agent.id === id)
}

/** Whether two arrangements are equal. */
export function sameArrangement(a: Arrangement, b: Arrangement): boolean {
  const same = (one: readonly string[], other: readonly string[]) =>
    one.length === other.length && one.every((id, index) => id === other[index])
  return same(a.panels, b.panels) && same(a.tiles, b.tiles) && same(a.finished, b.finished)
}

/** The user's choice outranks every need. */
function priority(agent: Candidate, { opened, pinned }: ArrangeOptions): number {
  if (agent.id === opened || pinned.has(agent.id)) return -1
  return RANK[agent.need]
}

/** The index of the panel with the smallest need; of equals the last, so that the first panels stay put. */
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

/** Whether an agent with `need` replaces one with `other`. Failures never replace the last working agent. */
function replaces(need: Need, other: Need, shown: readonly Need[]): boolean {
  if (RANK[need] >= RANK[other]) return false
  if (need === 'queued') return false
  if (need === 'failed' && other === 'working') return shown.filter((one) => one === 'working').length > 1
  return true
}
