/**
 * The test bench of the open folder: its cases, runs and attempts as the main process tells them, and what the user looks
 * at. What is compared is kept for each agent.
 */
import { useEffect } from 'react'
import { create } from 'zustand'
import {
  type AgentTestsProgress,
  type AgentTestsSnapshot,
  type AgentVersion,
  USUAL_ATTEMPTS,
  type VersionRef,
  withProgress,
} from '../../../shared/agent-tests/agent-tests.ts'
import type { Answer, CommandOutput } from '../../../shared/ipc/ipc-contract.ts'
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'
import { command, LatestAnswer } from '../../bridge.ts'
import { showFailure } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'

/** A cell of the grid. */
export interface CellPlace {
  readonly caseFile: string
  readonly versionId: string
}

export interface RunChoices {
  readonly attempts: number
  /** Null: no budget of its own. */
  readonly maxUsd: number | null
  readonly stopsWhenClear: boolean
}

/** What a run would do. */
type Estimate = CommandOutput<'agentTests.estimate'>

/** Versions that the user has added to an agent's columns, and those that the user took out, by id. */
interface Columns {
  readonly added: readonly VersionRef[]
  readonly removed: readonly string[]
}

interface BenchState {
  /** Whether the Agents view shows the test bench. */
  readonly isShown: boolean
  /** Null until the first answer. */
  readonly snapshot: AgentTestsSnapshot | null
  /** Why the folder has no snapshot; null: it has one, or it loads. */
  readonly failure: string | null
  readonly agent: string | null
  readonly columns: Readonly<Record<string, Columns>>
  /** The versions in use, drafted and added, of the agent of this name. */
  readonly resolved: { readonly agent: string; readonly versions: readonly AgentVersion[] } | null
  /** Why an added version can't be used. */
  readonly versionProblem: string | null
  /** The run whose versions are shown; null: the newest. */
  readonly runId: string | null
  /** What the user has decided about versions of the next run, by id. */
  readonly chosen: Readonly<Record<string, boolean>>
  readonly options: RunChoices
  /** Null while it is asked for. */
  readonly estimate: Estimate | null
  /** A run is being started. */
  readonly isStarting: boolean
  /** The cell that keys are for. */
  readonly place: CellPlace | null
  /** Whether the attempts of that cell are shown. */
  readonly isOpen: boolean
  /** The number of the shown attempt. */
  readonly attempt: number
  readonly onlyDifferences: boolean
}

const FIRST: BenchState = {
  ...{ isShown: false, snapshot: null, failure: null, agent: null, columns: {}, resolved: null },
  ...{ versionProblem: null, runId: null, chosen: {}, estimate: null, isStarting: false },
  options: { attempts: USUAL_ATTEMPTS, maxUsd: null, stopsWhenClear: false },
  ...{ place: null, isOpen: false, attempt: 1, onlyDifferences: false },
}

export const useBench = create<BenchState>()(() => FIRST)

const { getState: get, setState: set } = useBench

/** Whether the window shows this folder, still: what was asked about another one is of no use. */
const isOpenFolder = (folder: string): boolean => useSession.getState().folder?.path === folder

/** Shows the test bench in the place of the editor, or the editor. */
export function showBench(isShown: boolean, agent: string | null = null): void {
  set({ isShown })
  if (agent === null) return
  chooseAgent(agent)
  const { snapshot } = get()
  if (snapshot === null || snapshot.agents.some(({ name }) => name === agent)) return
  // An agent that is newer than the snapshot is waited for, or the first one would take its place.
  set({ snapshot: null })
  void loadBench(snapshot.folder)
}

export function chooseAgent(agent: string): void {
  if (get().agent === agent) return
  set({ agent, runId: null, place: null, isOpen: false, versionProblem: null, estimate: null })
}

export function receiveAgentTests(deltas: readonly WindowDelta[]): void {
  let { snapshot } = get()
  for (const delta of deltas) {
    if (delta.type === 'agent-tests') {
      if (isOpenFolder(delta.snapshot.folder)) ({ snapshot } = delta)
    } else if (delta.type === 'agent-tests-progress') {
      for (const load of loads) load.push(delta.progress)
      if (snapshot !== null) snapshot = withProgress(snapshot, delta.progress)
    }
  }
  if (snapshot !== get().snapshot) set({ snapshot, failure: null })
}

