/** The window's commands about comparisons: one task for several agents. */
import { z } from 'zod'
import { command, id, path } from '../kernel/command.ts'
import { FEWEST_ATTEMPTS, MOST_ATTEMPTS } from './comparison.ts'

export const comparisonContract = {
  /** Starts all agents, each in its own worktree, or none. `command`: checks each result; null: nothing does. */
  'comparison.start': command<{ comparisonId: string }>()(
    z.object({
      conversationId: id,
      task: z.string().trim().min(1).max(1_000_000),
      attempts: z
        .array(z.object({ agent: z.string().min(1).max(200), model: z.string().min(1).max(200).nullable() }))
        .min(FEWEST_ATTEMPTS)
        .max(MOST_ATTEMPTS),
      command: z.string().trim().min(1).max(10_000).nullable(),
    }),
  ),
  /** Stops every attempt and its check. */
  'comparison.stop': command<void>()(z.object({ conversationId: id, comparisonId: id })),
  /** Runs the check of an attempt that has ended. */
  'comparison.check': command<void>()(z.object({ conversationId: id, agentId: id })),
  /** The command that the files of the folder suggest for checking it; null: none. */
  'comparison.suggestCheck': command<{ command: string; from: string } | null>()(z.object({ folder: path })),
} as const
