/**
 * The agents in the order of the tree: parents before children, siblings in the order of their starts. Many agents are grouped
 * by what they need instead, each group in the order of their starts. Agents that are all done fold to one line.
 */
import { type AgentState, isLive, needsUser } from '../../../shared/state/agent-state.ts'
import { progressOf } from '../../stores/stage-store.ts'
import { markOf } from '../../ui/text/agent-text.ts'
import { count } from '../../ui/text/format.ts'

type Agents = ReadonlyMap<string, AgentState>

export interface AgentTreeNode {
  readonly agentId: string
  readonly depth: number
  readonly parentId: string | null
  /** Neither the agent nor a descendant is live. */
  readonly ended: boolean
  /** Whether rows follow below the agent, or would without the user's choice. */
  readonly branch: 'none' | 'open' | 'collapsed'
  /** Only below a collapsed agent. */
  readonly hidden: HiddenAgents | null
  /** Set for the heading of a group, which is no agent: its id is that of `groupId`. */
  readonly group?: TreeGroup
}

/** `all`: the subagents of a conversation whose agents are all done. */
export type GroupName = 'needs-you' | 'working' | 'queued' | 'done' | 'all'

export interface TreeGroup {
  readonly name: GroupName
  readonly agents: number
  readonly failed: number
  readonly stopped: number
}

/** The id under which a group is collapsed. */
export const groupId = (name: GroupName): string => `group:${name}`

/** Numbers of the agents that a collapsed row hides. */
export interface HiddenAgents {
  readonly agents: number
  readonly working: number
  readonly needUser: number
  readonly failed: number
}

interface TreeChoices {
  /** Null: automatic. */
  readonly showEnded: boolean | null
  /** The agents whose subagents are hidden, and the groups that are not as they begin. */
  readonly collapsed: readonly string[]
  /** Whether many agents are grouped. */
  readonly groups: boolean
}

/** With more agents than this, ended agents are folded at first. */
const FOLD_ABOVE = 10

/** With more subagents than this, they are grouped, each on one line. */
const GROUP_ABOVE = 12

/** With fewer subagents than this, one line for all of them would save nothing. */
const FOLD_DONE_FROM = 2

export interface TreeLayout {
  readonly shown: readonly AgentTreeNode[]
  readonly kind: 'tree' | 'groups' | 'all-done'
  /** Whether each subagent has one line. */
  readonly isDense: boolean
  /** The number of folded agents. */
  readonly folded: number
  /** Whether agents can fold. */
  readonly foldable: boolean
}

export function layOutTree(agents: Agents, { showEnded, collapsed, groups }: TreeChoices): TreeLayout {
  const isDense = groups && agents.size > GROUP_ABOVE + 1
  const noFold = { isDense, folded: 0, foldable: false }
  if (agents.size > FOLD_DONE_FROM && progressOf(agents) === 'answered')
    return { ...noFold, shown: foldAll(agents, { collapsed, isDense }), kind: 'all-done' }
  if (isDense) return { ...noFold, shown: group(agents, collapsed), kind: 'groups' }
  const all = orderTree(agents)
  const live = all.filter((node) => !node.ended || node.depth === 0)
  const ended = all.length - live.length
  const foldable = all.length > FOLD_ABOVE && ended > 2
  const folds = foldable && !showEnded
  const shown = collapse(folds ? live : all, { agents, collapsed })
  return { shown, kind: 'tree', isDense, folded: folds ? ended : 0, foldable }
}

/** The main agent, then one line for all others, which opens to their tree or, if they are many, to one line for each. */
function foldAll(
  agents: Agents,
  { collapsed, isDense }: { readonly collapsed: readonly string[]; readonly isDense: boolean },
): readonly AgentTreeNode[] {
  const [main, ...others] = orderTree(agents)
  if (main === undefined) return []
  const members = others.map(({ agentId }) => agents.get(agentId)).filter((agent) => agent !== undefined)
  const { agentId: parentId } = main
  if (isDense) return [main, ...groupRows('all', { all: members, parentId, collapsed })]
  const [heading] = groupRows('all', { all: members, parentId, collapsed })
  if (heading === undefined) return [main]
  const rows = collapse(others, { agents, collapsed }).map((node) => ({
    ...node,
    depth: node.depth + 1,
    parentId: node.parentId === parentId ? heading.agentId : node.parentId,
  }))
  return [main, heading, ...(heading.branch === 'open' ? rows : [])]
}

/** The main agent, then the groups with their agents. */
function group(agents: Agents, collapsed: readonly string[]): readonly AgentTreeNode[] {
  const plain = { ended: false, hidden: null }
  const mains: AgentTreeNode[] = []
  const members = new Map<GroupName, AgentState[]>(GROUPS.map((name) => [name, []]))
  for (const agent of agents.values()) {
    if (agent.parentId === null)
      mains.push({ ...plain, agentId: agent.id, depth: 0, parentId: null, branch: 'none' })
    else members.get(groupOf(agent))?.push(agent)
  }
  const parentId = mains[0]?.agentId ?? null
  return [...mains, ...[...members].flatMap(([name, all]) => groupRows(name, { all, parentId, collapsed }))]
}

interface GroupMembers {
  readonly all: readonly AgentState[]
  readonly parentId: string | null
  readonly collapsed: readonly string[]
}

