/** Tests of agent definitions: composes cases, versions and runs for the window and the command line. */
import { dirname } from 'node:path'
import type {
  AgentCase,
  AgentTestsProgress,
  AgentTestsSnapshot,
  AgentVersion,
  CaseAttempt,
  VersionRef,
} from '../../../shared/agent-tests/agent-tests.ts'
import { resultsCsv } from '../../../shared/agent-tests/attempt-lines.ts'
import type { agentTestContract } from '../../../shared/agent-tests/contract.ts'
import { isVersionInUse } from '../../../shared/agent-tests/grid.ts'
import { resultsHtml } from '../../../shared/agent-tests/results-html.ts'
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import type { InputOf } from '../../../shared/kernel/command.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { findRepository } from '../../platform/folders/folder-reader.ts'
import type { Platform } from '../../platform/platform.ts'
import type { DefinitionFiles } from '../../runtime/ports/definitions.ts'
import type { Ports } from '../../runtime/ports/ports.ts'
import type { ConversationTrash, TranscriptStore } from '../../runtime/ports/transcripts.ts'
import { createCaseFiles } from './case-files.ts'
import { caseFromAgent } from './case-from-agent.ts'
import {
  createDefinitionVersions,
  type DefinitionVersions,
  dateOf,
  type LoadedVersion,
} from './definition-versions.ts'
import type { WantedRun } from './live-run.ts'
import { chosenCases } from './plan-run.ts'
import { createResultsLog } from './results-log.ts'
import { type AttemptParts, runAttempt } from './run-attempt.ts'
import { createTestRuns, type TestRuns } from './run-tests.ts'

interface AgentTestParts
  extends Pick<Ports, 'definitions' | 'models' | 'policy' | 'skills' | 'memory' | 'shell' | 'worktrees'>,
    Pick<AttemptParts, 'runtime' | 'limitsOf' | 'folders' | 'expand'> {
  readonly store: TranscriptStore
  readonly trash: Pick<ConversationTrash, 'delete'>
  readonly definitionFiles: DefinitionFiles
  /** Whether a script answers instead of a model. */
  readonly isRehearsal: () => boolean
}

/** What the window follows, and what it asks of the program besides the commands. */
interface AgentTests {
  state(folder: string): Promise<AgentTestsSnapshot>
  /** @returns the function that stops watching */
  watch(folder: string, listener: (change: AgentTestsSnapshot | AgentTestsProgress) => void): () => void
  /** The results of an agent, the version in use first. Fails with `no-results`. */
  exported(wanted: {
    readonly folder: string
    readonly agent: string
    readonly form: 'csv' | 'html' | 'jsonl'
  }): Promise<Result<string>>
  /** Begins a run. Fails as `agentTests.run` does. */
  begin(asked: AskedRun): Promise<Result<{ readonly runId: string }>>
  readonly runs: TestRuns
  readonly versions: DefinitionVersions
  /** Stops what runs; it can go on later. */
  close(): Promise<void>
}

