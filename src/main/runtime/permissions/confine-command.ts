/**
 * Decides where a command runs: in the sandbox, unless its agent asks to run it outside, the user's settings say so, or
 * the sandbox would prevent what it is known to do.
 */
import type { Confinement } from '../../../shared/permissions/confinement.ts'
import type { SandboxPolicy } from '../ports/sandbox.ts'
import type { PermissionTarget } from '../ports/tool.ts'
import type { Concern } from './concern.ts'
import type { PermissionConcern, PermissionDecision } from './permission-concern.ts'
import { parseShell } from './shell/parse-shell.ts'
import { commandParts } from './shell/walk-commands.ts'

/** `failsInSandbox`: the sandbox prevents what the user is asked about, or what is allowed. */
export type CommandDecision = PermissionDecision & { readonly failsInSandbox?: true }

type Judge = (question: PermissionConcern, command: string) => Promise<CommandDecision>

/** The decision, and the question that it answers. */
interface Confined {
  readonly question: PermissionConcern
  readonly decision: PermissionDecision
}

export async function confineCommand(
  question: PermissionConcern,
  { command, outside = false }: PermissionTarget & { kind: 'command' },
  judge: Judge,
): Promise<Confined> {
  const { sandbox } = question
  if (!sandbox) return { question, decision: await judge(question, command) }
  const runsOutside = isExcluded(command, sandbox)
  if (outside || runsOutside) {
    if (!sandbox.mayLeave && !runsOutside) return { question, decision: deny(staysInside) }
    return { question, decision: run(withoutMark(await judge(question, command)), 'outside') }
  }
  const onlyReads = question.agent.readOnly || question.mode === 'plan'
  const confined = { ...question, confined: onlyReads ? 'read-only' : 'sandbox' } as const
  const judged = await judge(confined, command)
  const inside = { question: confined, decision: run(withoutMark(judged), confined.confined) }
  if (!judged.failsInSandbox) return inside
  if (!sandbox.mayLeave)
    return judged.kind === 'allow'
      ? inside
      : { question, decision: deny(`${staysInside} It prevents this: ${judged.because}`) }
  const beyond = run(withoutMark(await judge(question, command)), 'outside')
  if (judged.kind === 'allow' && beyond.kind !== 'allow') return inside
  // Of several reasons, the user reads the one for which the command leaves the sandbox.
  return { question, decision: beyond.kind === 'ask' ? { ...beyond, because: judged.because } : beyond }
}

/** Whether the user's settings keep a command out of the sandbox. */
export const isExcluded = (command: string, { excluded }: Pick<SandboxPolicy, 'excluded'>): boolean =>
  excluded.some((start) => hasPart(command, start))

const withoutMark = ({ failsInSandbox: _, ...decision }: CommandDecision): PermissionDecision => decision

/** Whether a concern does not matter for a command that can only touch its agent's folder. */
export function settledBySandbox({ weight, inSandbox }: Concern): boolean {
  return weight === 'plain' && inSandbox === undefined
}

const staysInside =
  "The user's settings keep all commands in the sandbox, so this one was not run. Do it within your folder and without the network, or report what the user should do."

const deny = (because: string): PermissionDecision => ({ kind: 'deny', because })

function run(decision: PermissionDecision, confinement: Confinement): PermissionDecision {
  if (decision.kind === 'deny') return decision
  if (decision.kind === 'allow') return { ...decision, confinement }
  return { ...decision, confinement, subject: { ...decision.subject, confinement } }
}

/** Whether a part of the command line begins with these words. */
function hasPart(command: string, start: string): boolean {
  const parsed = parseShell(command)
  const wanted = start
    .replace(/(:\*|\s\*)$/, '')
    .split(/\s+/)
    .filter((word) => word !== '')
  if (!parsed.ok || wanted.length === 0) return false
  return commandParts(parsed.list, '/').some(({ command: { words } }) =>
    wanted.every((word, index) => words[index]?.value === word),
  )
}
