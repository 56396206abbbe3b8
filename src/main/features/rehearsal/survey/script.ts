/**
 * A script is a generator: it yields text and tool calls, receives the results, and returns its final text. For
 * every request it is replayed from its start with the results in the messages, so that no state is kept
 * between requests, and each reply follows from the tools' real results.
 */
import type { ScriptedBlock, ScriptedReply } from '../director.ts'
import { type Answer, type Exchange, NO_ANSWER } from './read-conversation.ts'

export interface ToolCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

/** One message of the agent, with at least one call: a message without calls is the final one. */
interface Turn {
  readonly thinking?: string | undefined
  readonly say?: string | undefined
  readonly calls: readonly ToolCall[]
}

/** The results of the calls in their order, and user messages that arrived meanwhile. */
interface Heard {
  readonly answers: readonly Answer[]
  readonly words: readonly string[]
}

export type Script<End = string> = Generator<Turn, End, Heard>

/**
 * Replays a script over the conversation and returns the next reply.
 *
 * @param lastWords the reply if calls are no longer allowed before the script is done
 */
export function play(
  script: Script,
  exchanges: readonly Exchange[],
  options: { readonly mayCall: boolean; readonly lastWords: () => string },
): ScriptedReply {
  let step = script.next()
  for (const exchange of exchanges) {
    if (step.done) break
    step = script.next(heardIn(exchange))
  }
  if (step.done) return { blocks: [{ type: 'text', text: step.value }] }
  if (!options.mayCall) return { blocks: [{ type: 'text', text: options.lastWords() }] }
  const { thinking, say, calls } = step.value
  return {
    blocks: [
      ...(thinking === undefined ? [] : [{ type: 'thinking' as const, text: thinking }]),
      ...(say === undefined ? [] : [{ type: 'text' as const, text: say }]),
      ...calls.map(({ tool, input }): ScriptedBlock => ({ type: 'tool_use', name: tool, input })),
    ],
  }
}

function heardIn({ calls, heard }: Exchange): Heard {
  return {
    answers: calls.map(({ answer }) => answer ?? NO_ANSWER),
    words: heard,
  }
}

/**
 * Makes the calls whose tools exist; the others fail. If none is left, no turn is used.
 */
export function* ask(turn: Turn, tools: ReadonlySet<string>): Script<readonly Answer[]> {
  const possible = turn.calls.filter(({ tool }) => tools.has(tool))
  const { answers } = possible.length === 0 ? { answers: [] } : yield { ...turn, calls: possible }
  return turn.calls.map((call): Answer => {
    const at = possible.indexOf(call)
    if (at < 0) return { ok: false, text: `This agent does not have the tool ${call.tool}.` }
    return answers[at] ?? NO_ANSWER
  })
}

/** The same for groups of calls: returns results in the same groups. */
export function* askGroups<const Groups extends readonly (readonly ToolCall[])[]>(
  turn: Omit<Turn, 'calls'> & { readonly groups: Groups },
  tools: ReadonlySet<string>,
): Script<{ readonly [Group in keyof Groups]: readonly Answer[] }> {
  const { groups, ...words } = turn
  const answers = [...(yield* ask({ ...words, calls: groups.flat() }, tools))]
  return groups.map((group) => answers.splice(0, group.length)) as {
    readonly [Group in keyof Groups]: readonly Answer[]
  }
}
