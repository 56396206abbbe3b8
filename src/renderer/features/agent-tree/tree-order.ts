/** The agents of a conversation in the order of the tree: parents before children, live ones before ended ones. */
import type { AgentState } from '../../../shared/agent-state.ts'
import { hasNamesake } from '../../stores/namesakes.ts'

export interface TreeNode {
  readonly agentId: string
  readonly depth: number
  readonly parentId: string | null
  /** Neither it nor an agent below it may still do something. */
  readonly ended: boolean
  /** Another agent has the same name: then its task tells them apart. */
  readonly namesake: boolean
}

/** Above this many agents the ended ones are folded away at first. */
const FOLD_ABOVE = 10

export interface TreeLayout {
  readonly shown: readonly TreeNode[]
  /** Ended agents that are folded away. */
  readonly folded: number
  /** Whether there is anything to fold at all. */
  readonly foldable: boolean
}

/** `showEnded`: what the person chose; null: as it fits. */
export function layOutTree(agents: ReadonlyMap<string, AgentState>, showEnded: boolean | null): TreeLayout {
  const all = orderTree(agents)
  const live = all.filter((node) => !node.ended || node.depth === 0)
  const folded = all.length - live.length
  const foldable = all.length > FOLD_ABOVE && folded > 2
  return foldable && !showEnded ? { shown: live, folded, foldable } : { shown: all, folded: 0, foldable }
}

/** Two layouts that look the same: then nothing has to be drawn anew. */
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
  const siblingsIn = (siblings: readonly AgentState[], depth: number): readonly TreeNode[] => {
    const branches = siblings.map((agent) => below(agent, depth))
    return [...branches.filter(isLiveBranch), ...branches.filter((branch) => !isLiveBranch(branch))].flat()
  }
  return siblingsIn(children.get(null) ?? [], 0)
}

function isLiveBranch(branch: readonly TreeNode[]): boolean {
  return branch[0]?.ended === false
}
