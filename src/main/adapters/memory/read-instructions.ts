/**
 * Reads files of instructions with what they import. A repository must not be able to put any other file of
 * this user into a request: what it names is followed to its end, and read only where that lies inside of it.
 */
import { realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { LoadedInstructions } from '../../../shared/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { makeVisible } from '../../../shared/visible-text.ts'
import type { FileSystem, InstructionFile } from '../../runtime/ports.ts'
import { findRepository } from '../folders/git-branch.ts'
import { codeOf } from '../system/error-code.ts'
import { fileFailure } from '../system/file-failure.ts'
import { isBelow } from '../system/plain-text.ts'
import { digestOf } from './digest-of.ts'
import { importsIn, MOST_IMPORTS } from './find-imports.ts'
import { firstBytes, textOfInstructions } from './instruction-bytes.ts'

/** Bytes of one file, and of all together: they go into every request. */
const LONGEST_FILE = 64 * 1024
const LONGEST_TOGETHER = 256 * 1024
const MOST_FILES = 100
/** Imports of imports of imports. */
const DEEPEST = 5
/** Bytes: what is larger is not looked into. */
const LARGEST_READ = 16 * 1024 * 1024

export interface InstructionStart extends Pick<LoadedInstructions, 'path' | 'scope'> {
  /**
   * The real folder that neither a link nor an import leads out of. Null for the user's own files: they
   * may lie anywhere, and import from the home folder.
   */
  readonly inside: string | null
}

export interface ReadingRules {
  readonly files: Pick<FileSystem, 'read'>
  /** The user's home folder, links resolved. */
  readonly home: string
  /** Whether a file of that path may hold a secret: such a file is never read unasked. */
  isSecret(path: string): boolean
  /** A real folder of which nothing is read. */
  readonly untrusted: string | null
}

export interface ReadInstructions {
  readonly files: readonly InstructionFile[]
  /** What could not be read and why, for a person. */
  readonly problems: readonly string[]
}

interface Wanted extends InstructionStart {
  readonly importedBy: string | null
  readonly depth: number
  /** The real folder of the file that the imports began with. */
  readonly from: string | null
}

interface Reading {
  readonly files: InstructionFile[]
  readonly problems: Set<string>
  /** Real paths. Each file is read once, so that imports in a circle end. */
  readonly seen: Set<string>
  bytes: number
  isFull: boolean
}

/** In order, each file before what it imports. Files that are not there are left out. */
export async function readInstructions(
  starts: readonly InstructionStart[],
  rules: ReadingRules,
): Promise<ReadInstructions> {
  const reading: Reading = { files: [], problems: new Set(), seen: new Set(), bytes: 0, isFull: false }
  for (const start of starts)
    await follow({ ...start, importedBy: null, depth: 0, from: null }, { reading, rules })
  return { files: reading.files, problems: [...reading.problems] }
}

interface Work {
  readonly reading: Reading
  readonly rules: ReadingRules
}

async function follow(wanted: Wanted, work: Work): Promise<void> {
  const { reading, rules } = work
  if (reading.isFull) return
  const found = await realFile(wanted.path)
  const tell = (reason: string) => reading.problems.add(`${nameOf(wanted)} was not read: ${reason}`)
  if (!found.ok) return void tell(makeVisible(found.failure.message))
  const real = found.value
  if (real === null || reading.seen.has(real)) return
  const refusal = whyNotRead(real, wanted, rules)
  if (refusal !== null) return void tell(refusal)
  reading.seen.add(real)
  const text = await readText(real, wanted, work)
  if (!text.ok) return void tell(text.failure.message)
  if (text.value.trim() === '') return
  const bytes = Buffer.byteLength(text.value)
  if (reading.bytes + bytes > LONGEST_TOGETHER || reading.files.length >= MOST_FILES) {
    reading.isFull = true
    return void tell(
      `with it there would be more than ${MOST_FILES} files or ${LONGEST_TOGETHER / 1024} KB of instructions. Nothing after it was read either.`,
    )
  }
  reading.bytes += bytes
  const { path, scope, importedBy } = wanted
  reading.files.push({ path, scope, importedBy, bytes, digest: digestOf(text.value), text: text.value })
  await followImports(text.value, { ...wanted, real }, work)
}

async function followImports(
  text: string,
  importer: Wanted & { readonly real: string },
  work: Work,
): Promise<void> {
  const imports = importsIn(text)
  if (imports.length > MOST_IMPORTS)
    work.reading.problems.add(
      `${makeVisible(importer.path)} imports ${imports.length} files. Only the first ${MOST_IMPORTS} were looked for.`,
    )
  const folder = dirname(importer.real)
  const from = importer.from ?? folder
  const inside = await boundaryOf(importer, { from, home: work.rules.home })
  for (const readings of imports.slice(0, MOST_IMPORTS))
    for (const reading of readings) {
      // Another machine's share: even to look for it would tell that machine who the user is.
      if (/^[\\/]{2}/.test(reading)) continue
      const path = pathOf(reading, folder, work.rules.home)
      const found = await realFile(path)
      if (found.ok && found.value === null) continue
      const { scope, depth } = importer
      await follow({ path, scope, inside, importedBy: importer.path, depth: depth + 1, from }, work)
      break
    }
}

/**
 * The real folder that a file's imports stay in. One of the user's own may import what lies in a repository,
 * whose file then brings no more than that repository.
 */
async function boundaryOf(
  { inside, importedBy, real }: Wanted & { readonly real: string },
  { from, home }: { readonly from: string; readonly home: string },
): Promise<string> {
  if (inside !== null && (importedBy === null || inside !== home)) return inside
  if (importedBy === null) return home
  const repository = await findRepository(dirname(real))
  const top = repository && (await realpath(repository.top).catch(() => null))
  return top === null || !isBelow(home, top) || isIn(top, from) ? home : top
}

function whyNotRead(real: string, { inside, depth }: Wanted, rules: ReadingRules): string | null {
  if (inside !== null && !isBelow(inside, real))
    return `it lies outside of ${makeVisible(inside)}, at ${makeVisible(real)}.`
  if (inside !== null && rules.untrusted !== null && isIn(rules.untrusted, real))
    return 'its folder is not trusted.'
  if (inside !== null && rules.isSecret(relative(inside, real)))
    return 'it may hold a secret, and instructions go into every request.'
  if (depth > DEEPEST) return `it is imported more than ${DEEPEST} files deep.`
  return null
}

/** Null where there is no plain file. */
async function realFile(path: string): Promise<Result<string | null>> {
  try {
    const real = await realpath(path)
    return ok((await stat(real)).isFile() ? real : null)
  } catch (thrown) {
    return NOT_THERE.has(codeOf(thrown)) ? ok(null) : fail(fileFailure(thrown, path))
  }
}

const NOT_THERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'])

/** As it is at this real path: where a link has come into it meanwhile, nothing is read. */
async function readText(real: string, wanted: Wanted, { reading, rules }: Work): Promise<Result<string>> {
  const read = await rules.files.read(real, { real: true, limit: LARGEST_READ })
  if (!read.ok)
    return fail({
      ...read.failure,
      message:
        read.failure.type === 'too-large'
          ? `it is larger than ${LARGEST_READ / 1024 / 1024} MB.`
          : makeVisible(read.failure.message),
    })
  const text = textOfInstructions(firstBytes(read.value, LONGEST_FILE))
  if (text === null) return fail({ type: 'binary', message: 'it is not text.' })
  if (read.value.length <= LONGEST_FILE) return ok(text)
  reading.problems.add(
    `${nameOf(wanted)} is longer than ${LONGEST_FILE / 1024} KB. Only its beginning was read.`,
  )
  return ok(`${text}\n[cut here: the file is longer than ${LONGEST_FILE / 1024} KB]`)
}

function nameOf({ path, importedBy }: Wanted): string {
  return importedBy === null
    ? makeVisible(path)
    : `${makeVisible(path)}, which ${makeVisible(importedBy)} imports,`
}

function pathOf(written: string, folder: string, home: string): string {
  return /^~[\\/]/.test(written) ? join(home, written.slice(2)) : resolve(folder, written)
}

function isIn(folder: string, path: string): boolean {
  return path === folder || isBelow(folder, path)
}
