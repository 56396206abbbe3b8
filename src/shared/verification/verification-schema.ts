/** The stored form of verifications. */
import { z } from 'zod'

export const verdict = z.enum(['passed', 'failed', 'unclear'])

/** What the verifier saw: a command with its exit code, or a location in a file. */
export const evidence = z.object({
  claim: z.string(),
  command: z.string().nullable(),
  exitCode: z.number().int().nullable(),
  /** `path:line` */
  location: z.string().nullable(),
  /** The lines below the claim, word for word, such as the output of the command; missing: none. */
  output: z.string().optional(),
})

export const verification = z.object({
  /** `v-1`, `v-2`, … in a conversation. */
  id: z.string(),
  /** The agent whose worktree has the changes; null: they are in the conversation's folder. */
  owner: z.string().nullable(),
  /** Names the content of all files: equal while nothing changes. */
  digest: z.string(),
  /** The commit or tree that the changes are compared with. */
  base: z.string(),
  /** `offered`: the user has not answered. `declined`: the user does not want it. */
  state: z.enum(['offered', 'declined', 'running', 'done']),
  /** Who started it: the user, the setting `always`, or an agent. Null while it is offered. */
  startedBy: z.enum(['user', 'setting', 'agent']).nullable(),
  /** The verifier; null before it was started. */
  agentId: z.string().nullable(),
  /** Null before the end. */
  verdict: verdict.nullable(),
  /** One or two sentences; empty before the end. */
  summary: z.string(),
  evidence: z.array(evidence),
  /** The last change, ms since the epoch. */
  at: z.number(),
})
