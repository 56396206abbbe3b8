/**
 * Tools that an agent's definition gives it, and that are of no use in the present situation: nobody can answer, a rule
 * denies every call, or there is nothing yet to use them with. They are not in its requests. Where the situation
 * changes, they come with a notice. A call is carried out anyway, so that its result gives the exact reason.
 */
import { toolFacts } from '../../../shared/tools/tool-facts.ts'
import { namesWhole } from '../permissions/decide-undeclared.ts'
import { covers, type PermissionRule, ruleTarget } from '../permissions/permission-rule.ts'
import type { AnyTool } from '../ports/tool.ts'
import { TOOL_SEARCH } from '../tools/tool-search.ts'

/** What decides which tools are of use, for all agents of a conversation. */
export interface ToolSituation {
  /** Whether a user answers in this run. */
  readonly attended: boolean
  readonly trusted: boolean
  readonly bypassAllowed: boolean
  /** Whether the main agent is a coordinator: then a run without a user merges anyway. */
  readonly coordinator: boolean
  readonly hasTeam: boolean
  readonly hasNotebooks: boolean
  /** The user's rules. */
  readonly deny: readonly PermissionRule[]
  readonly allow: readonly PermissionRule[]
}

interface ToolUser {
  readonly isMain: boolean
  /** Whether its mode is bypassPermissions. */
  readonly bypasses: boolean
  /** Whether its definition names the tool. */
  names(tool: string): boolean
}

/** By the tool's name: the reason, which continues the name. */
export function leftOutTools(
  tools: readonly AnyTool[],
  situation: ToolSituation,
  user: ToolUser,
): ReadonlyMap<string, string> {
  return new Map(
    tools.flatMap((tool): readonly (readonly [string, string])[] => {
      const because =
        tool.unusable ??
        byTrust(tool, situation) ??
        byRule(tool, situation) ??
        byNeed(tool.name, situation, user) ??
        byUser(tool.name, situation, user)
      return because === null ? [] : [[tool.name, because]]
    }),
  )
}

/** Kinds of tools whose every call an untrusted folder denies. Those of other sources declare no target. */
const NEED_TRUST: ReadonlySet<AnyTool['kind']> = new Set(['edit', 'command', 'web'])

function byTrust({ name, kind, source }: AnyTool, { trusted }: ToolSituation): string | null {
  if (trusted) return null
  // ToolSearch only lists and loads.
  const isAdded = source !== undefined && name !== TOOL_SEARCH
  const isDenied = NEED_TRUST.has(kind) || name === 'MergeWorktree' || isAdded
  return isDenied ? 'every call of it is denied until the user trusts the folder' : null
}

function byRule({ name, kind }: AnyTool, { deny }: ToolSituation): string | null {
  const rule = deny.find(
    (one) => one.pattern === null && (namesWhole(one, name) || coversAll(one, name, kind)),
  )
  return rule === undefined ? null : `the user's rule ${rule.text} denies every call of it`
}

/** Whether a rule without a pattern, for another tool, covers every call of this one: `Read` covers Grep. */
function coversAll(rule: PermissionRule, name: string, kind: AnyTool['kind']): boolean {
  if (toolFacts(name) === null) return false
  if (kind === 'edit') return covers(rule, 'write')
  return (kind === 'read' || kind === 'search') && covers(rule, ruleTarget(name, 'read'))
}

/** The task list, and the end of a team. */
const OF_TEAMS: ReadonlySet<string> = new Set(['TaskCreate', 'TaskUpdate', 'TaskList', 'TeamDelete'])

/** There is nothing yet to use the tool with. */
function byNeed(
  name: string,
  { hasTeam, hasNotebooks }: ToolSituation,
  { isMain, names }: ToolUser,
): string | null {
  if (isMain && !hasTeam && OF_TEAMS.has(name)) return 'it comes when a team starts'
  if (name === 'NotebookEdit' && !hasNotebooks && (isMain || !names(name)))
    return 'it comes when you read or write a notebook'
  return null
}

/** The tool is for the user's answers, and nobody answers. */
function byUser(name: string, situation: ToolSituation, { bypasses }: ToolUser): string | null {
  const { attended, bypassAllowed, coordinator, allow } = situation
  if (attended) return null
  if (name === 'AskUserQuestion' || name === 'ExitPlanMode') return 'no user is present in this run to answer'
  if (name !== 'MergeWorktree' || coordinator || (bypasses && bypassAllowed)) return null
  return allow.some(({ tool }) => tool === name)
    ? null
    : 'no user is present in this run to allow a merge, and no rule allows MergeWorktree. Name the branches in your report: the user merges them'
}
