/** The comparisons of the shown conversation, and the user's actions on them. */
import { useMemo } from 'react'
import { create } from 'zustand'
import type { Comparison } from '../../shared/comparison/comparison.ts'
import type { Answer, CommandInput } from '../../shared/ipc/ipc-contract.ts'
import { agentNames, letterAt } from '../../shared/state/agent-names.ts'
import { type AttemptRow, attemptRows, comparisonStatus } from '../../shared/state/comparison-rows.ts'
import type { ReviewFile, ReviewWorktree } from '../../shared/worktrees/review.ts'
import { command } from '../bridge.ts'
import { useNow } from '../ui/machine.ts'
import { shownOrNewConversation } from './conversation-actions.ts'
import { useConversation } from './conversation-store.ts'
import { changeDraft, clearDraft, draftKeyNow, draftOf, isEmptyDraft } from './draft-store.ts'
import { showFailure, showNotice, showOverlay } from './overlay-store.ts'
import { loadReview, snapshotNow } from './review-store.ts'
import { setView, useSession } from './session-store.ts'
import { showStagePart, useStagePart } from './stage-store.ts'

interface ComparisonStore {
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
  const isWanted = useStagePart() === 'comparison'
  return useComparisons().length > 0 && isWanted
}

export function showComparison(id: string | null = null): void {
  // The conversation may make room for it, with the focus in it.
  set({ wanted: id, hadFocus: true })
  showStagePart('comparison')
  setView('stage')
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

/** The letters of attempts as everywhere, by place where their agents have none. */
export function useAttemptLetters(rows: readonly AttemptRow[]): readonly string[] {
  const agents = useConversation((state) => state.agents)
  return useMemo(() => {
    const names = agentNames(agents.values())
    return rows.map(({ agentId }, index) => names.get(agentId)?.letter ?? letterAt(index))
  }, [agents, rows])
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

// Which attempts of a comparison have their diffs beside each other, and of which file.

/** An attempt as a column of the diffs. */
export interface ColumnAttempt {
  readonly agentId: string
  readonly label: string
  /** One of the eight color names, or `#hex`. */
  readonly color: string
  /** Null: it has no worktree. */
  readonly worktreeId: string | null
  readonly isLive: boolean
  readonly isMerged: boolean
}

/** Of the view that shows the changes of one attempt. The list of worktrees is followed around it. */
export interface AttemptDiffProps {
  readonly agentId: string
  readonly isLive: boolean
  /** Called with the changed files, again after each change. */
  readonly onFiles: (agentId: string, files: readonly ReviewFile[]) => void
}

/** Of the view that shows the diffs. */
export interface SideBySideProps {
  /** Names the comparison in this store. */
  readonly id: string
  readonly attempts: readonly ColumnAttempt[]
}

interface Choice {
  /** The agents of the columns, from left to right. */
  readonly columns: readonly string[]
  /** The column that keys are for. */
  readonly active: number
  /** The shown file; null: the first. */
  readonly path: string | null
}

interface SideBySideStore {
  /** Whether a comparison shows diffs instead of results. */
  readonly isShown: boolean
  /** By comparison: the conversation and the id. */
  readonly choices: Readonly<Record<string, Choice>>
}

export const FEWEST_COLUMNS = 2
export const MOST_COLUMNS = 3

const NOTHING: Choice = { columns: [], active: 0, path: null }

export const useSideBySide = create<SideBySideStore>()(() => ({ isShown: false, choices: {} }))

const { getState: getSideBySide, setState: setSideBySide } = useSideBySide

export function showSideBySide(isShown: boolean): void {
  setSideBySide({ isShown })
}

/** Shows the diffs of two attempts beside each other. */
export function showPair(key: string, columns: readonly [string, string]): void {
  keep(key, { columns, active: 0 })
  showSideBySide(true)
}

/** What is shown of a comparison; without a choice the first two attempts. `most`: the columns that there is room for. */
export function useColumnChoice(key: string, attempts: readonly ColumnAttempt[], most: number): Choice {
  const choice = useSideBySide((state) => state.choices[key] ?? NOTHING)
  return completed(choice, attempts, most)
}

function completed(choice: Choice, attempts: readonly ColumnAttempt[], most: number): Choice {
  const ids = attempts.map(({ agentId }) => agentId)
  const chosen = choice.columns.filter((id) => ids.includes(id)).slice(0, most)
  const others = ids.filter((id) => !chosen.includes(id))
  const columns = [...chosen, ...others.slice(0, Math.max(0, FEWEST_COLUMNS - chosen.length))]
  return { columns, active: Math.max(0, Math.min(columns.length - 1, choice.active)), path: choice.path }
}

/** Keeps a part of a choice. */
function keep(key: string, part: Partial<Choice>): void {
  setSideBySide(({ choices }) => ({
    choices: { ...choices, [key]: { ...(choices[key] ?? NOTHING), ...part } },
  }))
}

export function selectComparedFile(key: string, path: string): void {
  keep(key, { path })
}

export function selectColumn(key: string, active: number): void {
  if (getSideBySide().choices[key]?.active !== active) keep(key, { active })
}

/** Shows an attempt in a column. Columns that would show the same attempt change places. */
export function setColumn(key: string, { columns }: Choice, at: number, agentId: string): void {
  const other = columns.indexOf(agentId)
  const next = columns.with(at, agentId)
  keep(key, { columns: other === -1 ? next : next.with(other, columns[at] ?? agentId), active: at })
}

/** Adds the first attempt that is not shown, or removes the last column. */
export function toggleThirdColumn(
  key: string,
  { columns }: Choice,
  attempts: readonly ColumnAttempt[],
): void {
  const isFull = columns.length >= MOST_COLUMNS
  if (isFull) keep(key, { columns: columns.slice(0, FEWEST_COLUMNS) })
  const next = attempts.find(({ agentId }) => !columns.includes(agentId))
  if (!isFull && next !== undefined)
    keep(key, { columns: [...columns, next.agentId], active: columns.length })
}
