/**
 * What a run must reach before it ends: a command that succeeds (`--until`), a report of a given form
 * (`--output-schema`). What is missing goes back to the main agent, at most `--max-rounds` times; the limits of the
 * conversation hold.
 */
import { countOf } from '../../../shared/kernel/amounts.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import type { ReportSchema } from './report-schema.ts'

export interface Goal {
  /** The command that must succeed; null: none. */
  readonly until: string | null
  /** The form of the report; null: any text. */
  readonly schema: ReportSchema | null
  /** How often what is missing goes back to the agent. */
  readonly maxRounds: number
}

/** How often without `--max-rounds`. */
export const USUAL_ROUNDS = 5

/** How far a run came. */
export interface GoalEnd {
  /** How often something went back to the agent. */
  readonly rounds: number
  /** The end of the command at its last run; null: it did not run, or a signal ended it. */
  readonly exitCode: number | null
  /** The value of the report; undefined: no schema, or not valid. */
  readonly output: unknown
  /** What is missing, in words for the user; null: nothing, or the agent did not answer. */
  readonly missed: { readonly what: 'check' | 'report'; readonly message: string } | null
}

/** What the agent reads below its task. */
export function goalText({ until, schema, maxRounds }: Goal): string {
  const again = `at most ${countOf(maxRounds, 'time')}`
  return [
    until === null
      ? ''
      : `When you have answered, this command runs in the folder: ${until}\nIf it fails, you get its output and go on, ${again}.`,
    schema === null
      ? ''
      : `Your last answer must be one JSON value and nothing else. It must be valid against this JSON Schema:\n${schema.text}`,
  ]
    .filter((text) => text !== '')
    .join('\n\n')
}

interface Reaching {
  readonly runtime: Runtime
  /** The answers of the agent since the last message to it, oldest first. */
  readonly answers: () => readonly string[]
  readonly interrupted: AbortSignal
  /** Tells the user what goes back to the agent. */
  readonly say: (message: string) => void
}

/** Whether an agent has given its report, and no limit, failure or stop ended it. */
export const hasAnswered = ({ status, parentId, reachedLimit }: AgentState): boolean =>
  // A main agent that has answered waits for more; a subagent has completed.
  status === (parentId === null ? 'waiting' : 'completed') && reachedLimit === null

/** Checks the work of an agent that has settled, and sends it on until nothing is missing. Fails as the commands do. */
export async function reachGoal(
  goal: Goal,
  agent: { readonly conversationId: string; readonly agentId: string },
  reaching: Reaching,
): Promise<Result<GoalEnd>> {
  const { runtime, interrupted, say } = reaching
  const { conversationId } = agent
  for (let rounds = 0; ; rounds++) {
    const state = runtime.state(conversationId, agent.agentId)
    const nothing = { rounds, exitCode: null, output: undefined, missed: null }
    if (interrupted.aborted || state === null || !hasAnswered(state)) return ok(nothing)
    const looked = await look(goal, agent, reaching)
    if (!looked.ok) return looked
    const { toAgent, ...end } = looked.value
    if (end.missed === null || interrupted.aborted) return ok({ ...end, rounds })
    if (toAgent === null || rounds === goal.maxRounds) {
      const left = `${end.missed.message} It was sent back ${countOf(rounds, 'time')}.`
      return ok({ ...end, rounds, missed: { ...end.missed, message: left } })
    }
    say(`${end.missed.message} Back to the agent (${rounds + 1} of ${goal.maxRounds}).`)
    const content = [{ type: 'text' as const, text: toAgent }]
    const sent = await runtime.dispatch({ type: 'conversation.send', ...agent, content })
    if (!sent.ok) return sent
    await runtime.settled(conversationId)
  }
}

/** What is missing now; `toAgent: null`: the agent can't help it. */
async function look(
  { until, schema }: Goal,
  { conversationId, agentId }: { readonly conversationId: string; readonly agentId: string },
  { runtime, answers }: Reaching,
): Promise<Result<Omit<GoalEnd, 'rounds'> & { readonly toAgent: string | null }>> {
  const reached = { exitCode: null, output: undefined, missed: null, toAgent: null }
  const read = schema === null ? ok(undefined) : firstValid(answers(), schema)
  const output = read.ok ? read.value : undefined
  if (until !== null) {
    const ran = await runtime.dispatch({
      type: 'conversation.runCommand',
      ...{ conversationId, command: until, isCheck: true },
    })
    if (!ran.ok) return ran
    await runtime.settled(conversationId)
    const { ended } = runtime
      .state(conversationId, agentId)
      ?.userCommands.find(({ commandId }) => commandId === ran.value.commandId) ?? { ended: null }
    const exitCode = ended?.exitCode ?? null
    if (exitCode !== 0) {
      const form = schema === null ? '' : ' Your last answer must again be JSON, as the schema says.'
      const message =
        exitCode === null
          ? `The check ${until} did not end by itself. ${ended?.output.split('\n').at(-1) ?? ''}`.trim()
          : `The check ${until} failed with exit code ${exitCode}.`
      const toAgent =
        exitCode === null
          ? null
          : `${message} Its output is attached. Correct what makes it fail, then report.${form}`
      return ok({ exitCode, output, missed: { what: 'check', message }, toAgent })
    }
    if (read.ok) return ok({ ...reached, exitCode, output })
  }
  if (read.ok) return ok({ ...reached, output })
  const exitCode = until === null ? null : 0
  const missed = {
    what: 'report' as const,
    message: `The report does not have the form of the schema. ${read.failure.message}`,
  }
  const toAgent = `Your answer is not valid against the JSON Schema of the task.\n${read.failure.message}\nAnswer again with one valid JSON value and nothing else.`
  return ok({ exitCode, output, missed, toAgent })
}

/** The newest answer that is valid: one to a later notice does not replace the report. Fails as the newest one does. */
function firstValid(answers: readonly string[], schema: ReportSchema): Result<unknown> {
  const read = answers.toReversed().map((answer) => schema.read(answer))
  return read.find((one) => one.ok) ?? read[0] ?? schema.read('')
}
