/**
 * Finds and reads the definition files on the command line. Synchronous: the program has nothing else to do,
 * and two thousand small files take a third of the time.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { basename, resolve, sep } from 'node:path'
import { type Failure, fail, messageOf, ok, type Result, sentence } from '../../../../shared/kernel/result.ts'
import { codeOf } from '../../../platform/system/error-code.ts'
import { isBelow, LARGEST_TEXT, UNREAD_WORDS } from '../../../platform/system/plain-text.ts'

interface NamedFile {
  /** The path as given; for a file in a folder, the folder as given with the rest. */
  readonly path: string
  /** Absolute. */
  readonly file: string
  /** For a link in a given folder: the folder, which the link must not leave. */
  readonly within: string | null
  /** The reason if a folder could not be listed. */
  readonly failure: UnreadFile | null
}

/** Why a file has no text. The position is that of the first invalid byte, if any. */
export interface UnreadFile extends Failure {
  readonly type: 'unreadable' | 'too-large' | 'not-utf8'
  readonly line: number
  readonly column: number
}

/** Expands folders to all their `*.md` files, sorted by path. Paths are relative to `cwd`. */
export function namedFiles(paths: readonly string[], cwd: string): readonly NamedFile[] {
  return paths.flatMap((path) => {
    const file = resolve(cwd, path)
    return isFolder(file) ? filesBelow(path, file) : [{ path, file, within: null, failure: null }]
  })
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // Reading the path as a file reports the reason.
    return false
  }
}

function filesBelow(given: string, folder: string): readonly NamedFile[] {
  const start = given.replace(/[/\\]+$/, '') || sep
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
      found.push({ path, file: here, within: null, failure: unreadable(reasonFor(thrown, 'folder')) })
    }
  }
  list([])
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The file's text, including a byte order mark. Never blocks, even on a pipe. */
export function readNamedFile({ file, within, failure }: NamedFile): Result<string, UnreadFile> {
  if (failure !== null) return fail(failure)
  try {
    if (within !== null && !isBelow(realpathSync(within), realpathSync(file)))
      return fail(unreadable(UNREAD_WORDS['leads-out']))
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      if (!fstatSync(handle).isFile()) return fail(unreadable(UNREAD_WORDS['no-file']))
      const bytes = bytesOf(handle)
      return bytes === null ? fail(tooLarge()) : textOfBytes(bytes)
    } finally {
      closeSync(handle)
    }
  } catch (thrown) {
    return fail(unreadable(reasonFor(thrown, 'file')))
  }
}

let buffer: Uint8Array | undefined

/** Valid until the next call; null: more than the limit. Reads to the end: a file of /proc states 0 bytes. */
function bytesOf(handle: number): Uint8Array | null {
  buffer ??= new Uint8Array(LARGEST_TEXT + 4096)
  let filled = 0
  for (;;) {
    const read = readSync(handle, buffer, filled, buffer.length - filled, null)
    filled += read
    if (filled > LARGEST_TEXT) return null
    if (read === 0) return buffer.subarray(0, filled)
  }
}

/** The text of a stream, read to its end. */
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
    return fail(unreadable(`Not readable: ${sentence(messageOf(thrown))}`))
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
    // With `stream`, an incomplete character at the end is left out.
    const before = new TextDecoder().decode(bytes.subarray(0, firstWrongByte(bytes)), { stream: true })
    const line = before.split('\n').length
    const column = before.length - before.lastIndexOf('\n')
    const message = `The file is not UTF-8 from line ${line}, column ${column} on. Save it as UTF-8.`
    return fail({ type: 'not-utf8', message, line, column })
  }
}

/** The length of the longest prefix that may begin valid UTF-8. */
function firstWrongByte(bytes: Uint8Array): number {
  let [low, high] = [0, bytes.length]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (isUtf8Prefix(bytes.subarray(0, middle))) low = middle
    else high = middle - 1
  }
  return low
}

function isUtf8Prefix(bytes: Uint8Array): boolean {
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

function reasonFor(thrown: unknown, kind: 'file' | 'folder'): string {
  switch (codeOf(thrown)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `${kind === 'file' ? 'File' : 'Folder'} not found.`
    case 'EACCES':
    case 'EPERM':
      return `No permission to read the ${kind}.`
    case 'ELOOP':
      return 'The link leads in a circle.'
    default:
      return `The ${kind} is not readable: ${messageOf(thrown).split(', ')[0]}.`
  }
}
