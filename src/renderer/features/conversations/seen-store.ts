/** Which ends of conversations the user has seen: those on the screen while the window is in front. Kept across restarts. */
import { create } from 'zustand'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import { useSession } from '../../stores/session-store.ts'

const KEY = 'troupe.seen'
/** Number of stored conversations; the local storage is limited. */
const KEPT = 1000

/** By conversation: the time of the newest outcome that was seen, ms since the epoch. */
const useSeen = create<Readonly<Record<string, number>>>()(() => ({}))

/** Whether the conversation ended since the user last saw it. */
export function useUnseen({ id, outcome }: ConversationSummary): boolean {
  return useSeen((seen) => outcome !== null && outcome.at > (seen[id] ?? Number.NEGATIVE_INFINITY))
}

/** Loads what was seen before the window started. */
export function loadSeen(): void {
  useSeen.setState(read(), true)
}

/** Marks the end of the conversation on the screen as seen, now and with every change. @returns the function that ends it */
export function watchSeen(): () => void {
  loadSeen()
  const unwatch = useSession.subscribe(({ conversations, conversationId, view }, before) => {
    const isSame = conversations === before.conversations && conversationId === before.conversationId
    if (!isSame || view !== before.view) markSeen()
  })
  window.addEventListener('focus', markSeen)
  document.addEventListener('visibilitychange', markSeen)
  return () => {
    unwatch()
    window.removeEventListener('focus', markSeen)
    document.removeEventListener('visibilitychange', markSeen)
  }
}

function markSeen(): void {
  const { conversations, conversationId, view } = useSession.getState()
  if (conversationId === null || view !== 'stage') return
  // A hidden window may still have the focus.
  if (!document.hasFocus() || document.visibilityState !== 'visible') return
  const at = conversations.find(({ id }) => id === conversationId)?.outcome?.at
  const seen = useSeen.getState()
  if (at === undefined || at <= (seen[conversationId] ?? Number.NEGATIVE_INFINITY)) return
  const { [conversationId]: _, ...others } = seen
  // The last key is the newest.
  const kept = Object.entries(others).slice(1 - KEPT)
  useSeen.setState(Object.fromEntries([...kept, [conversationId, at]]), true)
  try {
    localStorage.setItem(KEY, JSON.stringify(useSeen.getState()))
  } catch {
    // If the storage is full or forbidden, the marks last as long as the window.
  }
}

function read(): Readonly<Record<string, number>> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    const entries = typeof stored === 'object' && stored !== null ? Object.entries(stored) : []
    return Object.fromEntries(entries.filter(([, at]) => typeof at === 'number'))
  } catch {
    return {}
  }
}
