/** The window's commands about tests of agent definitions. */
import { z } from 'zod'
import { command, id, path } from '../kernel/command.ts'
import { efforts } from '../models/effort.ts'
import {
  type AgentTestsSnapshot,
  type AgentVersion,
  type CaseProblem,
  MOST_ATTEMPTS_A_CASE,
} from './agent-tests.ts'

const agent = z.string().min(1).max(200)
const versionRef = () =>
  z.object({
    base: z.discriminatedUnion('type', [
      z.object({ type: z.literal('in-use') }),
      z.object({
        type: z.literal('draft'),
        text: z.string().max(1_000_000),
        name: z.string().min(1).max(200).optional(),
      }),
      z.object({ type: z.literal('commit'), commit: z.string().min(4).max(64) }),
      z.object({ type: z.literal('agent'), name: agent }),
    ]),
    model: z.string().min(1).max(200).nullable(),
    effort: z.enum(efforts).nullable(),
    skill: z.string().min(1).max(200).nullable(),
  })
const wantedRun = () =>
  z.object({
    folder: path,
    agent,
    versions: z.array(versionRef()).min(1).max(12).readonly(),
    /** Empty: all cases of the agent. */
    caseFiles: z.array(path).max(1000).readonly(),
    attempts: z.int().min(1).max(MOST_ATTEMPTS_A_CASE),
  })

export const agentTestContract = {
  /** Each change arrives as an `agent-tests` delta until another folder is asked about. */
  'agentTests.state': command<AgentTestsSnapshot>()(() => z.object({ folder: path })),
  /** The definition in use, the draft of the editor where one is given, and those of earlier commits, the newest first. */
  'agentTests.versions': command<readonly AgentVersion[]>()(() =>
    z.object({ folder: path, agent, draft: z.string().max(1_000_000).nullable() }),
  ),
  /** Resolves references, for their ids and titles. */
  'agentTests.resolve': command<readonly AgentVersion[]>()(() =>
    z.object({ folder: path, agent, versions: z.array(versionRef()).max(12).readonly() }),
  ),
  /** What a run would do. `usd`: null where nothing is known about its cost. */
  'agentTests.estimate': command<{
    readonly attempts: number
    readonly reused: number
    readonly usd: number | null
    readonly ms: number | null
  }>()(wantedRun),
  /** Resolves when it has begun. Fails with `not-trusted`, `no-cases`, `no-git`, `unreadable` or `busy`. */
  'agentTests.run': command<{ readonly runId: string }>()(() =>
    wantedRun().extend({
      maxUsd: z.number().positive().nullable(),
      stopsWhenClear: z.boolean(),
    }),
  ),
  /** Stops every attempt; resolves when they have ended and their worktrees are gone. */
  'agentTests.stop': command<void>()(() => z.object({ folder: path, runId: id })),
  /** Goes on with a run that the end of the program interrupted. */
  'agentTests.resume': command<void>()(() => z.object({ folder: path, runId: id })),
  /** The text of a case file, or of one to begin with (`file: null`). */
  'agentTests.readCase': command<{ readonly text: string }>()(() =>
    z.object({ folder: path, agent, file: path.nullable() }),
  ),
  /** A case from an agent's conversation: its task, commit and an expectation from its report and changes. */
  'agentTests.draftCase': command<{ readonly agent: string; readonly name: string; readonly text: string }>()(
    () => z.object({ conversationId: id, agentId: id }),
  ),
  /** Writes a case file; a text that can't be read is refused with its problems. `file: null`: a new one, named by the case. */
  'agentTests.saveCase': command<{ readonly file: string; readonly problems: readonly CaseProblem[] }>()(() =>
    z.object({ folder: path, agent, file: path.nullable(), text: z.string().max(1_000_000) }),
  ),
  'agentTests.deleteCase': command<void>()(() => z.object({ folder: path, file: path })),
  /** Writes the results beside each other to a file that the user chooses. */
  'agentTests.export': command<{ readonly path: string } | null>()(() =>
    z.object({ folder: path, agent, form: z.enum(['csv', 'html', 'jsonl']) }),
  ),
} as const
