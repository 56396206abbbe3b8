/** A store in memory whose log is slow or fails in some methods. */
import { ok } from '../../../shared/kernel/result.ts'
import type { SampleLog } from '../ports/transcripts.ts'
import { createMemoryStore, type MemoryStore } from './memory-store.ts'

/** `change` returns the methods to replace in a log. */
export function storeWhere(change: (log: SampleLog, store: MemoryStore) => Partial<SampleLog>): MemoryStore {
  const store = createMemoryStore()
  const { open } = store
  store.open = async (record) => {
    const opened = await open(record)
    return opened.ok ? ok(Object.assign(Object.create(opened.value), change(opened.value, store))) : opened
  }
  return store
}
