/** A store in memory whose log is slow or fails in some methods. */
import { ok } from '../../../shared/kernel/result.ts'
import type { ConversationLog } from '../ports/transcripts.ts'
import { createMemoryStore, type MemoryStore } from './memory-store.ts'

/** `change` returns the methods to replace in a log. */
export function storeWhere(
  change: (log: ConversationLog, store: MemoryStore) => Partial<ConversationLog>,
): MemoryStore {
  const store = createMemoryStore()
  const { open } = store
  store.open = async (record, follower) => {
    const opened = await open(record, follower)
    return opened.ok ? ok(Object.assign(Object.create(opened.value), change(opened.value, store))) : opened
  }
  return store
}