/** Loads the cases and results of the open folder, again after a change of its trust. Deltas follow. */
export function useBenchOfFolder(): void {
  const folder = useSession((state) => state.folder?.path ?? null)
  const trusted = useSession((state) => state.folder?.trusted === true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: trust decides whether anything can run
  useEffect(() => {
    const { snapshot, isShown, options, agent } = get()
    if (folder === null) return
    // An agent that was asked for before the first answer stays.
    const wanted = snapshot === null ? agent : null
    if (snapshot?.folder !== folder)
      set({ ...FIRST, isShown, options, agent: wanted, columns: keptColumns(folder) })
    void loadBench(folder)
  }, [folder, trusted])
}

/** For each load under way: the progress that arrived meanwhile, which its answer may not have yet. */
const loads = new Set<AgentTestsProgress[]>()
const loading = new LatestAnswer()

export async function loadBench(folder: string): Promise<void> {
  const isLatest = loading.begin()
  const meanwhile: AgentTestsProgress[] = []
  loads.add(meanwhile)
  const answer = await command('agentTests.state', { folder })
  loads.delete(meanwhile)
  if (!isLatest() || !isOpenFolder(folder)) return
  set(
    answer.ok
      ? { snapshot: meanwhile.reduce(withProgress, answer.value), failure: null }
      : { failure: answer.failure.message },
  )
}

// Versions.

const NO_COLUMNS: Columns = { added: [], removed: [] }

export const columnsFor = ({ columns }: Pick<BenchState, 'columns'>, agent: string): Columns =>
  columns[agent] ?? NO_COLUMNS

const resolving = new LatestAnswer()

/** Resolves the versions of an agent: in use, the draft, and those that were added. One that can't be used is left out. */
export async function resolveVersions(folder: string, agent: string, draft: string | null): Promise<void> {
  const isNewest = resolving.begin()
  const isLatest = () => isNewest() && isOpenFolder(folder)
  const inUse = refOf({ type: 'in-use' })
  const drafted = draft === null ? [] : [refOf({ type: 'draft', text: draft })]
  const refs = [inUse, ...drafted, ...columnsFor(get(), agent).added].slice(0, MOST_VERSIONS)
  const all = await command('agentTests.resolve', { folder, agent, versions: refs })
  if (!isLatest()) return
  if (all.ok) return keepResolved(agent, all.value, { asked: refs, problem: null })
  const each = await Promise.all(
    refs.map((ref) => command('agentTests.resolve', { folder, agent, versions: [ref] })),
  )
  if (!isLatest()) return
  const versions = each.flatMap((answer) => (answer.ok ? answer.value : []))
  keepResolved(agent, versions, { asked: refs, problem: all.failure.message })
}

/** Versions that were added while others were resolved stay. */
function keepResolved(
  agent: string,
  versions: readonly AgentVersion[],
  { asked, problem }: { readonly asked: readonly VersionRef[]; readonly problem: string | null },
): void {
  const { resolved } = get()
  const known = resolved?.agent === agent ? resolved.versions : []
  const since = columnsFor(get(), agent).added.filter((ref) => !asked.some((each) => isSame(each, ref)))
  const added = known.filter(
    ({ id, ref }) => since.some((each) => isSame(each, ref)) && !versions.some((each) => each.id === id),
  )
  set({ resolved: { agent, versions: [...versions, ...added] }, versionProblem: problem })
}

export const refOf = (base: VersionRef['base']): VersionRef => ({
  ...{ base, model: null, effort: null, skill: null },
})

/** As many as a run can have. */
export const MOST_VERSIONS = 12

/** Adds a version as a column, which is chosen for the next run. Fails where it can't be used. */
export async function addVersion(ref: VersionRef): Promise<Answer<AgentVersion>> {
  const { snapshot, agent } = get()
  if (snapshot === null || agent === null) return { ok: false, failure: NO_AGENT }
  const answer = await command('agentTests.resolve', { folder: snapshot.folder, agent, versions: [ref] })
  if (!answer.ok) return answer
  const [version] = answer.value
  if (version === undefined) return { ok: false, failure: NO_AGENT }
  const { columns, resolved, chosen } = get()
  const { added, removed } = columnsFor({ columns }, agent)
  // The draft may go on, so that it is added even where its text has a column now.
  changeColumns(snapshot.folder, agent, {
    added: [...added.filter((each) => !isSame(each, ref)), ref],
    removed: removed.filter((id) => id !== version.id),
  })
  set({
    chosen: { ...chosen, [version.id]: true },
    ...(resolved?.agent === agent &&
      !resolved.versions.some(({ id }) => id === version.id) && {
        resolved: { agent, versions: [...resolved.versions, version] },
      }),
  })
  return { ok: true, value: version }
}

const NO_AGENT = { type: 'not-found', message: 'This agent is not in use in the folder any more.' }

const isSame = (one: VersionRef, other: VersionRef): boolean => JSON.stringify(one) === JSON.stringify(other)

const STORAGE = 'agent-tests-columns:'

function changeColumns(folder: string, agent: string, changed: Columns): void {
  const columns = { ...get().columns, [agent]: changed }
  set({ columns })
  try {
    localStorage.setItem(STORAGE + folder, JSON.stringify(columns))
  } catch {
    // A full or forbidden storage: the columns last as long as the window.
  }
}

function keptColumns(folder: string): BenchState['columns'] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORAGE + folder) ?? '{}')
    return typeof kept === 'object' && kept !== null ? (kept as BenchState['columns']) : {}
  } catch {
    return {}
  }
}

