/** The comparisons of the shown conversation, and the user's actions on them. */
import { useMemo } from 'react'
import { create } from 'zustand'
import type { Comparison } from '../../../shared/comparison/comparison.ts'
import type { Answer, CommandInput } from '../../../shared/ipc/ipc-contract.ts'
import { type AttemptRow, attemptRows, comparisonStatus } from '../../../shared/state/comparison-rows.ts'
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { command } from '../../bridge.ts'
import { showChanges } from '../changes-store.ts'
import { useConversation } from '../conversation-store.ts'
import { changeDraft, clearDraft, draftKeyNow, draftOf, isEmptyDraft } from '../draft-store.ts'
import { showFailure, showNotice } from '../notice-store.ts'
import { showOverlay } from '../overlay-store.ts'
import { loadReview, snapshotNow } from '../review-store.ts'
import { setView, useSession } from '../session-store.ts'
import { useNow } from '../use-now.ts'
import { shownOrNewConversation } from './conversation-actions.ts'

interface ComparisonStore {
  /** The conversation whose comparison the stage shows instead of the panels; null: none. */
  readonly shownIn: string | null
  /** The comparison to show; null: the newest. */
  readonly wanted: string | null
  /** The selected attempt; null: the first. */
  readonly selected: string | null
  /** The task with which the dialog begins. */
  readonly task: string
  /** The draft that the task came from. */
  readonly draftKey: string
  /** How often the dialog was opened: each time it begins anew. */
  readonly opened: number
  /** Comparisons whose card the user has put away: conversation and comparison. */
  readonly dismissed: ReadonlySet<string>
  /** Whether the focus was in the comparison when another view took its place: with the comparison it comes back. */
  readonly hadFocus: boolean
}

export const useComparisonStore = create<ComparisonStore>()(() => ({
  shownIn: null,
  wanted: null,
  selected: null,
  task: '',
  draftKey: '',
  opened: 0,
  dismissed: new Set(),
  hadFocus: false,
}))

const { getState: get, setState: set } = useComparisonStore

const NONE: readonly Comparison[] = []

/** All comparisons of the shown conversation, the oldest first. */
export function useComparisons(): readonly Comparison[] {
  return useConversation((state) => state.record?.comparisons ?? NONE)
}

/** Whether the stage shows a comparison instead of the panels. */
export function useShowsComparison(): boolean {
  const conversationId = useConversation((state) => state.conversationId)
  const has = useComparisons().length > 0
  return useComparisonStore((state) => has && state.shownIn !== null && state.shownIn === conversationId)
}

export function showComparison(id: string | null = null): void {
  const { conversationId } = useConversation.getState()
  showChanges(false)
  set({ shownIn: conversationId, wanted: id })
  setView('stage')
}

export function hideComparison(): void {
  set({ shownIn: null })
}

export function keepHadFocus(hadFocus: boolean): void {
  set({ hadFocus })
}

export function selectAttempt(agentId: string): void {
  set({ selected: agentId })
}

/** Puts the card in the conversation away. */
export function dismissComparison(id: string): void {
  const { conversationId } = useConversation.getState()
  set({ dismissed: new Set([...get().dismissed, `${conversationId} ${id}`]) })
}

export function useIsPutAway(id: string): boolean {
  const conversationId = useConversation((state) => state.conversationId)
  return useComparisonStore((state) => state.dismissed.has(`${conversationId} ${id}`))
}

/** The attempts of a comparison, with the time going on while one works. */
export function useAttempts(comparison: Comparison): {
  readonly rows: readonly AttemptRow[]
  readonly isRunning: boolean
} {
  const agents = useConversation((state) => state.agents)
  const states = useMemo(() => [...agents.values()], [agents])
  const isRunning = useMemo(
    () => comparisonStatus(attemptRows(comparison, states, 0)) === 'running',
    [comparison, states],
  )
  const now = useNow(isRunning)
  const rows = useMemo(() => attemptRows(comparison, states, now), [comparison, states, now])
  return { rows, isRunning }
}

/** Opens the dialog that sends a task to several agents. */
export function askForComparison(task: string): void {
  set({ task, draftKey: draftKeyNow(), opened: get().opened + 1 })
  showOverlay('best')
}

/**
 * Called when the dialog is closed without a start: a task that is in no draft returns to the composer. After a failed start
 * that is the composer of the conversation that was made for it.
 */
export function keepTask(task: string): void {
  const { draftKey, task: first } = get()
  const key = draftKeyNow()
  if (key !== draftKey && draftOf(draftKey).text.trim() === first) clearDraft(draftKey)
  if (task.trim() !== '' && isEmptyDraft(draftOf(key))) changeDraft(key, { text: task.trim() })
}

/** Starts the agents in the shown conversation, or in a new one. The dialog shows a failure. */
export async function startComparison(
  wanted: Omit<CommandInput<'comparison.start'>, 'conversationId'>,
): Promise<Answer<{ comparisonId: string }>> {
  const conversation = await shownOrNewConversation()
  if (!conversation.ok) return conversation
  const answer = await command('comparison.start', { ...wanted, conversationId: conversation.value })
  const { draftKey, task } = get()
  // The draft was the task.
  if (answer.ok && draftOf(draftKey).text.trim() === task) clearDraft(draftKey)
  return answer
}

export async function stopComparison(comparisonId: string): Promise<void> {
  const { conversationId } = useConversation.getState()
  if (conversationId === null) return
  const answer = await command('comparison.stop', { conversationId, comparisonId })
  if (!answer.ok) showFailure(answer.failure)
}

export async function checkAgain(agentId: string): Promise<void> {
  const { conversationId } = useConversation.getState()
  if (conversationId === null) return
  const answer = await command('comparison.check', { conversationId, agentId })
  if (!answer.ok) showFailure(answer.failure)
}

/** The worktrees of these agents that still exist and are not merged. */
export async function unmergedOf(agentIds: readonly string[]): Promise<readonly ReviewWorktree[]> {
  const folder = useSession.getState().folder?.path
  if (folder === undefined) return []
  await loadReview(folder)
  const worktrees = snapshotNow()?.worktrees ?? []
  return worktrees.filter(({ agentId, state }) => agentIds.includes(agentId) && state === 'ready')
}

/** Discards worktrees that the user has confirmed, at the versions that were shown. One notice tells the result. */
export async function discardAttempts(worktrees: readonly ReviewWorktree[]): Promise<void> {
  const folder = useSession.getState().folder?.path
  if (folder === undefined) return
  const failures: string[] = []
  for (const { id, branch, version, agentName } of worktrees) {
    const answer = await command('review.discard', { folder, id, confirm: branch, seen: version })
    if (!answer.ok) failures.push(`${agentName}: ${answer.failure.message}`)
  }
  const done = worktrees.length - failures.length
  if (failures.length > 0) showNotice({ level: 'error', text: failures.join(' ') })
  if (done > 0)
    showNotice({
      level: 'info',
      text: `Discarded ${done} ${done === 1 ? 'worktree' : 'worktrees'}. Review can restore ${done === 1 ? 'it' : 'them'} until Troupe restarts.`,
    })
}
