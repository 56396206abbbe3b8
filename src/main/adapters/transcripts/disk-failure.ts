/** What the disk said, in words for a person. */
import { type Failure, messageOf } from '../../../shared/result.ts'

/** The error's code (`ENOENT`), or an empty string. */
export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}

/**
 * @param what what could not be done, as the start of a sentence: "The transcript can’t be saved"
 * @param path the file or folder it was about
 */
export function diskFailure(thrown: unknown, what: string, path: string): Failure {
  const { type, why, todo } = reasonOf(codeOf(thrown))
  const because = why === '' ? messageOf(thrown) : why
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
        why: 'the limit set for your files on this disk is reached',
        todo: 'Free some space or raise the limit, then try again.',
      }
    case 'EROFS':
      return {
        type: 'read-only',
        why: 'the disk can only be read at the moment',
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
