/** Failures of the disk as messages for the user. */
import { type Failure, messageOf } from '../../../shared/kernel/result.ts'
import { codeOf } from './error-code.ts'

/**
 * @param what what failed, as the start of a sentence: "The transcript can’t be saved"
 * @param path the file or folder concerned
 */
export function diskFailure(thrown: unknown, what: string, path: string): Failure {
  const { type, why, todo } = reasonOf(codeOf(thrown))
  // The text after the comma names the system call and the temporary file.
  const because = why === '' ? (messageOf(thrown).split(', ')[0] ?? '') : why
  return { type, message: `${what}: ${because} (${path}). ${todo}`, cause: thrown }
}

function reasonOf(code: string): { readonly type: string; readonly why: string; readonly todo: string } {
  switch (code) {
    case 'ENOSPC':
      return { type: 'disk-full', why: 'the disk is full', todo: 'Free some space, then try again.' }
    case 'EDQUOT':
    case 'EFBIG':
      return {
        type: 'disk-full',
        why: 'your quota on this disk is used up',
        todo: 'Free some space or raise the quota, then try again.',
      }
    case 'EROFS':
      return {
        type: 'read-only',
        why: 'the disk is read-only',
        todo: 'Make it writable again, then try again.',
      }
    case 'EACCES':
    case 'EPERM':
      return {
        type: 'denied',
        why: 'you are not allowed to use this file',
        todo: 'Check who owns it and its permissions, then try again.',
      }
    case 'ENOENT':
    case 'ENOTDIR':
      return {
        type: 'folder-gone',
        why: 'the file or its folder is gone',
        todo: 'Put it back if you moved it, then try again.',
      }
    case 'EMFILE':
    case 'ENFILE':
      return {
        type: 'too-many-files',
        why: 'too many files are open',
        todo: 'Close other programs or conversations, then try again.',
      }
    case 'EIO':
      return {
        type: 'io',
        why: 'the disk reported an error',
        todo: 'Check that it is connected and healthy, then try again.',
      }
    default:
      return { type: 'io', why: '', todo: 'Try again.' }
  }
}
