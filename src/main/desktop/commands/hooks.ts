/** Handlers for the hooks of a folder. */
import { fail, ok } from '../../../shared/result.ts'
import type { HookRuns } from '../hook-runs.ts'
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface HookDeps {
  readonly program: () => Promise<Program>
  readonly hookRuns: HookRuns
}

export function hookCommands({ program, hookRuns }: HookDeps): HandlersOf<'hooks'> {
  return {
    'hooks.state': async ({ folder }) => {
      const { hooks, runtime } = await program()
      if (hooks === undefined) return ok({ entries: [], problems: [], runs: [] })
      const [state, conversations] = await Promise.all([hooks.state(folder), runtime.conversations()])
      const ids = conversations.filter((one) => one.folder === folder).map(({ id }) => id)
      return ok({ ...state, runs: hookRuns.of(new Set(ids)) })
    },
    'hooks.decide': async ({ folder, id, decision }) => {
      const { hooks } = await program()
      return hooks === undefined ? fail(NONE) : hooks.decide(folder, id, decision)
    },
    'hooks.test': async ({ folder, event, tool, input }) => {
      const { hooks } = await program()
      return hooks === undefined ? fail(NONE) : ok(await hooks.test(folder, event, { tool, input }))
    },
  }
}

const NONE = { type: 'no-hooks', message: 'This program has no hooks.' }
