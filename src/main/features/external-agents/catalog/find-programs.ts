/**
 * Looks for the external agents: in the data folder, where Troupe installs them, and on the user's PATH. Reads
 * files only; nothing that is found here is started.
 */
import { existsSync, realpathSync } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import { isBelow } from '../../../platform/system/plain-text.ts'
import type { KnownProgram } from './known-programs.ts'

export interface FoundProgram {
  readonly place: 'own' | 'path'
  /** As it was found. Absolute. */
  readonly file: string
  /** Links resolved. */
  readonly real: string
  /** The version of its package; null: it is in none. */
  readonly version: string | null
  /** The oldest major version of Node that its package names; null: it names none. */
  readonly node: number | null
  /** Whether Node must run it. */
  readonly isScript: boolean
}

export interface ProgramsOnDisk {
  /** What Troupe installed; null: nothing, or nothing complete. */
  readonly own: FoundProgram | null
  /** In the order of PATH. */
  readonly onPath: readonly FoundProgram[]
  /** The commands of the same maker that don't speak the protocol. Absolute. */
  readonly partner: string | null
}

export interface SearchOptions {
  /** The folder with a subfolder for each program that Troupe installed. */
  readonly folder: string
  /** The variable PATH. */
  readonly path: string
  readonly home: string
  readonly platform: NodeJS.Platform
}

export async function findKnownProgram(known: KnownProgram, options: SearchOptions): Promise<ProgramsOnDisk> {
  const folders = foldersOf(options)
  const [own, onPath, partners] = await Promise.all([
    findIn(known, {
      modules: join(options.folder, known.id, 'node_modules'),
      platform: options.platform,
    }),
    allIn(folders, namesOf(known.command, options.platform)),
    known.partner === null ? [] : allIn(folders, namesOf(known.partner.command, options.platform)),
  ])
  const found = await Promise.all(onPath.map((file) => programAt(file, known)))
  return { own, onPath: found.flatMap((each) => each ?? []), partner: partners[0] ?? null }
}

/** The program in a folder that npm filled. */
export async function findIn(
  known: KnownProgram,
  { modules, platform }: { readonly modules: string; readonly platform: NodeJS.Platform },
): Promise<FoundProgram | null> {
  const manifest = await manifestIn(join(modules, known.package))
  if (manifest === null) return null
  const file =
    known.binary === null
      ? join(modules, known.package, binOf(manifest.bin, known.command))
      : await firstFile(binariesOf(known.binary, platform).map((path) => join(modules, path)))
  if (file === null || !(await isFile(file))) return null
  return {
    ...{ place: 'own', file, real: file, version: manifest.version, node: manifest.node },
    isScript: known.binary === null,
  }
}

/**
 * The program for this system. The `baseline` variants run on each processor; the others need a newer one and end with an
 * illegal instruction elsewhere.
 */
function binariesOf(start: string, platform: NodeJS.Platform): readonly string[] {
  const system = platform === 'win32' ? 'windows' : platform
  const name = `${start}-${system}-${process.arch}`
  const libc = platform === 'linux' && isMusl() ? ['-musl'] : ['']
  const program = platform === 'win32' ? `${start}.exe` : start
  return libc.flatMap((suffix) =>
    [`${name}-baseline${suffix}`, `${name}${suffix}`].map((folder) => join(folder, 'bin', program)),
  )
}

/** Whether this Linux has musl instead of glibc. Node's own report knows it for sure, and is slow. */
const isMusl = (): boolean => existsSync('/etc/alpine-release')

/**
 * A relative entry of PATH would name the folder that an agent works in, so only absolute ones count. Programs that are
 * started from the desktop often get a short PATH, so the usual folders for programs follow.
 */
function foldersOf({ path, home, platform }: SearchOptions): readonly string[] {
  const usual =
    platform === 'win32'
      ? []
      : [join(home, '.local', 'bin'), join(home, '.opencode', 'bin'), '/opt/homebrew/bin', '/usr/local/bin']
  return [...new Set([...path.split(delimiter).filter(isAbsolute), ...usual])]
}

