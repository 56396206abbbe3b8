/** Which conversations the view of all conversations lists, in which order and groups. */
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import { folderName } from '../../ui/text/format.ts'

export const stateFilters = ['all', 'needs-you', 'running', 'failed', 'unmerged', 'archived'] as const
export type StateFilter = (typeof stateFilters)[number]

export interface ListFilter {
  readonly state: StateFilter
  /** Words in title, folder and last line, in any order. */
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
  /** Conversations with work in worktrees that is not merged; known for the open folder. */
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

function hasState(
  { id, archived, requests, running, outcome }: ConversationSummary,
  state: StateFilter,
  unmerged: Facts['unmerged'],
): boolean {
  if (state === 'archived' || archived) return state === 'archived' && archived
  switch (state) {
    case 'all':
      return true
    case 'needs-you':
      return requests > 0
    case 'running':
      return running > 0
    case 'failed':
      return running === 0 && (outcome?.kind === 'failed' || outcome?.kind === 'interrupted')
    case 'unmerged':
      return unmerged.has(id)
  }
}

function hasWords({ title, folder, totals }: ConversationSummary, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return true
  const within = `${title}\n${folderName(folder)}\n${totals?.lastLine ?? ''}`.toLowerCase()
  return words.every((word) => within.includes(word))
}
