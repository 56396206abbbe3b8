/** Answers the window about hooks, with their last runs. */
import type { Hooks } from '../../../shared/hooks/contract.ts'
import type { HookRun } from '../../../shared/hooks/hooks.ts'
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import { ok } from '../../../shared/kernel/result.ts'
import type { Runtime, RuntimeDelta } from '../../runtime/ports/runtime.ts'

/** Runs of all hooks together. */
const MOST_RUNS = 1000

/** Follows the runtime from now on. */
export function hookHandlers(
  hooks: Hooks,
  runtime: Pick<Runtime, 'subscribe' | 'conversations'>,
): HandlersOf<'hooks'> {
  let runs: readonly HookRun[] = []
  runtime.subscribe((delta) => {
    const run = runOf(delta)
    if (run !== null) runs = [...runs, run].slice(-MOST_RUNS)
  })
  return {
    'hooks.state': async ({ folder }) => {
      const [state, conversations] = await Promise.all([hooks.state(folder), runtime.conversations()])
      const ids = new Set(conversations.filter((one) => one.folder === folder).map(({ id }) => id))
      return ok({ ...state, runs: runs.filter(({ conversationId }) => ids.has(conversationId)) })
    },
    'hooks.decide': ({ folder, id, decision }) => hooks.decide(folder, id, decision),
    'hooks.test': async ({ folder, event, tool, input }) =>
      ok(await hooks.test(folder, event, { tool, input })),
  }
}

function runOf(delta: RuntimeDelta): HookRun | null {
  if (delta.type !== 'event' || delta.event.type !== 'hook-ran') return null
  const { event, conversationId } = delta
  const { at, agentId, matcher, source, command, toolUseId, exitCode, durationMs, effect, output } = event
  const run = { at, agentId, matcher, source, command, toolUseId, exitCode, durationMs, effect, output }
  return { ...run, event: event.event, conversationId }
}
