/** Keeps the last runs of hooks, for Settings > Hooks. */
import type { HookRun } from '../../shared/hooks/hooks.ts'
import type { RuntimeDelta } from '../runtime/ports/runtime.ts'

/** Runs of all hooks together. */
const MOST_RUNS = 1000

export interface HookRuns {
  onDelta(delta: RuntimeDelta): void
  /** Of these conversations, the oldest first. */
  of(conversationIds: ReadonlySet<string>): readonly HookRun[]
}

export function createHookRuns(): HookRuns {
  let runs: readonly HookRun[] = []
  return {
    onDelta(delta) {
      if (delta.type !== 'event' || delta.event.type !== 'hook-ran') return
      const { event, conversationId } = delta
      const { at, agentId, matcher, source, command, toolUseId, exitCode, durationMs, effect, output } = event
      const run = { at, agentId, matcher, source, command, toolUseId, exitCode, durationMs, effect, output }
      runs = [...runs, { ...run, event: event.event, conversationId }].slice(-MOST_RUNS)
    },
    of: (ids) => runs.filter(({ conversationId }) => ids.has(conversationId)),
  }
}