function groupRows(name: GroupName, { all, parentId, collapsed }: GroupMembers): readonly AgentTreeNode[] {
  if (all.length === 0) return []
  const id = groupId(name)
  const isOpen = BEGIN_OPEN.has(name) !== collapsed.includes(id)
  const marked = (mark: 'failed' | 'stopped') => all.filter((agent) => markOf(agent) === mark).length
  const plain = { ended: name === 'done' || name === 'all', hidden: null }
  const heading: AgentTreeNode = {
    ...plain,
    agentId: id,
    depth: 1,
    parentId,
    branch: isOpen ? 'open' : 'collapsed',
    group: { name, agents: all.length, failed: marked('failed'), stopped: marked('stopped') },
  }
  const rows = all.map(
    (agent): AgentTreeNode => ({ ...plain, agentId: agent.id, depth: 2, parentId: id, branch: 'none' }),
  )
  return isOpen ? [heading, ...rows] : [heading]
}

const GROUPS = ['needs-you', 'working', 'queued', 'done'] as const

/** Groups that are open until the user collapses them. */
const BEGIN_OPEN: ReadonlySet<GroupName> = new Set(['needs-you', 'working'])

function groupOf(agent: AgentState): GroupName {
  const mark = markOf(agent)
  if (mark === 'needs-you') return mark
  if (mark === 'queued') return mark
  return isLive(agent) ? 'working' : 'done'
}

/** Leaves out the rows below collapsed agents. */
function collapse(
  nodes: readonly AgentTreeNode[],
  { agents, collapsed }: { readonly agents: Agents; readonly collapsed: readonly string[] },
): readonly AgentTreeNode[] {
  const shown: AgentTreeNode[] = []
  for (let at = 0; at < nodes.length; ) {
    const node = nodes[at]
    if (node === undefined) break
    let end = at + 1
    while ((nodes[end]?.depth ?? -1) > node.depth) end += 1
    const isCollapsed = end > at + 1 && collapsed.includes(node.agentId)
    const branch = end === at + 1 ? 'none' : isCollapsed ? 'collapsed' : 'open'
    const hidden = isCollapsed ? countHidden(nodes.slice(at + 1, end), agents) : null
    shown.push({ ...node, branch, hidden })
    at = isCollapsed ? end : at + 1
  }
  return shown
}

function countHidden(nodes: readonly AgentTreeNode[], agents: Agents): HiddenAgents {
  let [working, needUser, failed] = [0, 0, 0]
  for (const { agentId } of nodes) {
    const agent = agents.get(agentId)
    if (agent === undefined) continue
    const mark = markOf(agent)
    if (needsUser(agent)) needUser += 1
    else if (mark === 'running' || mark === 'pausing') working += 1
    else if (mark === 'failed') failed += 1
  }
  return { agents: nodes.length, working, needUser, failed }
}

/** "1 needs you · 2 working · 5 agents". The most important comes first: the line may be cut. */
export function hiddenText({ agents, working, needUser, failed }: HiddenAgents): string {
  return [
    needUser > 0 && `${needUser} ${needUser === 1 ? 'needs' : 'need'} you`,
    failed > 0 && `${failed} failed`,
    working > 0 && `${working} working`,
    `${count(agents, 'agent')} hidden`,
  ]
    .filter((part) => part !== false)
    .join(' · ')
}

/** "5 done · 1 failed". */
export function endText({ agents, failed, stopped }: TreeGroup): string {
  const done = agents - failed - stopped
  return [done > 0 && `${done} done`, stopped > 0 && `${stopped} stopped`, failed > 0 && `${failed} failed`]
    .filter((part) => part !== false)
    .join(' · ')
}

/** Whether two layouts are equal, so that nothing needs to render. */
export function sameLayout(a: TreeLayout, b: TreeLayout): boolean {
  return (
    a.kind === b.kind &&
    a.folded === b.folded &&
    a.foldable === b.foldable &&
    a.shown.length === b.shown.length &&
    a.shown.every((node, index) => sameNode(node, b.shown[index]))
  )
}

function sameNode(a: AgentTreeNode, b: AgentTreeNode | undefined): boolean {
  return (
    a.agentId === b?.agentId &&
    a.ended === b.ended &&
    a.branch === b.branch &&
    sameHidden(a.hidden, b.hidden) &&
    sameGroup(a.group, b.group)
  )
}

function sameGroup(a: TreeGroup | undefined, b: TreeGroup | undefined): boolean {
  return a?.agents === b?.agents && a?.failed === b?.failed && a?.stopped === b?.stopped
}

function sameHidden(a: HiddenAgents | null, b: HiddenAgents | null): boolean {
  if (a === null || b === null) return a === b
  return hiddenText(a) === hiddenText(b)
}

function orderTree(agents: Agents): readonly AgentTreeNode[] {
  const children = new Map<string | null, AgentState[]>()
  for (const agent of agents.values()) {
    const parentId = agent.parentId !== null && agents.has(agent.parentId) ? agent.parentId : null
    const siblings = children.get(parentId)
    if (siblings === undefined) children.set(parentId, [agent])
    else siblings.push(agent)
  }
  const below = (agent: AgentState, depth: number): readonly AgentTreeNode[] => {
    const nodes = siblingsIn(children.get(agent.id) ?? [], depth + 1)
    const ended = agent.endedAt !== null && nodes.every((node) => node.ended)
    const { id: agentId, parentId } = agent
    return [{ agentId, depth, parentId, ended, branch: 'none', hidden: null }, ...nodes]
  }
  const siblingsIn = (siblings: readonly AgentState[], depth: number): readonly AgentTreeNode[] =>
    siblings.flatMap((agent) => below(agent, depth))
  return siblingsIn(children.get(null) ?? [], 0)
}
