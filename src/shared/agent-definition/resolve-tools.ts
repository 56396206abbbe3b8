/**
 * Which tools an agent really has: a pure function, asked by the runtime and by whoever explains an agent
 * to a person. The steps are in the order in which they are listed; the first that takes a tool away says why.
 */

import type { AgentSource } from '../agent-library.ts'
import type { AgentDefinition } from './agent-definition.ts'
import { canonicalToolName } from './tool-names.ts'

export interface ToolResolution {
  /** Canonical names, in the order in which the program lists its tools. */
  readonly allowed: readonly string[]
  readonly blocked: readonly { readonly tool: string; readonly because: string }[]
  /** Entries of `tools` and `disallowedTools` that name no tool there is. */
  readonly unknown: readonly { readonly entry: string; readonly nearest: string | null }[]
  /** The types an `Agent(a, b)` entry names; null: all. */
  readonly agentTypes: readonly string[] | null
  /**
   * What narrows a tool that is allowed, as the permissions take it (`PermissionAgent`): `denied` from
   * `disallowedTools`, `only` from `tools`.
   */
  readonly rules: { readonly denied: readonly string[]; readonly only: readonly string[] }
}

export interface ToolSurroundings {
  /** All tools this program has. */
  readonly tools: readonly string[]
  /** 0 for a main agent, 1 for an agent that it starts. */
  readonly depth: number
  /** Agents above this depth may start others of any type; 1 where it is left out: only the main agent. */
  readonly maxDepth?: number
  /** Whether it runs in the background, where nobody watches. */
  readonly background?: boolean
  /**
   * Whether `rules` are held against each call. Where they are not, a tool of which the definition denies
   * a part is taken away whole: more than was asked, never less.
   */
  readonly enforcesRules?: boolean
}

type Definition = Pick<AgentDefinition, 'tools' | 'disallowedTools'> & { readonly source: AgentSource }

/** Tools that need the user's whole attention, or that only the main agent's place in the tree makes sense of. */
const MAIN_ONLY: ReadonlySet<string> = new Set([
  'AskUserQuestion',
  'ExitPlanMode',
  'TeamCreate',
  'TeamDelete',
  'SetPhase',
  'MergeWorktree',
])
const BUILT_IN_ONLY: ReadonlySet<string> = new Set(['TaskOutput', 'TaskStop'])
/** Reading, searching, writing, running and noting down: what makes sense where nobody can be asked. */
const BACKGROUND: ReadonlySet<string> = new Set(
  'Read Write Edit NotebookEdit Glob Grep Bash WebFetch WebSearch TodoWrite Skill SendMessage'.split(' '),
)
/** How deep agents go whose definition names the types they may start. */
const DEEPEST = 3

export function resolveTools(definition: Definition, surroundings: ToolSurroundings): ToolResolution {
  const { tools, depth, maxDepth = 1, background = false, enforcesRules = false } = surroundings
  const listed = definition.tools === null ? null : definition.tools.map(entryOf)
  const everything = listed === null || listed.some((entry) => entry.name === '*')
  const wanted = new Set(listed?.map((entry) => entry.name))
  const denials = definition.disallowedTools.map(entryOf)
  const agentTypes = listed?.find((entry) => entry.name === 'Agent')?.rule ?? null

  const becauseOfPlace = (tool: string): string | null => {
    if (depth > 0 && MAIN_ONLY.has(tool)) return 'only the main agent has it'
    if (depth > 0 && tool === 'SendMessage' && !wanted.has(tool))
      return 'a subagent has it only where its definition names it'
    if (tool === 'Agent' && depth >= maxDepth && agentTypes === null)
      return 'a subagent does not start agents of its own'
    if (tool === 'Agent' && depth >= Math.max(DEEPEST, maxDepth))
      return `agents are nested at most ${Math.max(DEEPEST, maxDepth)} deep`
    if (definition.source !== 'built-in' && depth > 0 && BUILT_IN_ONLY.has(tool))
      return 'it is reserved to the agents that come with the program'
    if (background && !BACKGROUND.has(tool) && !tool.startsWith('mcp__'))
      return 'an agent in the background does not have it'
    return null
  }
  const becauseOfDefinition = (tool: string): string | null => {
    const mine = denials.filter(
      (entry) => entry.name === tool || entry.name === '*' || isServerOf(entry.name, tool),
    )
    if (mine.some((entry) => entry.rule === null)) return 'the definition denies it (disallowedTools)'
    if (mine.length > 0 && !enforcesRules)
      return 'the definition denies a part of it (disallowedTools), and parts are not told apart yet'
    if (!everything && !wanted.has(tool) && !listed?.some((entry) => isServerOf(entry.name, tool)))
      return 'the definition does not list it (tools)'
    return null
  }
  const because = (tool: string) => becauseOfPlace(tool) ?? becauseOfDefinition(tool)

  const blocked = tools.flatMap((tool) => {
    const reason = because(tool)
    return reason === null ? [] : [{ tool, because: reason }]
  })
  const taken = new Set(blocked.map((entry) => entry.tool))
  const unknown = [...(definition.tools ?? []), ...definition.disallowedTools]
    .filter((entry) => isUnknown(entryOf(entry).name, tools))
    .map((entry) => ({ entry, nearest: nearestName(entryOf(entry).name, tools) }))
  return {
    allowed: tools.filter((tool) => !taken.has(tool)),
    blocked,
    unknown,
    agentTypes: agentTypes === null ? null : agentTypes.split(',').map((type) => type.trim()),
    rules: {
      denied: denials.flatMap(ruleOf),
      // A tool that is also listed without a rule is not narrowed.
      only: everything ? [] : listed.filter((entry) => !isListedWhole(listed, entry)).flatMap(ruleOf),
    },
  }
}

interface Entry {
  readonly name: string
  readonly rule: string | null
}

function ruleOf({ name, rule }: Entry): readonly string[] {
  return rule === null || name === 'Agent' ? [] : splitRule(rule).map((part) => `${name}(${part})`)
}

function isListedWhole(listed: readonly Entry[], entry: Entry): boolean {
  return listed.some(({ name, rule }) => name === entry.name && rule === null)
}

/** `Bash(git diff:*, git log:*)` is two rules. */
function splitRule(rule: string): readonly string[] {
  return rule.split(/,\s+/).map((part) => part.trim())
}

/** `mcp__github` stands for all tools of that server. */
function isServerOf(entry: string, tool: string): boolean {
  return entry.startsWith('mcp__') && tool.startsWith(`${entry}__`)
}

/** `Bash(git diff:*)` is the tool Bash with a rule. */
function entryOf(entry: string): Entry {
  const match = /^([^()]+)\((.*)\)$/s.exec(entry.trim())
  if (!match) return { name: canonicalToolName(entry.trim()), rule: null }
  return { name: canonicalToolName((match[1] ?? '').trim()), rule: (match[2] ?? '').trim() }
}

function isUnknown(name: string, tools: readonly string[]): boolean {
  return name !== '*' && !name.startsWith('mcp__') && !tools.includes(name)
}

/** The tool that is at most two letters away, or null. */
function nearestName(name: string, tools: readonly string[]): string | null {
  const distances = tools.map((tool) => ({
    tool,
    distance: editDistance(name.toLowerCase(), tool.toLowerCase()),
  }))
  const best = distances.sort((a, b) => a.distance - b.distance)[0]
  return best && best.distance <= 2 ? best.tool : null
}

/** How many letters must be added, dropped or changed (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
        ),
      )
    row = next
  }
  return row[b.length] ?? 0
}
