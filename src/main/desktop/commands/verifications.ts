/** Handlers for the verification of changes. */
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export function verificationCommands({
  program,
}: {
  readonly program: () => Promise<Program>
}): HandlersOf<'verification'> {
  return {
    'verification.answer': async ({ conversationId, id, verify }) =>
      (await program()).runtime.answerVerification(conversationId, id, verify),
    'verification.start': async ({ conversationId, owner }) =>
      (await program()).runtime.verifyNow(conversationId, owner),
    'verification.states': async ({ conversationId }) =>
      (await program()).runtime.verificationStates(conversationId),
  }
}
