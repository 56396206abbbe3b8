/**
 * Runs of test cases: as many attempts at once as agents may run, each exactly once, within the budget. What has ended is
 * on the disk at once, so a run that was interrupted goes on with the rest.
 */
import type { AgentTestsProgress, CaseAttempt, TestRun } from '../../../shared/agent-tests/agent-tests.ts'
import type { CommandOutput } from '../../../shared/ipc/ipc-contract.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { identityOf, isRunning, type ProcessIdentity } from '../../platform/system/process-identity.ts'
import type { MemorySource, SkillSource } from '../../runtime/ports/definitions.ts'
import type { ModelCatalog } from '../../runtime/ports/model.ts'
import type { Policy } from '../../runtime/ports/ports.ts'
import type { AttemptFolders } from './attempt-folders.ts'
import type { LoadedVersion } from './definition-versions.ts'
import {
  isBeyondBudget,
  type LiveCell,
  type LiveRun,
  madeIn,
  nextOf,
  overBudget,
  runSpending,
  runTitle,
  unpricedVersion,
  type WantedRun,
} from './live-run.ts'
import { expectedCosts, type PlannedCell, planRun } from './plan-run.ts'
import type { ResultsLog, StoredRun } from './results-log.ts'
import type { AttemptEnd, AttemptJob, AttemptStep } from './run-attempt.ts'

export interface TestRuns {
  /** The runs of a folder, the newest first, and their attempts. */
  results(
    folder: string,
  ): Promise<{ readonly runs: readonly TestRun[]; readonly attempts: readonly CaseAttempt[] }>
  estimate(
    wanted: Omit<WantedRun, 'maxUsd' | 'stopsWhenClear'>,
  ): Promise<CommandOutput<'agentTests.estimate'>>
  /** Fails with `busy`, `no-price` or `io`. */
  start(wanted: WantedRun): Promise<Result<{ readonly runId: string }>>
  /** Goes on with an interrupted run. Fails with `not-found`, `busy` or `io`. @param wanted what it was asked for */
  resume(runId: string, wanted: WantedRun): Promise<Result<void>>
  /** Resolves when its attempts have ended and their folders are gone. Fails with `not-found`. */
  stop(runId: string): Promise<Result<void>>
  /** Resolves when the run has ended; at once where it does not run here. */
  ended(runId: string): Promise<void>
  /** The attempts that a run consists of, those of earlier runs included. Of one that ran in this program. */
  attemptsOf(runId: string): readonly CaseAttempt[]
  /** Calls back with what changed. @returns the function that stops watching */
  watch(listener: (progress: AgentTestsProgress) => void): () => void
  /** Ends all attempts; their runs can go on later. */
  close(): Promise<void>
}

export interface RunParts {
  readonly log: ResultsLog
  readonly folders: AttemptFolders
  readonly skills: Pick<SkillSource, 'load'>
  readonly memory: Pick<MemorySource, 'load'>
  readonly models: Pick<ModelCatalog, 'facts'>
  readonly policy: Pick<Policy, 'maxParallelAgents'>
  readonly isTrusted: (folder: string) => boolean
  readonly isRehearsal: () => boolean
  readonly attempt: (
    job: AttemptJob,
    how: {
      readonly signal: AbortSignal
      readonly onStep: (step: AttemptStep) => void
      readonly onSpent: (usd: number) => void
    },
  ) => Promise<AttemptEnd>
  /** When a run has ended and is recorded. */
  readonly onEnd: () => void
  readonly onProblem: (message: string) => void
  readonly newKey: () => string
  /** ms since the epoch. */
  readonly now: () => number
}

/** Of attempts that end with the program nothing is recorded. */
const CLOSING = 'Troupe was closed.'

