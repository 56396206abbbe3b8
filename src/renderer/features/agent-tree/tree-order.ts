/** The agents in the order of the tree: parents before children, siblings in the order of their starts. No row ever moves. */
import type { AgentState } from '../../../shared/agent-state.ts'
import { hasNamesake } from '../../stores/namesakes.ts'

export interface TreeNode {
  readonly agentId: string
  readonly depth: number
  readonly parentId: string | null
  /** Neither the agent nor a descendant is live. */
  readonly ended: boolean
  /** Another agent has the same name; the task tells them apart. */
  readonly namesake: boolean
}

/** With more agents than this, ended agents are folded at first. */
const FOLD_ABOVE = 10

export interface TreeLayout {
  readonly shown: readonly TreeNode[]
  /** The number of folded agents. */
  readonly folded: number
  /** Whether agents can fold. */
  readonly foldable: boolean
}

/** `showEnded`: the user's choice; null: automatic. */
export function layOutTree(agents: ReadonlyMap<string, AgentState>, showEnded: boolean | null): TreeLayout {
  const all = orderTree(agents)
  const live = all.filter((node) => !node.ended || node.depth === 0)
  const folded = all.length - live.length
  const foldable = all.length > FOLD_ABOVE && folded > 2
  return foldable && !showEnded ? { shown: live, folded, foldable } : { shown: all, folded: 0, foldable }
}

/** Whether two layouts are equal, so that nothing needs to render. */
export function sameLayout(a: TreeLayout, b: TreeLayout): boolean {
  return (
    a.folded === b.folded &&
    a.foldable === b.foldable &&
    a.shown.length === b.shown.length &&
    a.shown.every((node, index) => sameNode(node, b.shown[index]))
  )
}

function sameNode(a: TreeNode, b: TreeNode | undefined): boolean {
  return a.agentId === b?.agentId && a.ended === b.ended && a.namesake === b.namesake
}

function orderTree(agents: ReadonlyMap<string, AgentState>): readonly TreeNode[] {
  const children = new Map<string | null, AgentState[]>()
  for (const agent of agents.values()) {
    const parentId = agent.parentId !== null && agents.has(agent.parentId) ? agent.parentId : null
    const siblings = children.get(parentId)
    if (siblings === undefined) children.set(parentId, [agent])
    else siblings.push(agent)
  }
  const below = (agent: AgentState, depth: number): readonly TreeNode[] => {
    const nodes = siblingsIn(children.get(agent.id) ?? [], depth + 1)
    const ended = agent.endedAt !== null && nodes.every((node) => node.ended)
    const namesake = hasNamesake(agent, agents)
    return [{ agentId: agent.id, depth, parentId: agent.parentId, ended, namesake }, ...nodes]
  }
  const siblingsIn = (siblings: readonly AgentState[], depth: number): readonly TreeNode[] =>
    siblings.flatMap((agent) => below(agent, depth))
  return siblingsIn(children.get(null) ?? [], 0)
}
