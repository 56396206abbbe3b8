/**
 * One attempt: an agent that nobody waits for carries out the task of a case in a folder of its own. It is a trial, whose
 * conversation is kept. Then the checks are carried out, and the folder is removed.
 */
import type { AgentCase, CaseAttempt, CheckResult } from '../../../shared/agent-tests/agent-tests.ts'
import type { AgentEvent, PermissionSubject } from '../../../shared/events/agent-event.ts'
import { type Failure, fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import type { SlashCommands } from '../../../shared/slash/slash-command.ts'
import { readSlashLine } from '../../../shared/slash/slash-line.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { describeLimit } from '../../../shared/state/spending.ts'
import type { Policy } from '../../runtime/ports/ports.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import type { CommandLimits } from '../../runtime/ports/sandbox.ts'
import type { Shell } from '../../runtime/ports/shell.ts'
import type { Worktrees } from '../../runtime/ports/worktrees.ts'
import { FinalReports, stoppedAt } from '../run/run-outcome.ts'
import type { AttemptFolder, AttemptFolders, AttemptStart } from './attempt-folders.ts'
import type { LoadedVersion } from './definition-versions.ts'
import { askForVote } from './opinion.ts'
import { type CommandEnd, LONGEST_CHECK, runChecks } from './run-checks.ts'

export interface AttemptParts {
  readonly folders: AttemptFolders
  readonly runtime: Pick<
    Runtime,
    'tryOut' | 'endTrial' | 'dispatch' | 'settled' | 'snapshot' | 'state' | 'subscribe'
  >
  readonly policy: Pick<Policy, 'limits'>
  readonly shell: Pick<Shell, 'run'>
  readonly worktrees: Pick<Worktrees, 'environment'>
  /** The limits of the sandbox for a check; null: there is none. Fails with `denied`. */
  readonly limitsOf: (
    given: {
      readonly command: string
      readonly cwd: string
      readonly project: string
      readonly worktree: AttemptFolder['worktree'] & {
        readonly environment: Readonly<Record<string, string>>
      }
      readonly agentId: string
    },
    signal: AbortSignal,
  ) => Promise<Result<CommandLimits | null>>
  /** The text of a task that begins with a command: `/review src`. */
  readonly expand: SlashCommands['expand']
  /** ms, for durations. */
  readonly elapsed: () => number
}

export interface AttemptJob {
  readonly runId: string
  readonly attemptId: string
  readonly number: number
  readonly folder: string
  readonly case: AgentCase
  readonly version: LoadedVersion
  readonly start: AttemptStart
  /** What the run may still spend, US dollars; null: it has no budget. */
  readonly maxUsd: number | null
  readonly title: string
}

/** What becomes of an attempt, step by step. */
export type AttemptStep = Pick<CaseAttempt, 'state'> & Partial<CaseAttempt>

/** How an attempt ended. `cause`: the type of the failure that broke it, for the run; null: none. */
export interface AttemptEnd {
  readonly step: AttemptStep
  readonly cause: string | null
}

/** Aborting the signal stops the attempt; its reason is a sentence. Never rejects. */
export async function runAttempt(
  parts: AttemptParts,
  job: AttemptJob,
  {
    signal,
    onStep,
    onSpent,
  }: {
    readonly signal: AbortSignal
    readonly onStep: (step: AttemptStep) => void
    /** US dollars of the attempt so far. */
    readonly onSpent: (usd: number) => void
  },
): Promise<AttemptEnd> {
  let made: AttemptFolder | null = null
  try {
    const folder = await parts.folders.make(job.start, {
      runId: job.runId,
      id: job.attemptId,
      number: job.number,
    })
    if (!folder.ok) return broken(folder.failure)
    made = folder.value
    return await attemptIn(made, { parts, job, signal, onStep, onSpent })
  } catch (thrown) {
    return broken({ type: 'bug', message: `Internal error: ${sentence(messageOf(thrown))}` })
  } finally {
    if (made !== null) parts.folders.remove(made)
  }
}

interface Attempting {
  readonly parts: AttemptParts
  readonly job: AttemptJob
  readonly signal: AbortSignal
  readonly onStep: (step: AttemptStep) => void
  readonly onSpent: (usd: number) => void
}

async function attemptIn(folder: AttemptFolder, attempting: Attempting): Promise<AttemptEnd> {
  const { parts, job, signal, onStep } = attempting
  const { runtime } = parts
  const began = parts.elapsed()
  const created = await runtime.tryOut(trialOf(folder, attempting))
  if (!created.ok) return broken(created.failure)
  const conversationId = created.value.id
  try {
    const ran = await carryOut(conversationId, attempting)
    if (!ran.ok)
      return ran.failure.type === 'needs-permission'
        ? { step: { state: 'failed', because: ran.failure.message, conversationId }, cause: null }
        : broken(ran.failure, { conversationId })
    const { watched, states, main } = ran.value
    const spent = figuresOf(states, parts.elapsed() - began)
    const step = { ...spent, conversationId, agentId: main.id }
    const early = endBeforeChecks({ main, watched, signal })
    if (early !== null) return { ...early, step: { ...step, ...early.step } }
    onStep({ state: 'checking', ...step })
    const checked = await check(folder, { main, watched, attempting })
    if (signal.aborted) return stopped(signal, step)
    if (!checked.ok) return broken(checked.failure, step)
    const { results, usd } = checked.value
    const limit = limitOf(main, job)
    const isPassed = limit === null && results.every(({ passed }) => passed)
    return {
      step: {
        ...step,
        usd: spent.usd === null ? null : spent.usd + usd,
        state: isPassed ? 'passed' : 'failed',
        because: limit,
        checks: results,
      },
      cause: null,
    }
  } finally {
    await runtime.endTrial(conversationId)
  }
}

function trialOf(folder: AttemptFolder, { parts, job }: Attempting): Parameters<Runtime['tryOut']>[0] {
  const { case: its, version, maxUsd } = job
  const { permissions, limits, role } = its
  const usual = parts.policy.limits.background
  const given = [limits.usd, maxUsd].filter((each) => each !== null)
  // A limit that nobody chose does not refuse models without a known price.
  const usd = given.length > 0 ? Math.min(...given) : usual.usdByDefault ? undefined : usual.usd
  return {
    folder: job.folder,
    definition: {
      ...version.definition,
      isolation: null,
      // What it learned in one attempt would help it in the next.
      memory: null,
      initialPrompt: role === 'main' ? version.definition.initialPrompt : null,
    },
    ...(version.definition.program === undefined && { model: version.model }),
    effort: null,
    thinking: null,
    permissionMode: permissions.mode,
    ...(limits.turns !== null && { maxTurns: limits.turns }),
    limits: {
      tokens: limits.tokens ?? usual.tokens,
      ...(usd !== undefined && { usd }),
      ms: limits.ms ?? usual.ms,
      spawns: null,
    },
    test: {
      title: job.title,
      role,
      worktree: folder.worktree,
      cwd: folder.cwd,
      allowed: permissions.allow,
      denied: permissions.deny,
    },
  }
}

/** What an attempt's agents did, while they did it. */
interface Watched {
  readonly reports: FinalReports
  readonly tools: readonly string[]
  /** The first request that nobody answers, as the end of a sentence; null: none. */
  readonly request: string | null
  readonly requests: readonly string[]
}

interface Ran {
  readonly watched: Watched
  readonly states: readonly AgentState[]
  readonly main: AgentState
}

/** Gives the agent its task, and waits for its end. */
async function carryOut(
  conversationId: string,
  { parts, job, signal, onStep, onSpent }: Attempting,
): Promise<Result<Ran>> {
  const { runtime } = parts
  const reports = new FinalReports()
  const [tools, requests]: [string[], string[]] = [[], []]
  const costs = new Map<string, number>()
  let request: string | null = null
  const stop = () => void runtime.dispatch({ type: 'conversation.stop', conversationId })
  const take = (event: AgentEvent) => {
    reports.take(event)
    if (event.type === 'tool-started') tools.push(event.name)
    if (event.type !== 'permission-asked' && event.type !== 'form-opened') return
    requests.push(event.toolName)
    request ??=
      event.type === 'form-opened'
        ? `its call of ${event.toolName} asks the user`
        : `it wanted to ${wish(event.subject)}`
    stop()
  }
  const unsubscribe = runtime.subscribe((delta) => {
    if (delta.type !== 'event' || delta.conversationId !== conversationId) return
    take(delta.event)
    const { agentId } = delta.event
    costs.set(agentId, runtime.state(conversationId, agentId)?.costUsd ?? 0)
    onSpent([...costs.values()].reduce((sum, usd) => sum + usd, 0))
  })
  signal.addEventListener('abort', stop, { once: true })
  try {
    if (signal.aborted) return fail({ type: 'stopped', message: 'Stopped before it began.' })
    const content = await taskText({ parts, job, conversationId, signal })
    if (!content.ok) return content
    const sent = await runtime.dispatch({
      type: 'conversation.send',
      ...{ conversationId, agentId: null, content: content.value },
    })
    if (!sent.ok) return sent
    onStep({ state: 'running', conversationId })
    if (signal.aborted || request !== null) stop()
    const main = await runtime.settled(conversationId)
    const snapshot = await runtime.snapshot(conversationId)
    if (!snapshot.ok) return snapshot
    return ok({ watched: { reports, tools, requests, request }, states: snapshot.value.agents, main })
  } finally {
    signal.removeEventListener('abort', stop)
    unsubscribe()
  }
}

/** "write src/a.ts", "run a command: npm test". */
function wish({ kind, action, text }: PermissionSubject): string {
  const [line = ''] = text.split('\n', 1)
  return kind === 'diff' || action.endsWith(` ${line}`) ? action : `${action}: ${line.slice(0, 200)}`
}

/** What the agent is told. A command that needs a permission first fails, as its agent would. */
async function taskText({
  parts,
  job,
  conversationId,
  signal,
}: Pick<Attempting, 'parts' | 'job' | 'signal'> & { readonly conversationId: string }): Promise<
  Result<string>
> {
  const { task } = job.case
  if (readSlashLine(task) === null) return ok(task)
  const asked = { folder: job.folder, line: task, agent: { conversationId, agentId: null }, approved: [] }
  const expanded = await parts.expand(asked, signal)
  return expanded.ok ? ok(expanded.value.text) : expanded
}

function figuresOf(states: readonly AgentState[], ms: number) {
  const isKnown = states.every(({ priced }) => priced)
  const sum = (of: (state: AgentState) => number) => states.reduce((total, state) => total + of(state), 0)
  return {
    usd: isKnown ? sum(({ costUsd }) => costUsd) : null,
    tokens: sum(({ countedTokens }) => countedTokens),
    turns: sum(({ turns }) => turns),
    ms: Math.round(ms),
  }
}

/** The end of an attempt whose agent did not end by itself; null: it did. */
function endBeforeChecks({
  main,
  watched,
  signal,
}: Pick<Ran, 'main' | 'watched'> & { readonly signal: AbortSignal }): AttemptEnd | null {
  if (watched.request !== null)
    return {
      step: {
        state: 'failed',
        because: `Nobody answers requests here, and no rule did: ${watched.request}. Allow it in the case where it belongs to the task.`,
      },
      cause: null,
    }
  if (signal.aborted) return stopped(signal)
  const { failure, status } = main
  if (failure !== null)
    return isOfTheModel(failure.type)
      ? broken(failure)
      : { step: { state: 'failed', because: failure.message }, cause: null }
  return status === 'stopped' || status === 'interrupted'
    ? broken({ type: 'stopped', message: 'The agent was stopped.' })
    : null
}

/** Failures of the way to the model, which say nothing about the agent. */
const isOfTheModel = (type: string): boolean =>
  /^(rate-limited|overloaded|server|connection|stalled|auth|not-found|redirected|no-access|not-started|login|program-gone)$/.test(
    type,
  )

const stopped = (signal: AbortSignal, step: Partial<AttemptStep> = {}): AttemptEnd => ({
  step: {
    ...step,
    state: 'stopped',
    because: typeof signal.reason === 'string' ? signal.reason : 'It was stopped.',
  },
  cause: null,
})

const broken = ({ type, message }: Failure, step: Partial<AttemptStep> = {}): AttemptEnd => ({
  step: { ...step, state: type === 'stopped' ? 'stopped' : 'broken', because: message },
  cause: type,
})

/** The limit that the agent reached, as a sentence. */
function limitOf(main: AgentState, { case: { limits } }: AttemptJob): string | null {
  const at = stoppedAt(main, { tokens: limits.tokens, usd: limits.usd, ms: limits.ms, spawns: null })
  if (at === null) return null
  const { limit, most } = at
  const what = most === null ? `a limit of ${limit}` : describeLimit({ limit, of: 'agent', most })
  return `Stopped at ${what}.`
}

/** @returns the results, and what the votes about opinions cost */
async function check(
  folder: AttemptFolder,
  { main, watched, attempting }: Pick<Ran, 'main' | 'watched'> & { readonly attempting: Attempting },
): Promise<Result<{ readonly results: readonly CheckResult[]; readonly usd: number }>> {
  const { parts, job, signal } = attempting
  const { reports, tools, requests } = watched
  const report = reports.of(main.id)
  const changed = await parts.folders.changed(folder)
  if (!changed.ok) return changed
  let usd = 0
  const results = await runChecks(
    job.case.checks,
    { report, tools, requests, changed: changed.value },
    {
      command: (command) => runCommand(command, { folder, main, attempting }),
      vote: async (rubric) => {
        const asked = { folder: job.folder, rubric, task: job.case.task, report, changed: changed.value }
        const vote = await askForVote(parts.runtime, asked, signal)
        if (vote.ok) usd += vote.value.usd
        return vote
      },
    },
  )
  return results.ok ? ok({ results: results.value, usd }) : results
}

async function runCommand(
  command: string,
  {
    folder,
    main,
    attempting,
  }: { readonly folder: AttemptFolder; readonly main: AgentState; readonly attempting: Attempting },
): Promise<Result<CommandEnd>> {
  const { parts, job, signal } = attempting
  const { cwd, worktree } = folder
  const environment = parts.worktrees.environment(worktree)
  const given = { command, cwd, project: job.folder, agentId: main.id }
  const limits = await parts.limitsOf({ ...given, worktree: { ...worktree, environment } }, signal)
  if (!limits.ok) return limits
  const ran = await parts.shell.run({
    ...{ command, cwd, timeoutMs: LONGEST_CHECK, signal, environment },
    onOutput: () => {},
    // As a command in the background: when Troupe is killed, the next start ends it with all that it has started.
    onLines: () => {},
    ...(limits.value && { limits: limits.value }),
  })
  if (!ran.ok) return ran
  const { exitCode, ended, output } = ran.value
  if (ended === 'aborted') return fail({ type: 'stopped', message: 'It was stopped.' })
  return ok({ exitCode, isTimeout: ended === 'timeout', output })
}
