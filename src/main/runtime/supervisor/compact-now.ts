/** Summarizes the main agent's history when the user wants it. */
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { Conversation } from './conversation.ts'
import { startMain } from './run-agents.ts'
import { whyNotForProgram } from './why-not-for-program.ts'

/** An idle agent does it at once, a busy one with its next turn. `instructions`: what the summary must keep; may be empty. */
export async function compactNow(conversation: Conversation, instructions: string): Promise<Result<void>> {
  const { mainAgentId } = conversation.file.record
  const refusal = whyNotForProgram(
    conversation,
    mainAgentId,
    'It keeps its own history, so Troupe can’t summarize it. Where it offers a command for that, send it the command.',
  )
  if (refusal !== null) return fail(refusal)
  const done = await conversation.withAgent(mainAgentId, (agent, handle) => {
    const { history } = agent.transcript
    if (!handle.isRunning && history.messages().length < 2)
      return fail({ type: 'nothing', message: 'There is nothing to summarize yet.' })
    agent.wantedCompaction = { instructions }
    if (!handle.isRunning) startMain(conversation, handle)
    return ok(undefined)
  })
  return done.ok ? done.value : done
}
