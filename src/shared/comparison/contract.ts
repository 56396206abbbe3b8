/** The commands about comparisons: one task for several agents. */
import { z } from 'zod'
import { command, id, path } from '../kernel/command.ts'
import { FEWEST_ATTEMPTS, MOST_ATTEMPTS } from './comparison.ts'

const wantedAttempt = z.object({
  /** The agent type. The same one may be given several times. */
  agent: z.string().min(1).max(200),
  /** An alias or a full id; null: that of the definition. */
  model: z.string().min(1).max(200).nullable(),
})
/** One of the agents that get the task. */
export type WantedAttempt = z.infer<typeof wantedAttempt>

const wrongAmount = `Choose ${FEWEST_ATTEMPTS} to ${MOST_ATTEMPTS} agents.`

export const comparisonContract = {
  /** Starts all agents, each in its own worktree, or none. `command`: checks each result; null: nothing does. */
  'comparison.start': command<{ comparisonId: string }>()(() =>
    z.object({
      conversationId: id,
      task: z.string().trim().min(1, 'Write the task first.').max(1_000_000),
      attempts: z
        .array(wantedAttempt)
        .min(FEWEST_ATTEMPTS, wrongAmount)
        .max(MOST_ATTEMPTS, wrongAmount)
        .readonly(),
      command: z.string().trim().min(1).max(10_000).nullable(),
    }),
  ),
  /** Stops every attempt and its check; resolves when they have ended. */
  'comparison.stop': command<void>()(() => z.object({ conversationId: id, comparisonId: id })),
  /** Runs the check of an attempt that has ended, again or for the first time; resolves when it has begun. */
  'comparison.check': command<void>()(() => z.object({ conversationId: id, agentId: id })),
  /** The command that the files of the folder suggest for checking it; null: none. */
  /** The files that git does not have as they are: worktrees begin without them. Empty without git or trust. */
  'comparison.uncommitted': command<readonly string[]>()(() => z.object({ folder: path })),
  'comparison.suggestCheck': command<{ command: string; from: string } | null>()(() =>
    z.object({ folder: path }),
  ),
} as const
