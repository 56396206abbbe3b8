/** Which conversations the view of all conversations lists, in which order and groups, and what all of them come to. */
import { useEffect, useState } from 'react'
import { type ConversationSummary, isInState } from '../../../shared/state/conversation-summary.ts'
import { command } from '../../bridge.ts'
import { timeNow } from '../../ui/machine.ts'
import { folderName, formatMoney, formatSize } from '../../ui/text/format.ts'

export const stateFilters = ['all', 'needs-you', 'running', 'failed', 'unmerged', 'archived'] as const
export type StateFilter = (typeof stateFilters)[number]

export interface ListFilter {
  readonly state: StateFilter
  /** Words in title, folder, branch and last line, in any order. */
  readonly text: string
  /** Absolute; null: all folders. */
  readonly folder: string | null
}

export interface ConversationGroup {
  readonly title: string
  readonly ids: readonly string[]
}

interface Facts {
  /** ms since the epoch. */
  readonly now: number
  /** Conversations with work in worktrees that is not merged. */
  readonly unmerged: ReadonlySet<string>
}

/** The numbers of conversations that each state would list. */
export function stateCounts(
  all: readonly ConversationSummary[],
  { text, folder }: Omit<ListFilter, 'state'>,
  unmerged: Facts['unmerged'],
): Readonly<Record<StateFilter, number>> {
  const found = all.filter((one) => hasWords(one, text) && (folder === null || one.folder === folder))
  return Object.fromEntries(
    stateFilters.map((state) => [state, found.filter((one) => hasState(one, state, unmerged)).length]),
  ) as Record<StateFilter, number>
}

/** Pinned ones first, then those at work, then by day. Empty groups are left out. */
export function groupConversations(
  all: readonly ConversationSummary[],
  { state, text, folder }: ListFilter,
  { now, unmerged }: Facts,
): readonly ConversationGroup[] {
  const groups = new Map<string, string[]>(TITLES.map((title) => [title, []]))
  for (const one of all)
    if ((folder === null || one.folder === folder) && hasState(one, state, unmerged) && hasWords(one, text))
      groups.get(groupOf(one, now))?.push(one.id)
  return [...groups].flatMap(([title, ids]) => (ids.length === 0 ? [] : [{ title, ids }]))
}

const TITLES = ['Pinned', 'Now', 'Today', 'Yesterday', 'This week', 'This month', 'Older']
const DAY = 86_400_000

function groupOf({ pinned, running, requests, updatedAt }: ConversationSummary, now: number): string {
  if (pinned) return 'Pinned'
  if (running > 0 || requests > 0) return 'Now'
  const today = new Date(now).setHours(0, 0, 0, 0)
  if (updatedAt >= today) return 'Today'
  if (updatedAt >= today - DAY) return 'Yesterday'
  if (updatedAt >= today - 6 * DAY) return 'This week'
  return updatedAt >= today - 30 * DAY ? 'This month' : 'Older'
}

function hasState(one: ConversationSummary, state: StateFilter, unmerged: Facts['unmerged']): boolean {
  if (state === 'archived' || one.archived) return state === 'archived' && one.archived
  if (state === 'unmerged') return unmerged.has(one.id)
  return state === 'all' || isInState(one, state)
}

function hasWords({ title, folder, totals }: ConversationSummary, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return true
  const within =
    `${title}\n${folderName(folder)}\n${totals?.branch ?? ''}\n${totals?.lastLine ?? ''}`.toLowerCase()
  return words.every((word) => within.includes(word))
}

// ---- What all come to, which is known a moment after the list. ----

type Sizes = Readonly<Record<string, number>>

/** Asks for both when the table opens: bytes on the disk by conversation, and the conversations with work to review. */
export function useSlowFacts() {
  const [sizes, setSizes] = useState<Sizes>({})
  const [toReview, setToReview] = useState<readonly string[]>([])
  useEffect(() => {
    let isThere = true
    void command('conversation.sizes', {}).then((answer) => isThere && answer.ok && setSizes(answer.value))
    void command('review.conversations', {}).then(
      (answer) => isThere && answer.ok && setToReview(answer.value),
    )
    return () => {
      isThere = false
    }
  }, [])
  return { sizes, toReview }
}

/** "$412.80 since March · 1.2 GB on the disk". */
export function sumOf(conversations: readonly ConversationSummary[], sizes: Sizes): string {
  const paid = conversations.filter(({ totals, rehearsal }) => !rehearsal && (totals?.usd ?? 0) > 0)
  const usd = paid.reduce((sum, { totals }) => sum + (totals?.usd ?? 0), 0)
  const since = Math.min(...paid.map(({ createdAt }) => createdAt))
  const bytes = sizeText(
    conversations.map(({ id }) => id),
    sizes,
  )
  const parts = [
    usd === 0 ? '' : `${formatMoney(usd)} since ${monthName(since)}`,
    bytes && `${bytes} on the disk`,
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

/** "13.7 MB"; empty: the sizes are not known yet. */
export function sizeText(ids: readonly string[], sizes: Sizes): string {
  const bytes = ids.reduce((sum, id) => sum + (sizes[id] ?? 0), 0)
  return bytes === 0 ? '' : formatSize(bytes)
}

/** "March", or "March 2025" in another year. */
function monthName(at: number): string {
  const isThisYear = new Date(at).getFullYear() === new Date(timeNow()).getFullYear()
  const year = isThisYear ? {} : ({ year: 'numeric' } as const)
  return new Intl.DateTimeFormat('en', { month: 'long', ...year }).format(at)
}