export function removeVersion({ id, ref }: AgentVersion): void {
  const { snapshot, agent, columns, place } = get()
  if (snapshot === null || agent === null) return
  const { added, removed } = columnsFor({ columns }, agent)
  changeColumns(snapshot.folder, agent, {
    added: added.filter((each) => !isSame(each, ref)),
    removed: [...removed, id],
  })
  if (place?.versionId === id) set({ place: null, isOpen: false })
}

export function chooseVersion(id: string, isChosen: boolean): void {
  set({ chosen: { ...get().chosen, [id]: isChosen } })
}

/** Shows the versions of a run. */
export function showRun(runId: string): void {
  const { snapshot, agent, columns } = get()
  if (snapshot === null || agent === null) return
  changeColumns(snapshot.folder, agent, { ...columnsFor({ columns }, agent), removed: [] })
  set({ runId, place: null, isOpen: false })
}

// The cell that is looked at.

export function goToCell(place: CellPlace): void {
  set({ place })
}

/** Shows the attempts of a cell. `attempt`: the number of one; otherwise the first that failed. */
export function openCell(place: CellPlace, attempt: number): void {
  set({ place, isOpen: true, attempt })
}

export const closeCell = (): void => set({ isOpen: false })
export const showAttempt = (attempt: number): void => set({ attempt })
export const showOnlyDifferences = (onlyDifferences: boolean): void => set({ onlyDifferences })

// Runs.

export function changeOptions(part: Partial<RunChoices>): void {
  set({ options: { ...get().options, ...part }, ...(part.attempts !== undefined && { estimate: null }) })
}

export interface NextRun {
  readonly folder: string
  readonly agent: string
  readonly versions: readonly VersionRef[]
  /** Empty: all. */
  readonly caseFiles: readonly string[]
}

const estimating = new LatestAnswer()

/** Asks what a run would do. Null: nothing can be said. */
export async function estimateRun(wanted: NextRun | null): Promise<void> {
  const isLatest = estimating.begin()
  if (wanted === null || wanted.versions.length === 0) return set({ estimate: null })
  const { attempts } = get().options
  const answer = await command('agentTests.estimate', { ...wanted, attempts })
  if (isLatest() && isOpenFolder(wanted.folder)) set({ estimate: answer.ok ? answer.value : null })
}

/** Starts a run. A failure is shown as a notice. */
export async function startRun(wanted: NextRun): Promise<void> {
  if (get().isStarting) return
  set({ isStarting: true })
  const answer = await command('agentTests.run', { ...wanted, ...get().options })
  set({ isStarting: false })
  if (!answer.ok) return showFailure(answer.failure)
  if (!isOpenFolder(wanted.folder)) return
  set({ runId: answer.value.runId, chosen: {} })
  // The first delta may be on its way.
  await loadBench(wanted.folder)
}

export async function stopRun(runId: string): Promise<void> {
  const { snapshot } = get()
  if (snapshot === null) return
  const answer = await command('agentTests.stop', { folder: snapshot.folder, runId })
  if (!answer.ok) showFailure(answer.failure)
}

export async function resumeRun(runId: string): Promise<void> {
  const { snapshot } = get()
  if (snapshot === null) return
  const answer = await command('agentTests.resume', { folder: snapshot.folder, runId })
  if (!answer.ok) showFailure(answer.failure)
}
