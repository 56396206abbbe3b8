/** What the test bench shows: the chosen agent with its cases, versions, runs and results. */
import { useEffect, useMemo } from 'react'
import type {
  AgentCase,
  AgentVersion,
  CaseProblem,
  TestRun,
} from '../../../shared/agent-tests/agent-tests.ts'
import { counts, createGrid, type Grid, isVersionInUse } from '../../../shared/agent-tests/grid.ts'
import { DelayedCall, useNow } from '../../ui/machine.ts'
import { formatMoment } from '../../ui/text/format.ts'
import {
  chooseAgent,
  columnsFor,
  estimateRun,
  type NextRun,
  resolveVersions,
  useBench,
} from './bench-store.ts'

export interface BenchView {
  readonly agent: string
  readonly cases: readonly AgentCase[]
  readonly problems: readonly CaseProblem[]
  readonly versions: readonly AgentVersion[]
  readonly grid: Grid
  /** The agent's runs, the newest first. */
  readonly runs: readonly TestRun[]
  /** The run whose versions are shown. */
  readonly run: TestRun | null
  /** The run that goes on in the folder, of any agent. */
  readonly running: TestRun | null
  /** The versions of the next run. */
  readonly chosen: ReadonlySet<string>
  /** What the next run is for; null: no version is chosen. */
  readonly wanted: NextRun | null
}

/** Null until the folder has been read, and where it has no agent. */
export function useBenchView(draft: string | null): BenchView | null {
  const snapshot = useBench((state) => state.snapshot)
  const agent = useShownAgent()
  const resolved = useBench((state) => state.resolved)
  const columns = useBench((state) => columnsFor(state, agent ?? ''))
  const runId = useBench((state) => state.runId)
  const decided = useBench((state) => state.chosen)
  const attempts = useBench((state) => state.options.attempts)
  const now = useNow(false)
  useVersions(snapshot?.folder ?? null, agent, draft)
  const ofAgent = useMemo(() => {
    if (snapshot === null || agent === null) return null
    const cases = snapshot.cases.filter((each) => each.agent === agent)
    const runs = snapshot.runs.filter((each) => each.agent === agent)
    return { cases, runs, run: runs.find(({ id }) => id === runId) ?? runs[0] ?? null }
  }, [snapshot, agent, runId])
  const versions = useMemo(() => {
    if (ofAgent === null) return NO_VERSIONS
    const known = resolved?.agent === agent ? resolved.versions : NO_VERSIONS
    return shownVersions({ resolved: known, run: ofAgent.run, removed: columns.removed, now })
  }, [ofAgent, resolved, agent, columns, now])
  const grid = useMemo(
    () => createGrid({ cases: ofAgent?.cases ?? [], versions, attempts: snapshot?.attempts ?? [] }),
    [ofAgent, versions, snapshot],
  )
  const chosen = useMemo(
    () =>
      new Set(
        versions.flatMap(({ id }, at) => ((decided[id] ?? lacksAttempts(grid, at, attempts)) ? [id] : [])),
      ),
    [versions, decided, grid, attempts],
  )
  const wanted = useWanted({ versions, chosen, agent, folder: snapshot?.folder ?? null })
  return useMemo(() => {
    if (snapshot === null || agent === null || ofAgent === null) return null
    const running = snapshot.runs.find(({ state }) => state === 'running') ?? null
    const problems = snapshot.problems.filter(({ file }) => folderOf(file) === agent)
    return { agent, ...ofAgent, problems, versions, grid, running, chosen, wanted }
  }, [snapshot, agent, ofAgent, versions, grid, chosen, wanted])
}

const NO_VERSIONS: readonly AgentVersion[] = []

/** The folder of a case file is named as its agent. */
const folderOf = (file: string): string => file.split('/').at(-2) ?? ''

/** The chosen agent, or the first with cases. */
function useShownAgent(): string | null {
  const agents = useBench((state) => state.snapshot?.agents ?? NO_AGENTS)
  const chosen = useBench((state) => state.agent)
  const shown = agents.some(({ name }) => name === chosen)
    ? chosen
    : ((agents.find(({ cases }) => cases > 0) ?? agents[0])?.name ?? null)
  useEffect(() => {
    if (shown !== null) chooseAgent(shown)
  }, [shown])
  return shown
}

const NO_AGENTS: readonly { readonly name: string; readonly cases: number }[] = []

/** While the user types, the draft is resolved at times. */
const TYPING_MS = 400

