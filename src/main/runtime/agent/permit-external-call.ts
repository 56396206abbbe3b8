/**
 * The permission for a call of an external agent: hooks, rules and modes decide as for this runtime's own tools,
 * or the user if they leave the decision open.
 */
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import { intercept } from '../loop/intercept.ts'
import { callCovered, permitToolCall } from '../loop/permit-tool-call.ts'
import type { ExternalCall, ExternalDenial, ExternalPermit } from '../ports/agent-backing.ts'
import type { AnyTool } from '../ports/tool.ts'
import { sessionEnvironment } from '../tools/bash.ts'
import { agentRunOf } from './loop-backing.ts'

/** A failure has the reason why the call may not run. */
export async function permitExternalCall(
  agent: LiveAgent,
  conversation: Conversation,
  { call, signal }: { readonly call: ExternalCall; readonly signal: AbortSignal },
): Promise<Result<ExternalPermit, ExternalDenial>> {
  const run = { agent: agentRunOf(agent, conversation, () => signal), deps: conversation.loop, signal }
  const { toolUseId, tool, input } = call
  agent.slot.callStarted()
  try {
    const {
      denial,
      ask,
      allow,
      input: changed,
      stop,
    } = await intercept(run, 'tool-call', {
      ...{ toolUseId, tool, input },
      covers: (rule) => callCovered(run, { tool, target: call.target }, rule),
    })
    if (stop !== null) return fail({ type: 'denied', message: stop, stops: true })
    if (denial !== null) return fail({ type: 'denied', message: denial, stops: false })
    const permit = await permitToolCall(
      run,
      { id: toolUseId, tool: standIn(call), input, isTranslated: false, ignored: [] },
      {
        context: {
          agentId: run.agent.id,
          toolUseId,
          session: agent.session,
          signal,
          onOutput: () => {},
          askForm: async () => ({ action: 'cancel', reason: 'unattended' }),
          askModel: async () =>
            fail({ type: 'bad-request', message: 'Not possible here.', status: null, retryAfterMs: null }),
        },
        // Only the program itself could change the input of its call.
        ask:
          changed === null
            ? (ask ?? call.ask ?? null)
            : 'A hook wants another input for this call, which it can’t change here.',
        allow: changed === null ? allow : null,
        isAllowed: call.isAllowed === true && changed === null && ask === null,
        choices: call.choices,
      },
    )
    if (!permit.ok) {
      const { outcome, stops, choice } = permit.failure
      return fail({
        type: 'denied',
        message: textOf(outcome.content),
        stops,
        ...(choice !== undefined && { choice }),
      })
    }
    const { realPath, because = null, limits, choice } = permit.value
    const environment = sessionEnvironment(agent.session, limits !== undefined)
    return ok({
      because,
      ...(realPath !== undefined && { realPath }),
      ...(limits && { limits }),
      ...(choice !== undefined && { choice }),
      environment,
    })
  } finally {
    await agent.slot.acquire(signal)
    agent.slot.callEnded()
  }
}

/** The call's target is known already, and the program runs the call itself. */
const standIn = ({ tool, target }: ExternalCall): AnyTool => ({
  name: tool,
  aliases: [],
  description: '',
  schema: {},
  kind: 'other',
  icon: 'tool',
  concurrent: false,
  sideEffects: () => true,
  summary: () => '',
  target: async () => target,
  run: async () => ({ isError: true, content: 'The program of the agent runs this call.', note: '' }),
})
