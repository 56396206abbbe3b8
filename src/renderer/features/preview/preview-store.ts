/** The preview of a worktree's server: which one the user opened, what its page says, and the user's actions on it. */
import { create } from 'zustand'
import type { WorktreeEnvironment } from '../../../shared/environments/environments.ts'
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'
import { type PageProblem, type PreviewState, problemsMessage } from '../../../shared/preview/preview.ts'
import { command, LatestAnswer } from '../../bridge.ts'
import { serverToShow } from '../../stores/environments-store.ts'
import { showFailure, showNotice } from '../../stores/overlay-store.ts'
import { count } from '../../ui/text/format.ts'

/** Pixels of the page; full: what there is. */
export const WIDTHS = { phone: 390, tablet: 820, full: null } as const
export type PreviewWidth = keyof typeof WIDTHS

interface PreviewStore {
  /** The worktree whose preview the user opened, and the run command; null: none. */
  readonly wanted: { readonly id: string; readonly name: string } | null
  readonly width: PreviewWidth
  /** What the open page says; null: none is open. */
  readonly page: PreviewState | null
  /** The run command that the user chose in each worktree. */
  readonly names: Readonly<Record<string, string>>
  /** The last path of each server, by worktree and run command. */
  readonly paths: Readonly<Record<string, string>>
  /** The keys of the problems that are not to be sent. */
  readonly unchosen: ReadonlySet<number>
}

export const usePreview = create<PreviewStore>()(() => ({
  ...{ wanted: null, width: 'full', page: null, names: {}, paths: {}, unchosen: new Set<number>() },
}))

const { getState: get, setState: set } = usePreview
const opening = new LatestAnswer()

export function receivePreview(deltas: readonly WindowDelta[]): void {
  const last = deltas.findLast((delta) => delta.type === 'preview')
  if (last?.type === 'preview' && get().page !== null && last.state.id === get().page?.id) take(last.state)
}

function take(page: PreviewState): void {
  const { wanted, paths } = get()
  set({ page, paths: { ...paths, [pathKey(page.id, wanted?.name ?? '')]: page.path } })
}

const pathKey = (id: string, name: string): string => `${id} ${name}`

/**
 * Opens the preview of a worktree, or closes the one that is open. It begins with the run command that the user chose
 * last, else with the first that listens, else with the first.
 */
export function togglePreview(worktree: Pick<WorktreeEnvironment, 'id' | 'ports' | 'state'>): void {
  const { id, ports } = worktree
  const chosen = ports.find(({ name }) => name === get().names[id])
  const shown = chosen ?? serverToShow(worktree)
  if (get().wanted?.id === id || shown === undefined) closePreview()
  else set({ wanted: { id, name: shown.name } })
}

/** Shows another server of the worktree, also the next time. */
export const chooseServer = (id: string, name: string): void =>
  set({ wanted: { id, name }, names: { ...get().names, [id]: name }, page: null })

export const closePreview = (): void => set({ wanted: null })
export const setWidth = (width: PreviewWidth): void => set({ width })

/** Begins the page of the wanted preview, at the path where it was last. @returns the function that ends it */
export function beginPage(
  folder: string,
  { id, name }: { readonly id: string; readonly name: string },
): () => void {
  const isLatest = opening.begin()
  set({ page: null, unchosen: new Set() })
  void command('preview.open', { folder, id, name, path: get().paths[pathKey(id, name)] ?? '/' }).then(
    (answer) => {
      if (!isLatest()) return
      if (answer.ok) take(answer.value)
      else {
        showFailure(answer.failure)
        closePreview()
      }
    },
  )
  return () => {
    opening.begin()
    set({ page: null })
    void command('preview.close', {})
  }
}

/** Goes to a path that the user typed: `/cart`, also without its slash. */
export async function goTo(typed: string): Promise<void> {
  const path = typed.startsWith('/') ? typed : `/${typed}`
  const answer = await command('preview.go', { path })
  if (!answer.ok) showFailure(answer.failure)
}

export type PreviewAction = 'back' | 'forward' | 'reload' | 'focus' | 'forget'

export async function actOnPreview(action: PreviewAction): Promise<void> {
  const answer = await command('preview.act', { action })
  if (!answer.ok) showFailure(answer.failure)
}

export function chooseProblem(key: number, isChosen: boolean): void {
  const unchosen = new Set(get().unchosen)
  if (isChosen) unchosen.delete(key)
  else unchosen.add(key)
  set({ unchosen })
}

/** Sends problems of the page to the agent of the worktree. */
export async function sendProblems(
  { agentId, conversationId, task }: WorktreeEnvironment,
  problems: readonly PageProblem[],
): Promise<void> {
  const { page } = get()
  if (page === null || problems.length === 0) return
  const content = problemsMessage(problems, `${page.origin}${page.path}`)
  const answer = await command('conversation.send', { conversationId, agentId, content })
  if (!answer.ok) return showFailure(answer.failure)
  showNotice({
    ...{ level: 'info', about: 'preview' },
    text: `Sent ${count(problems.length, 'problem')} to the agent of “${task}”.`,
  })
  await actOnPreview('forget')
}
