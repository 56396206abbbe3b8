/** The first stage of a tool call: find the tool, parse the input, translate paths into the agent's worktree. */

import { fail, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import type { ToolUseBlock } from '../../../shared/messages/content.ts'
import { type AnyTool, type ToolOutcome, toolError } from '../ports/tool.ts'
import { parseInput } from '../tools/parse-input.ts'
import { expandHome, translateInput } from '../tools/translate-input.ts'
import type { AgentRun } from './agent-run.ts'
import { unescapeInput } from './system-reminder.ts'

/** A call with a valid input. */
export interface PreparedCall {
  readonly id: string
  readonly tool: AnyTool
  readonly input: unknown
  readonly isTranslated: boolean
  /** Unknown fields of the input that were dropped. */
  readonly ignored: readonly string[]
}

/** The result of a stage. A failure is the outcome that the model receives. */
export type Stage<T> = Result<T, ToolOutcome>

/** The result of a call at whose point an interceptor stopped the agent. `stop` says which and why. */
export const notRun = (stop: string): ToolOutcome => toolError(`Not run: ${stop}`, 'stopped')

export function prepareToolCall(agent: AgentRun, block: ToolUseBlock): Stage<PreparedCall> {
  const tool = toolNamed(agent.tools, block.name)
  if (!tool) return fail(toolError(unavailable(agent, block.name), 'not available'))
  return parseCall(agent, {
    id: block.id,
    tool,
    input: withCanonicalFields(tool, restored(tool, unescapeInput(block.input))),
  })
}

/** Also judges an input that an interceptor changed. */
export function parseCall(
  agent: Pick<AgentRun, 'session'>,
  { id, tool, input }: Pick<PreparedCall, 'id' | 'tool' | 'input'>,
): Stage<PreparedCall> {
  const parsed = parseInput(tool, input)
  if (!parsed.ok) return fail(toolError(parsed.failure.message, 'bad input'))
  const { ignored } = parsed.value
  const given = expandHome(parsed.value.input, tool, agent.session)
  const translated = translateInput(given, tool, agent.session)
  return ok({ id, tool, input: translated, isTranslated: translated !== given, ignored })
}

export function toolNamed(tools: readonly AnyTool[], name: string): AnyTool | undefined {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.aliases.includes(name))
}

const restored = ({ shown }: AnyTool, input: unknown): unknown => (shown ? shown.restored(input) : input)

/** Renames aliases of fields. A field that is already set is never replaced. */
function withCanonicalFields({ fieldAliases }: AnyTool, input: unknown): unknown {
  if (!fieldAliases || typeof input !== 'object' || input === null) return input
  const fields = { ...input } as Record<string, unknown>
  for (const [alias, name] of Object.entries(fieldAliases)) {
    if (!(alias in fields) || name in fields) continue
    fields[name] = fields[alias]
    delete fields[alias]
  }
  return fields
}

function unavailable(agent: AgentRun, name: string): string {
  const because = agent.blockedTools.find(({ tool }) => tool === name)?.because ?? agent.whyNoTool(name)
  if (because !== null) return `${name} is not available to you: ${sentence(because)}`
  const names = agent.tools.map((tool) => tool.name).join(', ')
  return `There is no tool ${name}. ${names === '' ? 'You have no tools.' : `Your tools: ${names}.`}`
}
