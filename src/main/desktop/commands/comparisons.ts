/** Handlers for comparisons. */
import { ok } from '../../../shared/result.ts'
import type { Folders } from '../folders/folders.ts'
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export function comparisonCommands({
  program,
  folders,
}: {
  readonly program: () => Promise<Program>
  readonly folders: Folders
}): HandlersOf<'comparison'> {
  return {
    'comparison.start': async (wanted) => (await program()).runtime.compare(wanted),
    'comparison.stop': async ({ conversationId, comparisonId }) =>
      (await program()).runtime.stopComparison(conversationId, comparisonId),
    'comparison.check': async ({ conversationId, agentId }) =>
      (await program()).runtime.checkAttempt(conversationId, agentId),
    'comparison.suggestCheck': async ({ folder }) => {
      const known = await folders.known(folder)
      return known.ok ? ok(await (await program()).runtime.suggestCheck(known.value)) : known
    },
  }
}
