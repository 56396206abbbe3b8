/** The commands about the tutorial. */
import { z } from 'zod'
import { command, none } from '../kernel/command.ts'
import { TUTORIAL_STEPS, type TutorialState } from './tutorial.ts'

export const tutorialContract = {
  /** The tutorial that was started last; null: none. Later states follow as `tutorial` deltas. */
  'tutorial.state': command<TutorialState | null>()(() => none),
  /**
   * Continues the tutorial, or starts one on a new copy of the sample project: the first time, `again`, and where its
   * conversation or folder is gone. Fails with `no-sample`, or as `conversation.create`.
   */
  'tutorial.start': command<TutorialState>()(() => z.object({ again: z.boolean().default(false) }).strict()),
  'tutorial.skip': command<TutorialState | null>()(() => z.object({ step: z.enum(TUTORIAL_STEPS) }).strict()),
  /** Hides the guide. Its agents and files stay. */
  'tutorial.leave': command<TutorialState | null>()(() => none),
  /** Ends the program at once, as a kill does: nothing is closed or saved first. Only while a tutorial is open. */
  'tutorial.endProgram': command<void>()(() => none),
} as const
