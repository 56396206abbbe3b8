/** `troupe run`: one task for a main agent, from start to report. */
import type { AgentEvent, PermissionMode } from '../../shared/agent-event.ts'
import type { AgentState } from '../../shared/agent-state.ts'
import { textOf } from '../../shared/content.ts'
import type { Result } from '../../shared/result.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { RunOptions } from './parse-arguments.ts'
import { createProgress, type ProgressOutput } from './progress.ts'
import { resultLine } from './result-line.ts'
import { EXIT } from './usage.ts'

export interface RunSurroundings {
  readonly runtime: Runtime
  /** The folder to work in, absolute. */
  readonly folder: string
  readonly model: string
  readonly permissionMode: PermissionMode
  readonly rehearsal: boolean
  /** Aborts at the first Ctrl+C. */
  readonly interrupted: AbortSignal
  readonly output: { write(text: string): void }
  readonly errors: ProgressOutput
}

/** The exit code. */
export async function runCommand(options: RunOptions, around: RunSurroundings): Promise<number> {
  const { runtime, output, errors } = around
  const progress = options.json ? null : createProgress(errors)
  let mainAgentId: string | null = null
  let report = ''
  const complain = (message: string, code: number) => {
    progress?.end()
    errors.write(`troupe: ${message}\n`)
    return code
  }

  const show = (event: AgentEvent) => {
    if (options.json) output.write(`${JSON.stringify(event)}\n`)
    else progress?.show(event)
    if (event.type === 'agent-spawned' && event.parentId === null) mainAgentId = event.agentId
    if (event.type === 'assistant-message' && event.agentId === mainAgentId) {
      const said = textOf(event.content)
      if (said.trim() !== '') report = said
    }
  }
  const unsubscribe = runtime.subscribe((delta) => {
    if (delta.type === 'log-failed') {
      errors.write(`troupe: ${delta.message}\n`)
      void runtime.stopConversation(delta.conversationId)
    }
    if (delta.type !== 'event') return
    show(delta.event)
    const { event } = delta
    // The agent waits for the answer only once everybody has heard of the question.
    if (event.type === 'permission-asked') queueMicrotask(() => refuse(runtime, delta.conversationId, event))
  })

  try {
    const begun = await begin(options, around)
    if (!begun.ok) return complain(begun.failure.message, EXIT.usage)
    const { conversationId } = begun.value
    mainAgentId ??= begun.value.mainAgentId
    const stop = () => void runtime.stopConversation(conversationId)
    around.interrupted.addEventListener('abort', stop, { once: true })
    const sent = await runtime.send({
      conversationId,
      agentId: null,
      content: [{ type: 'text', text: options.task }],
    })
    if (!sent.ok) return complain(sent.failure.message, EXIT.failed)
    if (around.interrupted.aborted) stop()
    const state = await runtime.settled(conversationId)
    return await finish(state)
  } finally {
    unsubscribe()
  }

  async function finish(state: AgentState): Promise<number> {
    const ok = state.status === 'waiting'
    const snapshot = await runtime.snapshot(state.conversationId)
    const states = snapshot.ok ? snapshot.value.agents : [state]
    if (options.json)
      output.write(`${JSON.stringify(resultLine(state.conversationId, states, { ok, report }))}\n`)
    else {
      progress?.end()
      if (report !== '') output.write(`${report}\n`)
    }
    if (around.interrupted.aborted)
      return complain(`Interrupted. Go on with --resume ${state.id}`, EXIT.interrupted)
    if (ok) return EXIT.done
    return complain(state.failure?.message ?? `The agent ${state.status}.`, EXIT.failed)
  }
}

async function begin(
  options: RunOptions,
  { runtime, folder, model, permissionMode, rehearsal }: RunSurroundings,
): Promise<Result<{ conversationId: string; mainAgentId: string | null }>> {
  if (options.resume !== null) return found(runtime, options.resume)
  const created = await runtime.create({
    folder,
    model,
    permissionMode,
    rehearsal,
    ...(options.agent === null ? {} : { agent: options.agent }),
    ...(options.maxTurns === null ? {} : { maxTurns: options.maxTurns }),
  })
  if (!created.ok) return created
  return { ok: true, value: { conversationId: created.value.id, mainAgentId: null } }
}

/** The conversation of that id, or of the main agent with that id. */
async function found(
  runtime: Runtime,
  id: string,
): Promise<Result<{ conversationId: string; mainAgentId: string }>> {
  const direct = await runtime.snapshot(id)
  const ids = direct.ok ? [id] : (await runtime.conversations()).map((conversation) => conversation.id)
  for (const conversationId of ids) {
    const snapshot = await runtime.snapshot(conversationId)
    if (!snapshot.ok) continue
    const { mainAgentId, agentIds } = snapshot.value.record
    if (id === conversationId || id === mainAgentId)
      return { ok: true, value: { conversationId, mainAgentId } }
    if (agentIds.includes(id))
      return {
        ok: false,
        failure: {
          type: 'usage',
          message: `${id} is a subagent. Go on with its main agent: --resume ${mainAgentId}`,
        },
      }
  }
  return {
    ok: false,
    failure: { type: 'usage', message: `There is no conversation ${id}. See: troupe conversations list` },
  }
}

function refuse(
  runtime: Runtime,
  conversationId: string,
  event: Extract<AgentEvent, { type: 'permission-asked' }>,
): void {
  const rule = event.alwaysRule === null ? '' : ` A rule that allows it: ${event.alwaysRule}.`
  void runtime.answer(
    { conversationId, agentId: event.agentId, promptId: event.promptId },
    {
      decision: 'deny',
      unattended: true,
      words: `Nobody is there to answer, so this is not allowed (${event.because}).${rule}`,
    },
  )
}
