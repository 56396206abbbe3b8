/** The environments of the open folder's worktrees, the log of the selected one, and the user's actions on them. */
import { useEffect } from 'react'
import { create } from 'zustand'
import type {
  EnvironmentsSnapshot,
  LogPage,
  WorktreeEnvironment,
} from '../../shared/environments/environments.ts'
import { type Overlap, overlapText } from '../../shared/environments/overlaps.ts'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import { command } from '../bridge.ts'
import { showFailure } from './overlay-store.ts'
import { useSession } from './session-store.ts'

interface EnvironmentsStore {
  /** Null until the first answer. */
  readonly snapshot: EnvironmentsSnapshot | null
  /** Why the environments can't be listed; null: they can. */
  readonly failure: string | null
  /** The selected worktree; null: the first. */
  readonly selectedId: string | null
  /** What the log shows; null: everything. */
  readonly source: string | null
  /** The log of the selected worktree; null until it was read. */
  readonly log: (LogPage & { readonly id: string; readonly source: string | null }) | null
  /** Worktrees with an action on its way. */
  readonly busy: ReadonlySet<string>
}

export const useEnvironments = create<EnvironmentsStore>()(() => ({
  snapshot: null,
  failure: null,
  selectedId: null,
  source: null,
  log: null,
  busy: new Set(),
}))

const { getState: get, setState: set } = useEnvironments

/** Lines of the log on the screen. */
const LINES = 1000

export function receiveEnvironments(deltas: readonly WindowDelta[]): void {
  const last = deltas.findLast((delta) => delta.type === 'environments')
  if (last?.type === 'environments' && last.snapshot.folder === useSession.getState().folder?.path)
    set({ snapshot: last.snapshot, failure: null })
}

/** Loads the environments of the open folder, again after a change of its trust. Deltas follow. */
export function useEnvironmentsOfFolder(): void {
  const folder = useSession((state) => state.folder?.path ?? null)
  const trusted = useSession((state) => state.folder?.trusted === true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: trust decides whether anything is read
  useEffect(() => {
    if (get().snapshot?.folder !== folder) set({ snapshot: null, failure: null, selectedId: null, log: null })
    if (folder !== null) void loadEnvironments(folder)
  }, [folder, trusted])
}

export async function loadEnvironments(folder: string): Promise<void> {
  const answer = await command('environment.state', { folder })
  if (useSession.getState().folder?.path !== folder) return
  if (answer.ok) set({ snapshot: answer.value, failure: null })
  else set({ failure: answer.failure.message })
}

export const selectEnvironment = (id: string): void =>
  set(get().selectedId === id ? {} : { selectedId: id, source: null })

export const selectSource = (source: string | null): void => set({ source })

/** Reads the log of the selected worktree, again whenever it grows. */
export function useEnvironmentLog(worktree: WorktreeEnvironment | null, source: string | null): void {
  const folder = useEnvironments((state) => state.snapshot?.folder ?? null)
  const id = worktree?.id ?? null
  const size = worktree?.logSize ?? 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: a log that grew is read again
  useEffect(() => {
    if (folder === null || id === null) return
    let isStale = false
    void command('environment.log', { folder, id, source, lines: LINES }).then((answer) => {
      if (!isStale && answer.ok) set({ log: { ...answer.value, id, source } })
    })
    return () => {
      isStale = true
    }
  }, [folder, id, size, source])
}

type EnvironmentAction = 'setUp' | 'skip' | 'run' | 'stop' | 'open'

/** The first that listens, else the first. */
export function serverToShow({ ports, state: { runs } }: Pick<WorktreeEnvironment, 'ports' | 'state'>) {
  const listens = ports.find(({ name }) => {
    const run = runs[name]
    return run?.kind === 'running' && run.isUp
  })
  return listens ?? ports[0]
}

/** A failure is shown as a notice. @param name of a run command; null: all, or the one that listens to open */
export async function actOnEnvironment(
  action: EnvironmentAction,
  worktree: Pick<WorktreeEnvironment, 'id' | 'ports' | 'state'>,
  name: string | null = null,
): Promise<void> {
  const { id } = worktree
  const { snapshot, busy } = get()
  if (snapshot === null || busy.has(id)) return
  const key = { folder: snapshot.folder, id }
  set({ busy: new Set([...busy, id]) })
  try {
    const shown = name ?? serverToShow(worktree)?.name
    if (action === 'open' && shown === undefined) return
    const answer =
      action === 'setUp' || action === 'skip'
        ? await command(`environment.${action}`, key)
        : action === 'open'
          ? await command('environment.open', { ...key, name: shown ?? '' })
          : await command(`environment.${action}`, { ...key, name })
    if (!answer.ok) showFailure(answer.failure)
  } finally {
    set({ busy: new Set([...get().busy].filter((other) => other !== id)) })
  }
}

export async function decideCommands(decision: 'approved' | 'refused'): Promise<void> {
  const { snapshot } = get()
  if (snapshot?.commands === null || snapshot === null) return
  const { digest } = snapshot.commands
  const answer = await command('environment.decide', { folder: snapshot.folder, digest, decision })
  if (!answer.ok) showFailure(answer.failure)
}

/** Stops everything that runs in any worktree. */
export async function stopAllEnvironments(): Promise<void> {
  const worktrees = get().snapshot?.worktrees ?? []
  await Promise.all(worktrees.filter(isActive).map((worktree) => actOnEnvironment('stop', worktree)))
}

/** Whether a server or the set-up of a worktree runs. */
export const isActive = ({ state: { runs, setup } }: WorktreeEnvironment): boolean =>
  setup.kind === 'running' || Object.values(runs).some(({ kind }) => kind === 'running')

/** What another agent changes too, with the task of that agent. @param id of the agent or its worktree */
export function overlapsOf(
  snapshot: EnvironmentsSnapshot | null,
  id: string,
): readonly { readonly overlap: Overlap; readonly otherTask: string }[] {
  if (snapshot === null || snapshot.overlaps.length === 0) return []
  const mine = snapshot.worktrees.find((worktree) => worktree.id === id || worktree.agentId === id)
  return snapshot.overlaps.flatMap((overlap) => {
    const [one, other] = overlap.ids
    const otherId = one === mine?.id ? other : other === mine?.id ? one : null
    const otherTask = snapshot.worktrees.find((worktree) => worktree.id === otherId)?.task
    return otherTask === undefined ? [] : [{ overlap, otherTask }]
  })
}

/** These lines as a sentence for the user; null: none are known. @param id of the agent or its worktree */
export function useOverlapText(id: string): string | null {
  return useEnvironments(({ snapshot }) => {
    const texts = overlapsOf(snapshot, id).map(
      ({ overlap, otherTask }) => `“${otherTask}” changes ${overlapText(overlap)} too`,
    )
    return texts.length === 0 ? null : `${texts.join('; ')}.`
  })
}
