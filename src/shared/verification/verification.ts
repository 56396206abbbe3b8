/** The verification of changed files by the Verification agent: what was asked, what runs, and the verdict. */
import type { z } from 'zod'
import type { evidence, verdict, verification } from './verification-schema.ts'

/** The name of the definition that verifies. */
export const VERIFIER = 'Verification'

export type Verdict = z.infer<typeof verdict>
export type Evidence = z.infer<typeof evidence>
export type Verification = z.infer<typeof verification>

/** Whether the program started the verifier: the main agent is told its verdict, but is not started for it. */
export function isStartedByProgram(verifications: readonly Verification[], agentId: string): boolean {
  return verifications.some((one) => one.agentId === agentId && one.startedBy !== 'agent')
}

/** The text that asks an agent to fix what a verification found. */
export function verificationFixRequest({
  summary,
  evidence,
}: Pick<Verification, 'summary' | 'evidence'>): string {
  const found = evidence.map((one) => `- ${evidenceText(one)}`).join('\n')
  return [
    'Your changes were verified, and the verification failed. Fix what it found, run the failing commands again, and say what you changed.',
    summary,
    found,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** "The test fails (`npm test`, exit code 1, src/a.ts:3)", and the output below it, indented. */
export function evidenceText({ claim, command, exitCode, location, output }: Evidence): string {
  const lines = output === undefined ? '' : `\n${output}`.replaceAll('\n', '\n    ')
  const facts = [
    command === null ? null : `\`${command}\``,
    exitCode === null ? null : `exit code ${exitCode}`,
    location,
  ].filter((fact) => fact !== null)
  return `${facts.length === 0 ? claim : `${claim} (${facts.join(', ')})`}${lines}`
}