const namesOf = (command: string, platform: NodeJS.Platform): readonly string[] =>
  platform === 'win32' ? [`${command}.exe`, `${command}.cmd`] : [command]

async function allIn(folders: readonly string[], names: readonly string[]): Promise<readonly string[]> {
  const files = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  const found = await Promise.all(files.map(isProgram))
  return files.filter((_, index) => found[index])
}

/** Null: a start script of Windows that leads to no package that Troupe knows. */
async function programAt(file: string, known: KnownProgram): Promise<FoundProgram | null> {
  if (file.endsWith('.cmd')) return behindScript(file, known)
  const real = await realpath(file)
  const manifest = await manifestAbove(real, known.package)
  return {
    ...{ place: 'path', file, real, version: manifest?.version ?? null, node: manifest?.node ?? null },
    isScript: /\.[cm]?js$/.test(real),
  }
}

/** npm puts its start scripts beside the folder with the packages. */
async function behindScript(file: string, known: KnownProgram): Promise<FoundProgram | null> {
  const folder = join(dirname(file), 'node_modules', known.package)
  const manifest = await manifestIn(folder)
  if (manifest === null) return null
  const real = join(folder, binOf(manifest.bin, known.command))
  if (!(await isFile(real))) return null
  return {
    ...{ place: 'path', file, real, version: manifest.version, node: manifest.node },
    isScript: /\.[cm]?js$/.test(real),
  }
}

/** The package that holds the file. */
async function manifestAbove(file: string, name: string): Promise<Manifest | null> {
  for (let folder = dirname(file); dirname(folder) !== folder; folder = dirname(folder)) {
    if (basename(folder) === 'node_modules') return null
    const manifest = await manifestIn(folder)
    if (manifest?.name === name) return manifest
  }
  return null
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin: unknown
  readonly node: number | null
}

async function manifestIn(folder: string): Promise<Manifest | null> {
  try {
    const read: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    if (typeof read !== 'object' || read === null) return null
    const { name, version, bin, engines } = read as Readonly<Record<string, unknown>>
    if (typeof name !== 'string' || typeof version !== 'string') return null
    const isNamed = typeof engines === 'object' && engines !== null && 'node' in engines
    return { name, version, bin, node: isNamed ? oldestNode(engines.node) : null }
  } catch {
    return null
  }
}

/** `>=22.5` → 22, `^20 || >=22` → 20; null: nothing that can be read. */
export function oldestNode(range: unknown): number | null {
  const majors =
    typeof range === 'string' ? [...range.matchAll(/(?<![\d.<])\d+/g)].map(([major]) => Number(major)) : []
  return majors.length === 0 ? null : Math.min(...majors)
}

function binOf(bin: unknown, command: string): string {
  if (typeof bin === 'string') return bin
  const named =
    typeof bin === 'object' && bin !== null ? (bin as Record<string, unknown>)[command] : undefined
  return typeof named === 'string' ? named : ''
}

async function firstFile(files: readonly string[]): Promise<string | null> {
  for (const file of files) if (await isFile(file)) return file
  return null
}

const isFile = (file: string): Promise<boolean> =>
  stat(file).then(
    (stats) => stats.isFile(),
    () => false,
  )

/** Whether the user may start it; on Windows the name says so. */
const isProgram = (file: string): Promise<boolean> =>
  stat(file).then(
    (stats) => stats.isFile() && (process.platform === 'win32' || (stats.mode & 0o111) !== 0),
    () => false,
  )

/**
 * The variable PATH without what a project could fill: npm puts a project's folder of programs in front of it.
 *
 * @param folder where Troupe was started
 * @param home a folder that holds it is no project
 */
export function pathOutside(path: string, folder: string, home: string): string {
  const root = realOf(folder)
  const own = realOf(home)
  if (own === root || isBelow(root, own)) return path
  const isOutside = (entry: string) =>
    ![entry, realOf(entry)].some((one) => one === root || isBelow(root, one) || isBelow(folder, one))
  return path.split(delimiter).filter(isOutside).join(delimiter)
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
