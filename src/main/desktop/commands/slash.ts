/** Handlers for commands that begin with a slash. */
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export function slashCommands({
  program,
}: {
  readonly program: () => Promise<Program>
}): HandlersOf<'slash'> {
  return {
    'slash.list': async ({ folder }) => ok(await (await program()).slash.list(folder)),
    'slash.expand': async (request) => {
      const { slash } = await program()
      const expanded = await slash.expand(request, new AbortController().signal)
      if (expanded.ok) return ok({ kind: 'expanded', command: expanded.value })
      const { type, message, commands = [] } = expanded.failure
      if (type === 'needs-permission') return ok({ kind: 'needs-permission', commands })
      return fail({ type, message })
    },
  }
}