export function composeAgentTests(base: Platform, parts: AgentTestParts) {
  const { dataFolder, git, newKey, now, isTrusted, elapsed, onProblem } = base
  const files = createCaseFiles(dataFolder, newKey)
  const versions = createDefinitionVersions({ ...parts, git, now })
  const { folders } = parts
  let dropping: Promise<void> = Promise.resolve()
  const told = (thrown: unknown) =>
    onProblem(`Old transcripts of attempts can’t be deleted: ${messageOf(thrown)}`)
  const runs = createTestRuns({
    ...parts,
    ...{ log: createResultsLog(dataFolder), isTrusted, newKey, now, onProblem },
    attempt: (job, how) => runAttempt({ ...parts, elapsed }, job, how),
    onEnd() {
      dropping = dropping.then(() => dropTranscripts(parts, MOST_TRANSCRIPTS)).catch(told)
    },
  })
  void folders.sweep()
  const watched = new Map<string, Set<(change: AgentTestsSnapshot | AgentTestsProgress) => void>>()
  runs.watch((progress) => {
    for (const listener of watched.get(progress.folder) ?? []) listener(progress)
  })

  async function casesIn(folder: string) {
    const { definitions } = await parts.definitions.load(folder, { trusted: isTrusted(folder) })
    const names = definitions.map(({ name }) => name)
    return { definitions, ...(await files.list(folder, names)) }
  }

  async function state(folder: string): Promise<AgentTestsSnapshot> {
    const { definitions, cases, problems } = await casesIn(folder)
    const count = (name: string) => cases.filter(({ agent }) => agent === name).length
    const shown = definitions.flatMap(({ name, hidden }) =>
      hidden && name !== 'main' && count(name) === 0 ? [] : [name],
    )
    const all = [...new Set([...shown, ...cases.map(({ agent }) => agent)])].sort()
    const needsGit = cases.length > 0 && cases.every(({ start }) => start.type !== 'files')
    const refusal = !isTrusted(folder)
      ? NOT_TRUSTED
      : needsGit && (await findRepository(folder)) === null
        ? NO_GIT
        : null
    return {
      folder,
      agents: all.map((name) => ({ name, cases: count(name) })),
      cases,
      problems,
      refusal,
      // Last: progress that is told meanwhile must not be older than the snapshot that follows it.
      ...withRenamed(await withFormer(folder), cases),
    }
  }

  /** The results; versions that were in use when they ran, and are no longer, are called by their day. */
  async function withFormer(folder: string) {
    const inUse = new Map<string, string | null>()
    for (const { agent } of (await runs.results(folder)).runs) {
      if (inUse.has(agent)) continue
      const now = await versions.resolve({ folder, agent, versions: [IN_USE] })
      inUse.set(agent, now.ok ? (now.value[0]?.id ?? null) : null)
    }
    const { runs: all, attempts } = await runs.results(folder)
    return {
      attempts,
      runs: all.map((run) => ({
        ...run,
        versions: run.versions.map((version) =>
          isVersionInUse(version.ref) && version.id !== inUse.get(run.agent)
            ? { ...asWritten(version), title: dateOf(version.savedAt ?? run.startedAt, now()) }
            : version,
        ),
      })),
    }
  }

  async function changed(folder: string): Promise<void> {
    const listeners = watched.get(folder)
    if (listeners === undefined) return
    const now = await state(folder)
    for (const listener of listeners) listener(now)
  }

  const tests: AgentTests = {
    state,
    async exported({ folder, agent, form }) {
      const [{ cases, runs: all, attempts }, listed] = await Promise.all([
        state(folder),
        versions.list({ folder, agent, draft: null }),
      ])
      const ofAgent = all.filter((run) => run.agent === agent).flatMap((run) => run.versions)
      const known = new Map(
        [...(listed.ok ? listed.value.slice(0, 1) : []), ...ofAgent].reverse().map((each) => [each.id, each]),
      )
      const own = attempts.filter(({ versionId }) => known.has(versionId))
      if (own.length === 0)
        return fail({
          type: 'no-results',
          message: `There are no results of ${agent} yet. Run its cases first.`,
        })
      const ran = [...known.values()]
        .reverse()
        .filter(({ id }) => own.some(({ versionId }) => versionId === id))
      const input = { cases: cases.filter((each) => each.agent === agent), versions: ran, attempts: own }
      switch (form) {
        case 'csv':
          return ok(resultsCsv(input))
        case 'html':
          return ok(resultsHtml({ ...input, agent, at: now() }))
        case 'jsonl':
          return ok(own.map((attempt) => `${JSON.stringify(attempt)}\n`).join(''))
      }
    },
    async begin(asked) {
      const wanted = await wantedOf(asked)
      return wanted.ok ? runs.start(wanted.value) : wanted
    },
    runs,
    versions,
    async close() {
      await runs.close()
      await dropping
    },
    watch(folder, listener) {
      const listeners = watched.get(folder) ?? new Set()
      watched.set(folder, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) watched.delete(folder)
      }
    },
  }

  /** Fails with `not-trusted`, `no-cases`, `not-found` or `unreadable`. */
  async function wantedOf(asked: AskedRun): Promise<Result<WantedRun>> {
    const { folder, agent, isFresh = false } = asked
    if (!isTrusted(folder)) return fail({ type: 'not-trusted', message: NOT_TRUSTED })
    const { cases } = await casesIn(folder)
    const chosen = chosenCases(cases, { agent, files: asked.caseFiles })
    if (!chosen.ok) return chosen
    const resolved = await versions.resolve({ folder, agent, versions: asked.versions })
    if (!resolved.ok) return resolved
    return ok({ ...asked, isFresh, cases: chosen.value, versions: resolved.value })
  }

  const handlers: Omit<HandlersOf<'agentTests'>, 'agentTests.state' | 'agentTests.export'> = {
    'agentTests.versions': (wanted) => versions.list(wanted).then(shownVersions),
    'agentTests.resolve': (wanted) => versions.resolve(wanted).then(shownVersions),
    'agentTests.readCase': ({ folder, file }) => files.read(folder, file),
    'agentTests.saveCase': async ({ folder, ...wanted }) => {
      if (!isTrusted(folder)) return fail({ type: 'not-trusted', message: NOT_TRUSTED })
      const saved = await files.save(folder, wanted)
      if (saved.ok && saved.value.problems.length === 0) await changed(folder)
      return saved
    },
    'agentTests.deleteCase': async ({ folder, file }) => {
      if (!isTrusted(folder)) return fail({ type: 'not-trusted', message: NOT_TRUSTED })
      const removed = await files.remove(folder, file)
      if (removed.ok) await changed(folder)
      return removed
    },
    'agentTests.estimate': async (asked) => {
      const wanted = await wantedOf({ ...asked, maxUsd: null, stopsWhenClear: false })
      return wanted.ok ? ok(await runs.estimate(wanted.value)) : wanted
    },
    'agentTests.run': (asked) => tests.begin(asked),
    'agentTests.stop': ({ runId }) => runs.stop(runId),
    'agentTests.resume': async ({ folder, runId }) => {
      const run = (await runs.results(folder)).runs.find(({ id }) => id === runId)
      if (run === undefined) return fail({ type: 'not-found', message: 'This run is gone.' })
      const { agent, caseFiles, attempts, maxUsd, stopsWhenClear } = run
      const wanted = await wantedOf({
        ...{ folder, agent, caseFiles, attempts, maxUsd, stopsWhenClear },
        versions: run.versions.map((version) => asWritten(version).ref),
      })
      if (!wanted.ok) return wanted
      // What they are called says what they were when the run began.
      const named = wanted.value.versions.map((version, index) => ({ ...version, ...run.versions[index] }))
      return runs.resume(runId, { ...wanted.value, versions: named })
    },
    'agentTests.draftCase': (asked) => caseFromAgent({ ...parts, git, isTrusted }, asked),
  }
  return { tests, handlers }
}

