/** The place where bundles wait for another machine. Part of the transport between machines. */
import type { Result } from '../kernel/result.ts'

export interface StoredObject {
  readonly object: string
  /** Hex. */
  readonly sha256: string
  readonly bytes: number
}

export interface ObjectStore {
  /** Stores a file durably. */
  put(path: string, signal?: AbortSignal): Promise<Result<StoredObject>>
  /** Writes an object to a new file. Ends with a failure as soon as more than `stored.bytes` arrive. */
  get(stored: StoredObject, path: string, signal?: AbortSignal): Promise<Result<void>>
  has(object: string): Promise<boolean>
  /** Does nothing if the object is gone. */
  remove(object: string): Promise<void>
}
