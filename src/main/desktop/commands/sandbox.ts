/** Handler for the state of the sandbox. */
import { fail, ok } from '../../../shared/result.ts'
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export function sandboxCommands({
  program,
}: {
  readonly program: () => Promise<Program>
}): HandlersOf<'sandbox'> {
  return {
    'sandbox.state': async () => {
      const { sandbox } = await program()
      if (sandbox === undefined) return fail({ type: 'not-here', message: 'This program has no sandbox.' })
      return ok(await sandbox.state())
    },
  }
}