/** Attempts at a case whose file has another name now belong to it. */
function withRenamed<T extends { readonly attempts: readonly CaseAttempt[] }>(
  results: T,
  cases: readonly AgentCase[],
): T {
  const files = new Set(cases.map(({ file }) => file))
  const byText = new Map(cases.map(({ file, digest }) => [`${dirname(file)} ${digest}`, file]))
  const attempts = results.attempts.map((attempt) => {
    const { caseFile, content } = attempt
    const now = files.has(caseFile) ? undefined : byText.get(`${dirname(caseFile)} ${content?.case}`)
    return now === undefined ? attempt : { ...attempt, caseFile: now }
  })
  return { ...results, attempts }
}

/** Of attempts, in the data folder. */
const MOST_TRANSCRIPTS = 500

/** Deletes the oldest transcripts of attempts beyond this number. One that somebody reads or writes stays. */
export async function dropTranscripts(
  { store, trash }: Pick<AgentTestParts, 'store' | 'trash'>,
  most: number,
): Promise<void> {
  const attempts = (await store.list()).filter(({ test }) => test === true)
  const gone: string[] = []
  for (const { id } of attempts.sort((a, b) => b.createdAt - a.createdAt).slice(most))
    if ((await store.trash(id)).ok) gone.push(id)
  await trash.delete(gone)
}

type AskedRun = InputOf<(typeof agentTestContract)['agentTests.run']> & { readonly isFresh?: boolean }

/** A version as it was when its run began, whatever is in use now. */
const asWritten = (version: AgentVersion): AgentVersion => {
  const { ref, text } = version
  return text === null ? version : { ...version, ref: { ...ref, base: { type: 'draft', text } } }
}

const IN_USE: VersionRef = { base: { type: 'in-use' }, model: null, effort: null, skill: null }

const NOT_TRUSTED =
  'Cases run agents and commands, so they need a folder that you trust. Trust this folder first.'
const NO_GIT =
  'These cases begin at a commit, and this folder is in no git repository. Make one, or give a case files of its own (start: {files: FOLDER}).'

/** Without what only runs need. */
function shownVersions(found: Result<readonly LoadedVersion[]>): Result<readonly AgentVersion[]> {
  return found.ok ? ok(found.value.map(({ definition: _, ...version }) => version)) : found
}
