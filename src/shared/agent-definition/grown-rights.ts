/** Compares two versions of a definition: which rights the newer one has and the older one had not. */
import { allowsMore, declaredMode } from '../permissions/permission-modes.ts'
import { readToolEntry } from '../tools/tool-entry.ts'
import type { AgentDefinition } from './agent-definition.ts'
import { describeLaunch } from './external-agent-launch.ts'

/**
 * What the newer definition may and the older might not, each as a short phrase for the user: `more tools: Bash`. Empty: it
 * has at most the rights of the older one. In doubt a change counts as more.
 */
export function grownRights(before: AgentDefinition, now: AgentDefinition): readonly string[] {
  return [
    ...moreNames(before, now),
    ...list('more tools', moreTools(before.tools, now.tools)),
    ...list('tools no longer denied', noLongerDenied(before.disallowedTools, now.disallowedTools)),
    ...widerMode(before, now),
    ...otherProgram(before, now),
    ...list('new or changed hooks', changedHooks(before.hooks, now.hooks)),
    ...list('more MCP servers', moreServers(before.mcpServers, now.mcpServers)),
    ...(now.background && !before.background ? ['it always runs in the background'] : []),
    ...(before.isolation !== null && now.isolation === null ? ['it no longer works in a worktree'] : []),
    ...(before.readOnly && !now.readOnly ? ['it is no longer read-only'] : []),
    ...(now.forkContext && !before.forkContext ? ['it sees the whole conversation'] : []),
    ...(now.memory !== null && now.memory !== before.memory ? [`it has a memory (${now.memory})`] : []),
    ...list(
      'more skills',
      now.skills.filter((skill) => !before.skills.includes(skill)),
    ),
  ]
}

const list = (what: string, items: readonly string[]): readonly string[] =>
  items.length === 0 ? [] : [`${what}: ${items.join(', ')}`]

/** Under another name it may take the place of another agent. */
function moreNames(before: AgentDefinition, now: AgentDefinition): readonly string[] {
  const known = new Set([before.name, ...before.aliases].map((name) => name.toLowerCase()))
  return list(
    'another name',
    [now.name, ...now.aliases].filter((name) => !known.has(name.toLowerCase())),
  )
}

/** Another command, argument or variable may do anything that the user may. */
function otherProgram(
  { program: before }: AgentDefinition,
  { program: now }: AgentDefinition,
): readonly string[] {
  if (now === undefined || JSON.stringify(before) === JSON.stringify(now)) return []
  return [`it starts a program: ${describeLaunch(now)}`]
}

function moreTools(before: AgentDefinition['tools'], now: AgentDefinition['tools']): readonly string[] {
  if (isAll(before)) return []
  if (isAll(now)) return ['all']
  return notCovered(now ?? [], before ?? [])
}

const isAll = (tools: AgentDefinition['tools']): boolean =>
  tools === null || tools.some((tool) => tool.trim() === '*')

const noLongerDenied = (before: readonly string[], now: readonly string[]): readonly string[] =>
  notCovered(before, now)

/** The entries that none of the others covers: `Bash` covers `Bash(git:*)`. */
function notCovered(entries: readonly string[], by: readonly string[]): readonly string[] {
  const covering = by.map(readToolEntry)
  return entries.filter((text) => {
    const { name, rule } = readToolEntry(text)
    return !covering.some((each) => each.name === name && (each.rule === null || each.rule === rule))
  })
}

function widerMode(before: AgentDefinition, now: AgentDefinition): readonly string[] {
  const [former, declared] = [declaredMode(before.permissionMode), declaredMode(now.permissionMode)]
  // A definition's mode never raises the parent's mode. A new, wider mode is still shown: it tells what the author
  // intends.
  if (former === null)
    return declared !== null && allowsMore(declared, 'default') ? [`its permission mode is ${declared}`] : []
  if (declared === null) return [`its permission mode is no longer at most ${former}`]
  return allowsMore(declared, former) ? [`its permission mode is ${declared} instead of ${former}`] : []
}

/** The events whose hooks are new or differ. Fewer hooks are also a change, because a hook may be a guard. */
function changedHooks(before: AgentDefinition['hooks'], now: AgentDefinition['hooks']): readonly string[] {
  const events = new Set([...Object.keys(before ?? {}), ...Object.keys(now ?? {})])
  return [...events].filter((event) => JSON.stringify(before?.[event]) !== JSON.stringify(now?.[event]))
}

function moreServers(
  before: AgentDefinition['mcpServers'],
  now: AgentDefinition['mcpServers'],
): readonly string[] {
  const known = new Set((before ?? []).map((server) => JSON.stringify(server)))
  if (now === null) return before === null ? [] : ['all']
  return now
    .filter((server) => !known.has(JSON.stringify(server)) && (before !== null || typeof server !== 'string'))
    .map((server) => (typeof server === 'string' ? server : Object.keys(server).join(', ')))
}
