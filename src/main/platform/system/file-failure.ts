/** Errors of the file system as failures of the `FileSystem` port. */
import { type Failure, messageOf } from '../../../shared/kernel/result.ts'
import { codeOf } from './error-code.ts'

/** A failure of a type that `FileSystem` names, with a message for the caller of the tool. */
export function fileFailure(thrown: unknown, path: string): Failure {
  const code = codeOf(thrown)
  const known = KNOWN[code]
  if (known) return { type: known[0], message: `${path} ${known[1]}`, cause: thrown }
  // The text after the comma names the system call and its arguments.
  const text = code === '' ? messageOf(thrown) : (messageOf(thrown).split(', ')[0] ?? code)
  return { type: 'io', message: `${path}: ${text}`, cause: thrown }
}

/** A link appeared in a path that was resolved before. */
export function movedFailure(path: string): Failure {
  return {
    type: 'moved',
    message: `${path} leads elsewhere than when it was checked. Nothing was changed.`,
  }
}

export function changedFailure(path: string): Failure {
  return { type: 'changed', message: `${path} was just changed by another program. Nothing was written.` }
}

const KNOWN: Readonly<Record<string, readonly [type: string, text: string]>> = {
  ENOENT: ['not-found', 'does not exist.'],
  ENOTDIR: ['not-found', 'does not exist: a part of that path is a file, not a folder.'],
  EACCES: ['denied', 'is not accessible to this user.'],
  EPERM: ['denied', 'is protected by the system.'],
  EROFS: ['denied', 'is on a read-only disk.'],
  EISDIR: ['is-folder', 'is a folder.'],
  ENXIO: [
    'io',
    'is a socket, not a file. While a command runs in the sandbox, one stands where a protected file is missing: stop the commands that run in this folder, then try again.',
  ],
  ELOOP: ['io', 'is part of a circle of links.'],
  ENAMETOOLONG: ['io', 'is longer than the system allows.'],
  ENOSPC: ['io', 'could not be written: the disk is full.'],
  EDQUOT: ['io', "could not be written: the user's disk quota is used up."],
  ETXTBSY: ['io', 'is a program that is running.'],
  ERR_INVALID_ARG_VALUE: ['io', 'is not a path: it holds a character that no path may have.'],
}
