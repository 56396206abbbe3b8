/** The verification of changed files by the Verification agent: what was asked, what runs, and the verdict. */
import { z } from 'zod'

/** The name of the definition that verifies. */
export const VERIFIER = 'Verification'

export const verdict = z.enum(['passed', 'failed', 'unclear'])
export type Verdict = z.infer<typeof verdict>

/** What the verifier saw: a command with its exit code, or a location in a file. */
export const evidence = z.object({
  claim: z.string(),
  command: z.string().nullable(),
  exitCode: z.number().int().nullable(),
  /** `path:line` */
  location: z.string().nullable(),
})
export type Evidence = z.infer<typeof evidence>

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
export type Verification = z.infer<typeof verification>

/** Whether the program started the verifier: the main agent is told its verdict, but is not started for it. */
export function isStartedByProgram(verifications: readonly Verification[], agentId: string): boolean {
  return verifications.some((one) => one.agentId === agentId && one.startedBy !== 'agent')
}

/** The text that asks an agent to fix what a verification found. */
export function fixRequest({ summary, evidence }: Pick<Verification, 'summary' | 'evidence'>): string {
  const found = evidence.map((one) => `- ${evidenceText(one)}`).join('\n')
  return [
    'Your changes were verified, and the verification failed. Fix what it found, run the failing commands again, and say what you changed.',
    summary,
    found,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** "The test fails (`npm test`, exit code 1, src/a.ts:3)" */
export function evidenceText({ claim, command, exitCode, location }: Evidence): string {
  const facts = [
    command === null ? null : `\`${command}\``,
    exitCode === null ? null : `exit code ${exitCode}`,
    location,
  ].filter((fact) => fact !== null)
  return facts.length === 0 ? claim : `${claim} (${facts.join(', ')})`
}
