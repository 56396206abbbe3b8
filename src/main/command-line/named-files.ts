/**
 * The definition files that a command names, and their texts. One after the other and without promises: the
 * program has nothing else to do meanwhile, and two thousand small files are read in a third of the time.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { basename, resolve, sep } from 'node:path'
import { type Failure, fail, messageOf, ok, type Result } from '../../shared/result.ts'
import { codeOf } from '../adapters/files/file-failure.ts'
import { isBelow, LARGEST_TEXT, UNREAD_WORDS } from '../adapters/files/plain-text.ts'

export interface NamedFile {
  /** As it was given; below a folder, that and the rest. */
  readonly path: string
  /** Absolute. */
  readonly file: string
  /** For a link below a folder that was named: that folder, which it does not lead out of. */
  readonly within: string | null
  /** Why there is no file to read, where a folder could not be listed. */
  readonly failure: UnreadFile | null
}

/** Why a file has no text; the place is that of the first wrong byte, where there is one. */
export interface UnreadFile extends Failure {
  readonly type: 'unreadable' | 'too-large' | 'not-utf8'
  readonly line: number
  readonly column: number
}

/** Files as they were given, folders as all `*.md` below them, by path. Paths are relative to `cwd`. */
export function namedFiles(words: readonly string[], cwd: string): readonly NamedFile[] {
  return words.flatMap((word) => {
    const file = resolve(cwd, word)
    return isFolder(file) ? filesBelow(word, file) : [{ path: word, file, within: null, failure: null }]
  })
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // Reading it as a file says why.
    return false
  }
}

function filesBelow(word: string, folder: string): readonly NamedFile[] {
  const start = word.replace(/[/\\]+$/, '') || sep
  const found: NamedFile[] = []
  const list = (below: readonly string[]) => {
    const path = [start === sep ? '' : start, ...below].join('/')
    const here = resolve(folder, ...below)
    try {
      for (const entry of readdirSync(here, { withFileTypes: true })) {
        const inside = [...below, entry.name]
        if (entry.isDirectory()) list(inside)
        else if (entry.name.endsWith('.md'))
          found.push({
            path: `${path}/${entry.name}`,
            file: resolve(here, entry.name),
            within: entry.isSymbolicLink() ? folder : null,
            failure: null,
          })
      }
    } catch (thrown) {
      found.push({ path, file: here, within: null, failure: unreadable(whyNot(thrown, 'folder')) })
    }
  }
  list([])
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The file's text, a byte-order mark included. Never waits: a pipe in place of a file has no end. */
export function readNamedFile({ file, within, failure }: NamedFile): Result<string, UnreadFile> {
  if (failure !== null) return fail(failure)
  try {
    if (within !== null && !isBelow(realpathSync(within), realpathSync(file)))
      return fail(unreadable(UNREAD_WORDS['leads-out']))
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const stats = fstatSync(handle)
      if (!stats.isFile()) return fail(unreadable(UNREAD_WORDS['no-file']))
      return stats.size > LARGEST_TEXT ? fail(tooLarge()) : textOfBytes(readFileSync(handle))
    } finally {
      closeSync(handle)
    }
  } catch (thrown) {
    return fail(unreadable(whyNot(thrown, 'file')))
  }
}

/** All of a stream that has an end, as the text of a file. */
export async function readStream(input: AsyncIterable<Uint8Array>): Promise<Result<string, UnreadFile>> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of input) {
      parts.push(part)
      size += part.length
      if (size > LARGEST_TEXT) return fail(tooLarge())
    }
  } catch (thrown) {
    return fail(unreadable(`It could not be read: ${messageOf(thrown)}.`))
  }
  return textOfBytes(Buffer.concat(parts))
}

/** The file's name without `.md`. */
export const stemOf = (path: string): string => basename(path, '.md')

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOfBytes(bytes: Uint8Array): Result<string, UnreadFile> {
  try {
    return ok(strict.decode(bytes))
  } catch {
    // A character that only begins is not part of what a stream gives.
    const before = new TextDecoder().decode(bytes.subarray(0, firstWrongByte(bytes)), { stream: true })
    const line = before.split('\n').length
    const column = before.length - before.lastIndexOf('\n')
    const message = `Its bytes are not UTF-8 from line ${line}, column ${column} on. Save it as UTF-8.`
    return fail({ type: 'not-utf8', message, line, column })
  }
}

/** The length of the longest beginning that may be a beginning of UTF-8. */
function firstWrongByte(bytes: Uint8Array): number {
  let [low, high] = [0, bytes.length]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (mayGoOn(bytes.subarray(0, middle))) low = middle
    else high = middle - 1
  }
  return low
}

function mayGoOn(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

const unreadable = (message: string): UnreadFile => ({ type: 'unreadable', message, line: 1, column: 1 })

const tooLarge = (): UnreadFile => ({
  type: 'too-large',
  message: UNREAD_WORDS['too-large'],
  line: 1,
  column: 1,
})

function whyNot(thrown: unknown, kind: 'file' | 'folder'): string {
  switch (codeOf(thrown)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `There is no such ${kind}.`
    case 'EACCES':
    case 'EPERM':
      return `This user may not read the ${kind}.`
    case 'ELOOP':
      return 'It is a link that leads in a circle.'
    default:
      return `The ${kind} could not be read: ${messageOf(thrown).split(', ')[0]}.`
  }
}
