/**
 * Reads instruction files with their imports. A repository must not be able to put any other file of the user into a
 * request: links are resolved, and a file is read only if its real path is inside the repository.
 */
import { realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { bodyOf } from '../../../shared/agent-definition/write-definition.ts'
import type { LoadedInstructions } from '../../../shared/events/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { findRepository } from '../../platform/folders/folder-reader.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import { fileFailure } from '../../platform/system/file-failure.ts'
import { isBelow } from '../../platform/system/plain-text.ts'
import type { InstructionFile } from '../../runtime/ports/definitions.ts'
import type { FileSystem } from '../../runtime/ports/files.ts'
import { shortDigest } from './digest-of.ts'
import { importsIn, MOST_IMPORTS } from './find-imports.ts'
import { firstBytes, textOfInstructions } from './instruction-bytes.ts'

/** Bytes of one file, and of all files together. Instructions are part of every request. */
const LONGEST_FILE = 64 * 1024
const LONGEST_TOGETHER = 256 * 1024
const MOST_FILES = 100
/** Maximum depth of nested imports. */
const DEEPEST = 5
/** Bytes. Larger files are not read. */
const LARGEST_READ = 16 * 1024 * 1024

export interface InstructionStart extends Pick<LoadedInstructions, 'path' | 'scope'> {
  /**
   * The real folder that links and imports must not leave. Null for the user's own files, which may be anywhere and may
   * import from the home folder.
   */
  readonly inside: string | null
  /** A file of `.claude/rules`: its frontmatter says where it holds, and is no text for agents. */
  readonly isRule?: true
}

export interface ReadingRules {
  readonly files: Pick<FileSystem, 'read'>
  /** The user's home folder, links resolved. */
  readonly home: string
  /** Whether a file may hold a secret, by its path. Such a file is never read. */
  isSecret(path: string): boolean
  /** A real folder whose files are not read. */
  readonly untrusted: string | null
  /** What agents are told instead of the text of a project's file; null: nothing of it. Missing: the text. */
  readonly told?: (file: { readonly path: string; readonly text: string }) => Promise<string | null>
}

interface ReadInstructions {
  readonly files: readonly InstructionFile[]
  /** Files that could not be read, with the reasons, for the user. */
  readonly problems: readonly string[]
}

interface Wanted extends InstructionStart {
  readonly importedBy: string | null
  readonly depth: number
  /** The real folder of the first importing file. */
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

/** The files in order, each one before its imports. Missing files are left out. */
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
  const report = (reason: string) => reading.problems.add(`${nameOf(wanted)} was not read: ${reason}`)
  if (!found.ok) return void report(makeVisible(found.failure.message))
  const real = found.value
  if (real === null || reading.seen.has(real)) return
  const refusal = whyNotRead(real, wanted, rules)
  if (refusal !== null) return void report(refusal)
  reading.seen.add(real)
  const whole = await readText(real, wanted, work)
  if (!whole.ok) return void report(whole.failure.message)
  const text = ok(wanted.isRule ? (bodyOf(whole.value) ?? whole.value) : whole.value)
  if (text.value.trim() === '') return
  const bytes = Buffer.byteLength(text.value)
  if (reading.bytes + bytes > LONGEST_TOGETHER || reading.files.length >= MOST_FILES) {
    reading.isFull = true
    return void report(
      `the limit of ${MOST_FILES} files or ${LONGEST_TOGETHER / 1024} KB of instructions is reached. Later files were not read either.`,
    )
  }
  reading.bytes += bytes
  const { path, scope, importedBy } = wanted
  reading.files.push({ path, scope, importedBy, bytes, digest: shortDigest(text.value), text: text.value })
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
      `${makeVisible(importer.path)} imports ${imports.length} files. Only the first ${MOST_IMPORTS} were read.`,
    )
  const folder = dirname(importer.real)
  const from = importer.from ?? folder
  const inside = await boundaryOf(importer, { from, home: work.rules.home })
  for (const readings of imports.slice(0, MOST_IMPORTS))
    for (const reading of readings) {
      // A network share: even checking its existence would reveal the user's identity to the other machine.
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
 * The real folder that a file's imports must not leave. The user's own files may import a file of a repository; the
 * imports of that file must stay in the repository.
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
    return `its real path ${makeVisible(real)} is outside ${makeVisible(inside)}.`
  if (inside !== null && rules.untrusted !== null && isIn(rules.untrusted, real))
    return 'its folder is not trusted.'
  if (inside !== null && rules.isSecret(relative(inside, real)))
    return 'it may hold a secret, and instructions go into every request.'
  if (depth > DEEPEST) return `it is imported more than ${DEEPEST} files deep.`
  return null
}

/** Null if there is no regular file. */
async function realFile(path: string): Promise<Result<string | null>> {
  try {
    const real = await realpath(path)
    return ok((await stat(real)).isFile() ? real : null)
  } catch (thrown) {
    return NOT_THERE.has(codeOf(thrown)) ? ok(null) : fail(fileFailure(thrown, path))
  }
}

const NOT_THERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'])

/** Reads the file at this real path. Fails if the path contains a link meanwhile. */
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
  if (textOfInstructions(firstBytes(read.value, LONGEST_FILE)) === null)
    return fail({ type: 'binary', message: 'it is not text.' })
  const whole = new TextDecoder().decode(read.value)
  const { path, scope } = wanted
  const told = scope === 'project' && rules.told ? ((await rules.told({ path, text: whole })) ?? '') : whole
  const bytes = Buffer.from(told)
  if (bytes.length <= LONGEST_FILE) return ok(told)
  const text = textOfInstructions(firstBytes(bytes, LONGEST_FILE)) ?? ''
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
