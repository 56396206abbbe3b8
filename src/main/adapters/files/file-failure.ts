/** What the system says about a file, in the words and types of the port. */
import { type Failure, messageOf } from '../../../shared/result.ts'

/** The system's code of a thrown error (`ENOENT`), or an empty string. */
export function codeOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return ''
  return typeof thrown.code === 'string' ? thrown.code : ''
}

/** A failure of the types that `FileSystem` names, with words for whoever asked for the file. */
export function fileFailure(thrown: unknown, path: string): Failure {
  const code = codeOf(thrown)
  const known = KNOWN[code]
  if (known) return { type: known[0], message: `${path} ${known[1]}`, cause: thrown }
  // What follows the comma names the call and the paths it was made with: nothing for whoever reads this.
  const words = code === '' ? messageOf(thrown) : (messageOf(thrown).split(', ')[0] ?? code)
  return { type: 'io', message: `${path}: ${words}`, cause: thrown }
}

/** A link has come into a path that was resolved before. */
export function movedFailure(path: string): Failure {
  return {
    type: 'moved',
    message: `${path} leads somewhere else than it did when it was checked. Nothing was touched.`,
  }
}

export function changedFailure(path: string): Failure {
  return { type: 'changed', message: `${path} was changed by something else just now. Nothing was written.` }
}

const KNOWN: Readonly<Record<string, readonly [type: string, words: string]>> = {
  ENOENT: ['not-found', 'does not exist.'],
  ENOTDIR: ['not-found', 'does not exist: a part of that path is a file, not a folder.'],
  EACCES: ['denied', 'may not be accessed by this user.'],
  EPERM: ['denied', 'is protected by the system against this.'],
  EROFS: ['denied', 'is on a disk that can only be read.'],
  EISDIR: ['is-folder', 'is a folder.'],
  ELOOP: ['io', 'leads in a circle of links.'],
  ENAMETOOLONG: ['io', 'is longer than the system allows.'],
  ENOSPC: ['io', 'could not be written: the disk is full.'],
  EDQUOT: ['io', "could not be written: the user's share of the disk is full."],
  ETXTBSY: ['io', 'is a program that runs at the moment.'],
  ERR_INVALID_ARG_VALUE: ['io', 'is not a path: it holds a character that none may have.'],
}
