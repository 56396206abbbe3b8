/** A store in memory of whose log some parts take their time, or fail. */
import { ok } from '../../../shared/result.ts'
import type { ConversationLog } from '../ports.ts'
import { createMemoryStore, type MemoryStore } from './memory-store.ts'

/** `change` is given the log as it is, and answers with what is done instead. */
export function storeWhere(
  change: (log: ConversationLog, store: MemoryStore) => Partial<ConversationLog>,
): MemoryStore {
  const store = createMemoryStore()
  const { open } = store
  store.open = async (record) => {
    const opened = await open(record)
    return opened.ok ? ok({ ...opened.value, ...change(opened.value, store) }) : opened
  }
  return store
}
