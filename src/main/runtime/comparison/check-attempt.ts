/**
 * Runs the check of an attempt in its worktree after the agent's end. The user gave the command, so a call that would be
 * asked about runs; rules that deny it and the sandbox hold as for agents. The checks of a conversation run one after
 * another: they may use the same ports and the same processor.
 */

import {
  type Attempt,
  type AttemptCheck,
  attemptOf,
  type Comparison,
} from '../../../shared/comparison/comparison.ts'
import { durationOf } from '../../../shared/kernel/amounts.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Happening } from '../conversation/happening.ts'
import type { PermitDeps } from '../permissions/decide-call.ts'
import { limitsOfUserCommand } from '../permissions/user-command-limits.ts'
import type { CommandLimits } from '../ports/sandbox.ts'
import type { ShellEnd } from '../ports/shell.ts'

const LONGEST_CHECK_MS = 600_000
const LONGEST_OUTPUT = 8000

/** What is checked: one attempt with its agent. */
interface Subject {
  readonly comparison: Comparison
  readonly attempt: Attempt
  readonly state: AgentState
  readonly command: string
}

/** Checks an attempt whose agent has ended by itself and left work, after the work was saved. */
export function checkSettled(conversation: Conversation, happened: Happening): undefined {
  if (happened.type !== 'run-settled') return
  const subject = subjectOf(conversation, happened.agentId)
  if (subject === null || !isWorthChecking(subject.state)) return
  begin(conversation, subject)
}

/** Runs the check again, on the user's wish. Fails with `not-found` or `not-possible`. */
export function checkAgain(conversation: Conversation, agentId: string): Result<void> {
  const found = attemptOf(conversation.file.record.comparisons, agentId)
  if (found === null) return fail({ type: 'not-found', message: 'This agent is part of no comparison.' })
  const subject = subjectOf(conversation, agentId)
  if (subject === null) return notPossible('This comparison has no check.')
  if (isLive(subject.state) || conversation.agents.get(agentId)?.isRunning)
    return notPossible('The agent still works. Its check runs when it has ended.')
  if (subject.state.work?.unchanged !== false) return notPossible('This agent changed nothing to check.')
  begin(conversation, subject)
  return ok(undefined)
}

const notPossible = (message: string) => fail({ type: 'not-possible', message })

function subjectOf({ file, agents }: Conversation, agentId: string): Subject | null {
  const found = attemptOf(file.record.comparisons, agentId)
  const state = agents.state(agentId)
  const command = found?.comparison.command ?? null
  return found === null || state === null || command === null ? null : { ...found, state, command }
}

const isWorthChecking = ({ status, work }: AgentState): boolean =>
  (status === 'completed' || status === 'failed') && work?.unchanged === false

/** Shows the check as waiting, and runs it when it is its turn. An earlier check of the agent is ended. */
function begin(conversation: Conversation, subject: Subject): void {
  const { checks, lifetime } = conversation
  const agentId = subject.attempt.agentId
  checks.running.get(agentId)?.abort()
  const controller = new AbortController()
  checks.running.set(agentId, controller)
  const signal = AbortSignal.any([controller.signal, lifetime.signal])
  record(conversation, subject, { ...unended, state: 'waiting' })
  conversation.keepOpenFor(
    checks.order.withLock('', async () => {
      if (checks.running.get(agentId) === controller && !signal.aborted) {
        record(conversation, subject, unended)
        // On the disk before the command runs: after a crash the user must know that it did.
        await conversation.file.save()
      }
      const check = await checked(conversation, subject, signal)
      // A newer check of this agent has shown itself as waiting.
      if (checks.running.get(agentId) !== controller) return
      checks.running.delete(agentId)
      record(conversation, subject, check)
      await conversation.file.save()
    }),
  )
}

type Outcome = Omit<AttemptCheck, 'at'>

const unended: Outcome = {
  state: 'running',
  exitCode: null,
  ms: 0,
  output: '',
  isCut: false,
  because: null,
  changedFiles: false,
}

function record({ file, ports }: Conversation, { comparison, attempt }: Subject, check: Outcome): void {
  file.emit({
    type: 'comparison-checked',
    comparisonId: comparison.id,
    agentId: attempt.agentId,
    check: { ...check, at: ports.clock.now() },
  })
}

const notRun = (because: string): Outcome => ({ ...unended, state: 'not-run', because })

async function checked(conversation: Conversation, subject: Subject, signal: AbortSignal): Promise<Outcome> {
  const { ports } = conversation
  if (signal.aborted) return notRun(STOPPED)
  try {
    const limits = await limitsFor(conversation, subject, signal)
    if (!limits.ok) return notRun(limits.failure.message)
    const { worktree, cwd } = subject.state
    const treeOf = async () => {
      const state = await ports.worktrees.stateOf(cwd, conversation.lifetime.signal)
      return state.ok ? state.value.tree : null
    }
    const before = await treeOf()
    const startedAt = ports.clock.now()
    const ran = await ports.shell.run({
      command: subject.command,
      cwd,
      timeoutMs: LONGEST_CHECK_MS,
      signal,
      onOutput: () => {},
      // As a command in the background: when Troupe is killed, the next start ends it with all that it has started.
      onLines: () => {},
      ...(limits.value && { limits: limits.value }),
      ...(worktree && { environment: ports.worktrees.environment(worktree) }),
    })
    const ms = ports.clock.now() - startedAt
    if (!ran.ok) return notRun(ran.failure.message)
    const after = before === null ? null : await treeOf()
    return { ...outcomeOf(ran.value, limits.value), ms, changedFiles: after !== null && after !== before }
  } catch (thrown) {
    return notRun(`Internal error: ${messageOf(thrown)}`)
  }
}

const STOPPED = 'You stopped it.'

async function limitsFor(
  { ports, loop, file }: Conversation,
  { state, command }: Subject,
  signal: AbortSignal,
): Promise<Result<CommandLimits | null>> {
  const { cwd, worktree, definition, permissionMode } = state
  return limitsOfUserCommand(
    loop satisfies PermitDeps,
    {
      ...{ command, cwd, project: file.record.folder, agentId: state.id, permissionMode },
      worktree: worktree && { ...worktree, environment: ports.worktrees.environment(worktree) },
      readFolders: definition.readFolders,
      definition,
    },
    signal,
  )
}

function outcomeOf(end: ShellEnd, limits: CommandLimits | null): Outcome {
  const { exitCode, ended, refusedHosts = [] } = end
  const output = end.output.trimEnd()
  const isCut = output.length > LONGEST_OUTPUT
  const shown = { ...unended, exitCode, output: isCut ? output.slice(-LONGEST_OUTPUT) : output, isCut }
  if (ended === 'aborted') return { ...shown, state: 'not-run', because: STOPPED }
  if (ended === 'timeout')
    return { ...shown, state: 'not-run', because: `It was ended after ${durationOf(LONGEST_CHECK_MS)}.` }
  const hosts =
    limits === null || refusedHosts.length === 0
      ? null
      : `The sandbox refused connections to ${refusedHosts.join(', ')}.`
  const because = exitCode === null ? 'A signal ended it.' : hosts
  return { ...shown, state: exitCode === 0 ? 'passed' : 'failed', because }
}
