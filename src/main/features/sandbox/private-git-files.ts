/** The parts of an agent's private git folder that filling it and taking over from it share. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A checkout and its git folders. Absolute, links resolved. */
export interface Checkout {
  readonly top: string
  /** The folder of the repository, with its objects, branches and settings. */
  readonly common: string
  /** The folder of this checkout, with its index: the common one, or one of its `worktrees`. */
  readonly own: string
}

/** The folders of one agent's private copy. */
export interface Store {
  /** Stands for the common folder. Commands write it, so nothing in it is trusted. */
  readonly copy: string
  /** Mounted read-only into it. */
  readonly fixed: string
}

/** What the copy was when it was filled. */
export interface Filled {
  /** What `HEAD` says: `ref: refs/heads/main`, or a commit. */
  readonly head: string
  /** The full name of the branch that is the agent's: checked out, or rebased at the moment; null: there is none. */
  readonly branch: string | null
  /** The commit of the branch, or the one that is checked out; null: there is none yet. */
  readonly commit: string | null
  /** The text of `info/exclude`. */
  readonly ignored: string
  /** By name of a ref: its commit. */
  readonly refs: ReadonlyMap<string, string>
  /** By path below the copy: the versions of the file there and of its original. */
  readonly versions: ReadonlyMap<string, GitFileVersions>
}

export interface GitFileVersions {
  readonly copy: string
  readonly original: string
}

/** Where the repository's own objects stand inside the private copy. */
export const REAL_OBJECTS = 'objects-of-repository'

/** Other repositories' objects that this one uses. */
export function alternatesOf(objects: string): readonly string[] {
  try {
    const lines = readFileSync(join(objects, 'info', 'alternates'), 'utf8').split('\n')
    return lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => resolve(objects, line))
      .filter((path) => statSync(path, { throwIfNoEntry: false }) !== undefined)
  } catch {
    return []
  }
}

/** Makes a folder, also where something else is. */
export function forceFolder(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) return
  if (found !== undefined) rmSync(path, { force: true })
  mkdirSync(path, { recursive: true, mode: 0o700 })
}

/** Makes each folder of a path below a folder, also where commands have put a link: nothing is written through one. */
export function forceFolders(folder: string, below: string): void {
  let at = folder
  for (const name of below.split('/').filter((part) => part !== '' && part !== '.')) {
    at = join(at, name)
    forceFolder(at)
  }
}

/** All files below a folder that are no links, with their paths below it. Ends after `most`. */
export function filesBelow(folder: string, most = 20_000): readonly string[] {
  const files: string[] = []
  const open = ['']
  for (let at = open.pop(); at !== undefined && files.length < most; at = open.pop()) {
    const full = join(folder, at)
    if (lstatSync(full, { throwIfNoEntry: false })?.isDirectory() !== true) continue
    for (const entry of readdirSync(full, { withFileTypes: true })) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      if (entry.isDirectory()) open.push(path)
      else if (entry.isFile()) files.push(path)
    }
  }
  return files
}

/** Changes with each write of a file. */
export function gitFileVersion(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found === undefined ? 'none' : `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`
}
