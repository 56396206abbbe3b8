/** A request that a tool makes in the name of an agent. It is no part of the conversation; its cost is the agent's. */
import { fail, type Result } from '../../../shared/kernel/result.ts'
import type { ModelCatalog, ModelFailure, ModelReply } from '../ports/model.ts'
import type { ToolModelRequest } from '../ports/tool.ts'
import type { RunContext } from './agent-run.ts'
import { spendingOf } from './model-cost.ts'
import { type RequestDeps, retryDelay } from './request-model.ts'

export type AskModelDeps = RequestDeps & { readonly models: ModelCatalog }

/** The call waits for its answer, so it is not retried for long. */
const MAX_ATTEMPTS = 3
const LONGEST_WAIT_MS = 20_000

export async function askModel(
  { agent, deps, signal }: RunContext<AskModelDeps>,
  toolUseId: string,
  { model: name, system, text, webSearch }: ToolModelRequest,
): Promise<Result<ModelReply, ModelFailure>> {
  const limit = agent.limitReached()
  if (limit !== null) return fail(failure('bad-request', 'The agent has reached its spending limit.'))
  const model = name === null ? agent.state().model : deps.models.resolve(name, agent.state().model)
  const gate = deps.gates.of(model)
  const startedAt = deps.clock.now()
  for (let attempt = 1; ; attempt++) {
    const pause = gate.delay(deps.clock.now())
    if (gate.usageLimit !== null || pause > LONGEST_WAIT_MS)
      return fail(failure('rate-limited', 'The key is rate limited.'))
    if (pause > 0) await gate.wait(deps.clock, pause, signal)
    if (signal.aborted) return fail(failure('aborted', 'The call was stopped.'))
    const answered = await deps.model.request(
      {
        model,
        system,
        tools: [],
        messages: [{ role: 'user', content: [{ type: 'text', text }] }],
        toolChoice: 'auto',
        ...(webSearch && { webSearch }),
      },
      { signal, onDelta: () => {} },
    )
    if (answered.ok) {
      const { model: answering, usage } = answered.value
      agent.emit({
        type: 'model-asked',
        toolUseId,
        model: answering,
        usage,
        ...spendingOf(answered.value, model, deps.models),
        durationMs: deps.clock.now() - startedAt,
      })
      return answered
    }
    const delay = retryDelay(answered.failure, attempt, deps.random)
    if (delay === null || delay > LONGEST_WAIT_MS || attempt >= MAX_ATTEMPTS) return answered
    if (answered.failure.type === 'rate-limited') gate.close(deps.clock.now() + delay, deps.clock.now())
    else await deps.clock.sleep(delay, signal)
  }
}

const failure = (type: ModelFailure['type'], message: string): ModelFailure => ({
  type,
  message,
  status: null,
  retryAfterMs: null,
})
