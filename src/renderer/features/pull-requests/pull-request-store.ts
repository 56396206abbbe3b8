/** The pull requests of worktrees as last told, and what of them is open in the window. */
import { useEffect, useMemo } from 'react'
import { create } from 'zustand'
import {
  countChecks,
  type KnownPullRequest,
  type PullRequestView,
} from '../../../shared/pull-requests/pull-request.ts'
import { command } from '../../bridge.ts'
import { showFailure, showNotice } from '../../stores/overlay-store.ts'
import { worktreeNow } from '../../stores/review-store.ts'

/** A worktree. */
export interface PullRequestKey {
  readonly folder: string
  readonly id: string
}

interface PullRequestState {
  /** Of the folder that was listed last, as they were when the program last asked. */
  readonly known: readonly KnownPullRequest[]
  /** By folder and worktree. */
  readonly views: Readonly<Record<string, PullRequestView>>
  /** Why nothing is known. */
  readonly failures: Readonly<Record<string, string>>
  /** The last part of logs, by folder, worktree and check. Null: it is being read. */
  readonly logs: Readonly<Record<string, { readonly text: string; readonly failed: boolean } | null>>
  /** Worktrees that are being removed after their merge. */
  readonly removing: ReadonlySet<string>
  readonly isPanelOpen: boolean
  /** The worktree whose push is shown. */
  readonly pushing: PullRequestKey | null
}

const PANEL = 'pull-request-panel'

export const usePullRequests = create<PullRequestState>()(() => ({
  known: [],
  views: {},
  failures: {},
  logs: {},
  removing: new Set(),
  isPanelOpen: localStorage.getItem(PANEL) === 'open',
  pushing: null,
}))

const { getState: get, setState: set } = usePullRequests

export const pullKeyOf = ({ folder, id }: PullRequestKey): string => `${folder}\n${id}`

export function togglePullRequest(): void {
  const isPanelOpen = !get().isPanelOpen
  set({ isPanelOpen })
  localStorage.setItem(PANEL, isPanelOpen ? 'open' : 'closed')
}

/** Shows what a push would send; null: closes it. */
export function showPush(pushing: PullRequestKey | null): void {
  set({ pushing })
}

/** "#482 3/5" for each worktree with a pull request. Asks no forge. */
export function usePullRequestMarks(folder: string | null): Readonly<Record<string, string>> {
  useEffect(() => {
    if (folder !== null)
      void command('pullRequest.list', { folder }).then((answer) => answer.ok && set({ known: answer.value }))
  }, [folder])
  const known = usePullRequests((state) => state.known)
  const views = usePullRequests((state) => state.views)
  return useMemo(() => {
    const mark = (number: number, { passed, checks }: Pick<KnownPullRequest, 'passed' | 'checks'>) =>
      checks === 0 ? `#${number}` : `#${number} ${passed}/${checks}`
    const marks = Object.fromEntries(known.map((one) => [one.id, mark(one.number, one)]))
    for (const [name, { pull }] of Object.entries(views)) {
      const [at, id = ''] = name.split('\n')
      if (at === folder && pull !== null) marks[id] = mark(pull.number, countChecks(pull.checks))
    }
    return marks
  }, [folder, known, views])
}

/** ms until a failed question is repeated. */
const AFTER_FAILURE = 60_000

/**
 * Keeps a view current while the component is mounted and the window is visible. The program says when the forge may be
 * asked again.
 */
export function useWatchedPullRequest({ folder, id }: PullRequestKey): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const load = async () => {
      clearTimeout(timer)
      const wait = await loadPullRequest({ folder, id })
      if (!isOver && wait !== null && !document.hidden) timer = setTimeout(load, wait)
    }
    const onVisibility = () => {
      if (document.hidden) clearTimeout(timer)
      else void load()
    }
    void load()
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      isOver = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisibility)
    }
  }, [folder, id])
}

/** @returns ms until it should be loaded again; null: it need not be */
export async function loadPullRequest(key: PullRequestKey, now = false): Promise<number | null> {
  const answer = await command('pullRequest.state', { ...key, now })
  const name = pullKeyOf(key)
  if (!answer.ok) {
    set(({ failures }) => ({ failures: { ...failures, [name]: answer.failure.message } }))
    return AFTER_FAILURE
  }
  const view = answer.value
  set(({ views, failures: { [name]: _, ...failures } }) => ({ views: { ...views, [name]: view }, failures }))
  if (view.nothingMissing) await removeMerged(key, view)
  return view.nextIn
}

/** A merged pull request has all of the worktree, so it goes; the user can take that back. */
async function removeMerged(key: PullRequestKey, { pull }: PullRequestView): Promise<void> {
  const name = pullKeyOf(key)
  if (get().removing.has(name)) return
  const branch = worktreeNow(key.id)?.branch ?? 'the worktree'
  set(({ removing }) => ({ removing: new Set([...removing, name]) }))
  const gone = await command('pullRequest.remove', key)
  set(({ removing }) => ({ removing: new Set([...removing].filter((one) => one !== name)) }))
  if (!gone.ok) return showFailure(gone.failure)
  showNotice({
    level: 'info',
    text: `Pull request #${pull?.number} is merged, so ${branch} was removed. You can undo this until Troupe restarts.`,
    action: {
      label: 'Undo',
      run: () =>
        void command('review.undoDiscard', key).then((answer) => {
          if (!answer.ok) showFailure(answer.failure)
        }),
    },
  })
}

export async function loadLog(key: PullRequestKey, check: string): Promise<void> {
  const name = `${pullKeyOf(key)}\n${check}`
  if (get().logs[name] !== undefined) return
  set(({ logs }) => ({ logs: { ...logs, [name]: null } }))
  const answer = await command('pullRequest.log', { ...key, check })
  const log = answer.ok
    ? { text: answer.value, failed: false }
    : { text: answer.failure.message, failed: true }
  set(({ logs }) => ({ logs: { ...logs, [name]: log } }))
}

type Action = 'sendCheck' | 'rerun'

/** Shows a notice, also about a failure. */
export async function actOnCheck(
  key: PullRequestKey,
  action: Action,
  check: { readonly id: string; readonly name: string },
): Promise<void> {
  const answer = await command(`pullRequest.${action}`, { ...key, check: check.id })
  if (!answer.ok) return showFailure(answer.failure)
  const text =
    action === 'rerun' ? `${check.name} runs again.` : `Sent ${check.name} with its log to the agent.`
  showNotice({ level: 'info', text })
  await loadPullRequest(key)
}

export async function sendComment(key: PullRequestKey, comment: string): Promise<void> {
  const answer = await command('pullRequest.sendComment', { ...key, comment })
  if (answer.ok) showNotice({ level: 'info', text: 'Sent the comment to the agent.' })
  else showFailure(answer.failure)
}