function useVersions(folder: string | null, agent: string | null, draft: string | null): void {
  const definitions = useBench((state) => state.snapshot?.agents)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a snapshot may come from a changed definition
  useEffect(() => {
    if (folder === null || agent === null) return
    const isFirst = useBench.getState().resolved?.agent !== agent
    const later = new DelayedCall(
      () => void resolveVersions(folder, agent, draft),
      isFirst || draft === null ? 0 : TYPING_MS,
    )
    later.schedule()
    return () => later.cancel()
  }, [folder, agent, draft, definitions])
}

/** Whether a version has fewer attempts at a case than a run would make. */
function lacksAttempts(grid: Grid, at: number, attempts: number): boolean {
  return grid.rows.some(({ cells }) => (cells[at]?.attempts.filter(counts).length ?? 0) < attempts)
}

/** The next run, whose estimate is asked for after each change of it, and of what is known. */
function useWanted({
  versions,
  chosen,
  agent,
  folder,
}: {
  readonly versions: readonly AgentVersion[]
  readonly chosen: ReadonlySet<string>
  readonly agent: string | null
  readonly folder: string | null
}): NextRun | null {
  const wanted = useMemo(() => {
    const refs = versions.filter(({ id }) => chosen.has(id)).map(({ ref }) => ref)
    return folder === null || agent === null || refs.length === 0
      ? null
      : { folder, agent, versions: refs, caseFiles: [] }
  }, [versions, chosen, agent, folder])
  const attempts = useBench((state) => state.options.attempts)
  const cases = useBench((state) => state.snapshot?.cases)
  const runs = useBench((state) => state.snapshot?.runs.map(({ id, state: now }) => `${id} ${now}`).join())
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is known changes with the cases and runs
  useEffect(() => {
    const later = new DelayedCall(() => void estimateRun(cases?.length === 0 ? null : wanted), 150)
    later.schedule()
    return () => later.cancel()
  }, [wanted, attempts, cases, runs])
  return wanted
}

// The versions that the grid shows as columns.

interface Versions {
  /** In use, drafted and added. */
  readonly resolved: readonly AgentVersion[]
  /** The run whose versions are shown as well; null: none. */
  readonly run: TestRun | null
  /** Ids that the user took out. */
  readonly removed: readonly string[]
  /** ms since the epoch. */
  readonly now: number
}

/** The version in use first, then those of the run, then the others; each definition once. */
function shownVersions({ resolved, run, removed, now }: Versions): readonly AgentVersion[] {
  const inUse = resolved.find(({ ref }) => isVersionInUse(ref))
  const draft = resolved.find(({ ref }) => ref.base.type === 'draft')?.text
  // Before the definition in use has been read, nothing is known to be otherwise.
  const isKnown = ({ id, text }: AgentVersion) =>
    inUse === undefined || id === inUse.id || text === null || text === draft
  const ofRun =
    run?.versions.map((version) => (isKnown(version) ? version : asItWas(version, run, now))) ?? []
  const byId = new Map<string, AgentVersion>()
  for (const version of [...(inUse === undefined ? [] : [inUse]), ...ofRun, ...resolved]) {
    const isRemoved = removed.includes(version.id) && version.id !== inUse?.id
    if (!isRemoved && !byId.has(version.id)) byId.set(version.id, version)
  }
  // A version that is still known under its name keeps it.
  const named = [...byId.values()].map((version) => resolved.find(({ id }) => id === version.id) ?? version)
  return withOwnTitles(named)
}

/** A version of a run. What was in use or drafted then may be something else now. */
function asItWas(version: AgentVersion, run: TestRun, now: number): AgentVersion {
  const { ref, text, title } = version
  const then = formatMoment(run.startedAt, now)
  if (ref.base.type === 'in-use' && text !== null)
    return {
      ...version,
      ref: { ...ref, base: { type: 'draft', text } },
      title: title.replace('In use', `In use ${then}`),
    }
  // A title that the user has kept a text under says what it was.
  return ref.base.type === 'draft'
    ? { ...version, title: title.replace(/^Draft(?=,|$)/, `Draft ${then}`) }
    : version
}

/** Titles that several versions have are numbered. */
function withOwnTitles(versions: readonly AgentVersion[]): readonly AgentVersion[] {
  const seen = new Map<string, number>()
  return versions.map((version) => {
    const times = (seen.get(version.title) ?? 0) + 1
    seen.set(version.title, times)
    return times === 1 ? version : { ...version, title: `${version.title} (${times})` }
  })
}
