/** What git says when the disk is at fault, in words for a person. */
import type { Failure } from '../../../shared/result.ts'

/** @param what what could not be done, as the start of a sentence */
export function inWords(failure: Failure, what: string): Failure {
  const { type, message, cause } = failure
  if (type === 'not-found') return { type: 'io', message: `${what}: ${message}`, cause }
  if (type !== 'git') return failure
  const todo = todoFor(message)
  return {
    type: todo === null ? 'git' : 'io',
    message: `${what}. ${message}${todo === null ? '' : ` ${todo}`}`,
    cause,
  }
}

function todoFor(message: string): string | null {
  if (/No space left on device|Disk quota exceeded/.test(message))
    return 'The disk is full: free some space, then try again.'
  if (/Read-only file system/.test(message))
    return 'The disk can only be read at the moment: make it writable, then try again.'
  if (/Permission denied/.test(message)) return 'Check who owns these files and their permissions.'
  if (/\.lock': File exists/.test(message))
    return 'Another program has held this lock for long. If no git runs there, remove the file that is named.'
  return null
}
