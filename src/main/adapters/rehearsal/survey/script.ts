/**
 * A script is a generator: it yields what to say and which tools to call, gets what came back, and returns
 * its last words. For every request it is played again from its start with what the messages hold, so that
 * nothing has to be remembered in between; what it says next follows from what the tools really said.
 */
import type { ScriptedBlock, ScriptedReply } from '../director.ts'
import { type Answer, type Exchange, NO_ANSWER } from './read-conversation.ts'

export interface ToolCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

/** One message of the agent. Without calls it would be its last, so there is at least one. */
export interface Turn {
  readonly thinking?: string | undefined
  readonly say?: string | undefined
  readonly calls: readonly ToolCall[]
}

/** What came back: an answer for each call, in their order, and what people wrote meanwhile. */
export interface Heard {
  readonly answers: readonly Answer[]
  readonly words: readonly string[]
}

export type Script<End = string> = Generator<Turn, End, Heard>

/**
 * Plays a script through what has happened already, and says what comes next.
 *
 * @param lastWords what is said where no more calls may be made, and the script is not done
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
 * Makes those of the calls whose tools there are; the others come back as failed. Where none is left,
 * nothing is said and no turn is used.
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

/** The same with calls in groups: the answers come back in the same groups. */
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
