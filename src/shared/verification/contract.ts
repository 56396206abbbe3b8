/** The window's commands about the verification of changes. */
import { z } from 'zod'
import { command, id } from '../kernel/command.ts'

export const verificationContract = {
  /** Answers the question whether to verify changes. */
  'verification.answer': command<void>()(() => z.object({ conversationId: id, id, verify: z.boolean() })),
  /** Verifies the current changes of an agent's worktree; `owner: null`: of the conversation's folder. */
  'verification.start': command<void>()(() => z.object({ conversationId: id, owner: id.nullable() })),
  /** By the id of a verification: whether the files changed since. Missing: unknown. */
  'verification.states': command<Readonly<Record<string, 'same' | 'changed'>>>()(() =>
    z.object({ conversationId: id }),
  ),
} as const