export function createTestRuns(parts: RunParts): TestRuns {
  const { log, folders, policy, newKey, now } = parts
  const live = new Map<string, LiveRun>()
  /** The last state of runs that have ended here. */
  const endedHere = new Map<string, LiveRun>()
  const listeners = new Set<(progress: AgentTestsProgress) => void>()
  let self: Promise<ProcessIdentity> | null = null
  let isClosing = false

  const tell = (folder: string, runs: readonly TestRun[], attempts: readonly CaseAttempt[]): void => {
    for (const listener of listeners) listener({ folder, runs, attempts })
  }

  async function record(folder: string, entry: StoredRun | { readonly attempt: CaseAttempt }): Promise<void> {
    const written = await log.append(folder, entry)
    if (!written.ok) parts.onProblem(written.failure.message)
  }

  async function results(folder: string) {
    const stored = await log.read(folder)
    const states = new Map<string, TestRun>()
    self ??= identityOf(process.pid)
    const { pid, start } = await self
    for (const { run, owner } of stored.runs.values()) {
      const isElsewhere = async () => (owner.pid !== pid || owner.start !== start) && (await isRunning(owner))
      const isLost = run.state === 'running' && !live.has(run.id) && !(await isElsewhere())
      states.set(run.id, isLost ? { ...run, state: 'interrupted' } : run)
    }
    const attempts = new Map(stored.attempts)
    for (const { run, wanted, cells } of live.values()) {
      if (wanted.folder !== folder) continue
      states.set(run.id, run)
      for (const cell of cells) for (const [id, attempt] of cell.attempts) attempts.set(id, attempt)
    }
    const runs = [...states.values()].sort((a, b) => b.startedAt - a.startedAt)
    return { runs, attempts: [...attempts.values()] }
  }

  async function costsIn(folder: string) {
    const { runs, attempts } = await results(folder)
    const models = new Map(
      runs.flatMap(({ versions }) => versions.map(({ id, model }) => [id, model] as const)),
    )
    return (more: readonly CaseAttempt[], versions: readonly LoadedVersion[]) => {
      for (const { id, model } of versions) models.set(id, model)
      return expectedCosts([...attempts, ...more], (id) => models.get(id))
    }
  }

  async function plan(runId: string, wanted: Omit<WantedRun, 'maxUsd' | 'stopsWhenClear'>) {
    const { attempts } = await log.read(wanted.folder)
    const earlier = [...attempts.values()].filter((attempt) => !wanted.isFresh || attempt.runId === runId)
    return planRun(parts, { ...wanted, runId, earlier })
  }

  async function begin(run: TestRun, wanted: WantedRun): Promise<Result<void>> {
    if (isClosing) return fail({ type: 'busy', message: 'Troupe is closing.' })
    const isBusy = () => [...live.values()].some((other) => other.wanted.folder === wanted.folder)
    // Another program may work here, which would make the same attempts.
    const { runs } = await results(wanted.folder)
    if (isBusy() || runs.some(({ state }) => state === 'running')) return fail(BUSY)
    const working: LiveRun = {
      ...{ run, wanted, isFresh: wanted.isFresh },
      cells: [],
      stop: new AbortController(),
      spending: new Map(),
      done: Promise.resolve(),
    }
    // Before the plan is made: of two runs that begin at once, only one may.
    live.set(run.id, working)
    const drop = async () => {
      live.delete(run.id)
      await folders.removeRun(run.id)
    }
    const made = await plan(run.id, wanted).catch(async (thrown: unknown) => {
      await drop()
      throw thrown
    })
    const cells = made.map((cell): LiveCell => {
      const waiting = cell.numbers.map((number) => waitingAttempt(run.id, cell, number))
      return { ...cell, waiting, attempts: new Map(waiting.map((each) => [each.id, each])) }
    })
    const reused = cells.flatMap((cell) => cell.reused).filter(({ runId }) => runId !== run.id).length
    const planned: LiveRun = { ...working, cells, run: { ...run, reused } }
    live.set(run.id, planned)
    self ??= identityOf(process.pid)
    const written = await log.append(wanted.folder, {
      run: planned.run,
      owner: await self,
      isFresh: wanted.isFresh,
    })
    if (!written.ok) {
      await drop()
      return written
    }
    tell(
      wanted.folder,
      [planned.run],
      cells.flatMap(({ waiting }) => waiting),
    )
    planned.done = work(planned)
      .catch((thrown: unknown) => parts.onProblem(`A run of test cases broke off: ${messageOf(thrown)}`))
      .finally(() => live.delete(run.id))
    return ok(undefined)
  }

  const waitingAttempt = (
    runId: string,
    { case: its, version, key, content }: PlannedCell,
    number: number,
  ): CaseAttempt => ({
    // It names the folder of the attempt: a script, which has no luck of its own, tells attempts apart by their numbers.
    id: `${newKey()}-${number}`,
    ...{ runId, key, content, caseFile: its.file, versionId: version.id, number },
    ...{ state: 'waiting', because: null, checks: [], usd: null, tokens: 0, turns: 0, ms: 0 },
    ...{ conversationId: null, agentId: null, at: now() },
  })

  /** Gives each freed place to the next attempt, until none is left or the run is stopped. */
  async function work(current: LiveRun): Promise<void> {
    const { wanted, stop } = current
    const costsOf = await costsIn(wanted.folder)
    const running = new Set<Promise<void>>()
    for (;;) {
      while (running.size < policy.maxParallelAgents && !stop.signal.aborted) {
        const next = nextOf(current)
        if (next === null) break
        const expected = costsOf(madeIn(current), wanted.versions)
        if (isBeyondBudget(current, next, expected)) {
          // A running one may turn out cheaper.
          if (running.size > 0) break
          stop.abort(overBudget(current))
          break
        }
        const attempt = next.cell.waiting.splice(next.at, 1)[0]
        if (attempt === undefined) break
        const one = carryOut(current, next.cell, attempt).finally(() => running.delete(one))
        running.add(one)
      }
      if (running.size === 0) break
      await Promise.race(running)
    }
    await end(current)
  }

  async function carryOut(current: LiveRun, cell: LiveCell, attempt: CaseAttempt): Promise<void> {
    const { run, wanted, stop, spending } = current
    const show = (step: AttemptStep): CaseAttempt => {
      const changed = { ...(cell.attempts.get(attempt.id) ?? attempt), ...step, at: now() }
      cell.attempts.set(attempt.id, changed)
      tell(wanted.folder, [], [changed])
      return changed
    }
    show({ state: 'running' })
    const ended = cell.start.ok
      ? await parts.attempt(
          {
            ...{ runId: run.id, attemptId: attempt.id, number: attempt.number, folder: wanted.folder },
            ...{ case: cell.case, version: cell.version, start: cell.start.value },
            maxUsd: wanted.maxUsd === null ? null : Math.max(wanted.maxUsd - runSpending(current), 0.0001),
            title: `Test: ${cell.case.name}`,
          },
          {
            signal: stop.signal,
            onStep: show,
            onSpent(usd) {
              spending.set(attempt.id, usd)
              if (wanted.maxUsd !== null && runSpending(current) >= wanted.maxUsd)
                stop.abort(overBudget(current))
            },
          },
        )
      : { step: { state: 'broken' as const, because: cell.start.failure.message }, cause: null }
    if (stop.signal.reason === CLOSING) return
    const changed = show(ended.step)
    if (changed.usd !== null) spending.set(attempt.id, changed.usd)
    await record(wanted.folder, { attempt: changed })
    current.run = { ...current.run, usd: runSpending(current) }
    tell(wanted.folder, [current.run], [])
    if (ended.cause !== null && ENDS_THE_RUN.has(ended.cause)) stop.abort(changed.because ?? '')
  }

  async function end(current: LiveRun): Promise<void> {
    const { wanted, stop, cells } = current
    await folders.removeRun(current.run.id)
    if (stop.signal.reason === CLOSING) return
    const isStopped = stop.signal.aborted
    const because = isStopped ? String(stop.signal.reason) : null
    const left: CaseAttempt[] = []
    for (const cell of cells)
      for (const attempt of cell.waiting.splice(0)) {
        // Nobody waits for attempts that a clear answer made needless.
        if (!isStopped) cell.attempts.delete(attempt.id)
        const changed: CaseAttempt = { ...attempt, state: 'stopped', because: because ?? CLEAR, at: now() }
        if (isStopped) cell.attempts.set(attempt.id, changed)
        left.push(changed)
      }
    current.run = {
      ...current.run,
      state: isStopped ? 'stopped' : 'ended',
      because,
      endedAt: now(),
      usd: runSpending(current),
    }
    self ??= identityOf(process.pid)
    await record(wanted.folder, { run: current.run, owner: await self, isFresh: current.isFresh })
    endedHere.set(current.run.id, current)
    tell(wanted.folder, [current.run], left)
    parts.onEnd()
  }

  return {
    results,
    async estimate(wanted) {
      const runId = `e-${newKey()}`
      try {
        const cells = await plan(runId, { ...wanted })
        const costs = (await costsIn(wanted.folder))([], wanted.versions)
        const each = cells.map((cell) => ({
          count: cell.numbers.length,
          ...costs(cell.case.file, cell.version.model),
        }))
        const sum = (of: (cell: (typeof each)[number]) => number | null): number | null =>
          each.some((cell) => cell.count > 0 && of(cell) === null)
            ? null
            : each.reduce((total, cell) => total + cell.count * (of(cell) ?? 0), 0)
        const ms = sum((cell) => cell.ms)
        const attempts = each.reduce((total, { count }) => total + count, 0)
        const atOnce = Math.max(1, Math.min(policy.maxParallelAgents, attempts))
        return {
          attempts,
          reused: cells.reduce((total, { reused }) => total + reused.length, 0),
          usd: parts.isRehearsal() ? 0 : sum((cell) => cell.usd),
          ms: ms === null ? null : Math.round(ms / atOnce),
        }
      } finally {
        await folders.removeRun(runId)
      }
    },

    async start(wanted) {
      const unpriced = parts.isRehearsal() ? null : unpricedVersion(wanted, parts.models)
      if (wanted.maxUsd !== null && unpriced !== null) return fail(noPrice(unpriced))
      const run: TestRun = {
        ...{ id: newKey(), agent: wanted.agent, title: runTitle(wanted) },
        versions: wanted.versions.map(({ definition: _, ...version }) => version),
        caseFiles: wanted.cases.map(({ file }) => file),
        ...{ attempts: wanted.attempts, maxUsd: wanted.maxUsd, stopsWhenClear: wanted.stopsWhenClear },
        ...{ state: 'running', because: null, startedAt: now(), endedAt: null, reused: 0, usd: 0 },
      }
      const begun = await begin(run, wanted)
      return begun.ok ? ok({ runId: run.id }) : begun
    },

    async resume(runId, wanted) {
      const { runs } = await results(wanted.folder)
      const run = runs.find(({ id }) => id === runId)
      if (run === undefined) return fail(NO_RUN)
      if (run.state === 'running') return fail(BUSY)
      return begin({ ...run, state: 'running', because: null, endedAt: null }, wanted)
    },

    async stop(runId) {
      const current = live.get(runId)
      if (current === undefined) return fail(NO_RUN)
      current.stop.abort('You stopped the run.')
      await current.done
      return ok(undefined)
    },

    ended: async (runId) => live.get(runId)?.done,

    attemptsOf(runId) {
      const cells = (live.get(runId) ?? endedHere.get(runId))?.cells ?? []
      return cells.flatMap((cell) =>
        [...cell.reused, ...cell.attempts.values()].sort((a, b) => a.number - b.number),
      )
    },

    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    async close() {
      isClosing = true
      const all = [...live.values()]
      for (const { stop } of all) stop.abort(CLOSING)
      await Promise.all(all.map(({ done }) => done))
    },
  }
}

const CLEAR = 'The answer was clear before.'

/** After these failures every other attempt would fail in the same way. */
const ENDS_THE_RUN: ReadonlySet<string> = new Set([
  'auth',
  'no-access',
  'not-trusted',
  'not-allowed',
  'folder-gone',
  'io',
])

const BUSY = {
  type: 'busy',
  message: 'A run works in this folder already, here or in another Troupe. Wait for it, or stop it.',
}
const NO_RUN = { type: 'not-found', message: 'This run does not work in this program.' }
const noPrice = (model: string) => ({
  type: 'no-price',
  message: `What ${model} costs is not known, so no budget can be kept. Run it without one.`,
})
