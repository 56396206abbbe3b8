/** Serializes the changes of one repository's worktrees within this process. */
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'

/** Module-wide: `Worktrees` and `Review` change the same repositories. */
const lock = new KeyedLock()

/** @param commonFolder the folder that all checkouts of the repository share, links resolved */
export function withRepositoryLock<T>(commonFolder: string, act: () => Promise<T>): Promise<T> {
  return lock.withLock(commonFolder, act)
}

/** Serializes the commands of Review. Takes the repository lock inside, never the other way round. */
export function withReviewLock<T>(commonFolder: string, act: () => Promise<T>): Promise<T> {
  return lock.withLock(`${commonFolder} review`, act)
}
