/**
 * Stands in for protected files that are missing, while commands run: an empty file or folder at the path, on which the
 * sandbox mounts a read-only one. Made before the first command that needs it, removed after the last one.
 */
import {
  appendFileSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { identityOf, isRunning } from '../../platform/system/process-identity.ts'

export interface Placeholders {
  /** Makes the placeholder, or shares the one that is there. @returns false: the path has something else, or can't be made */
  hold(path: string, kind: 'file' | 'folder'): boolean
  /** Removes it with its last holder, if nobody has put anything there. */
  release(path: string): void
  /** Whether the path is a placeholder now. */
  has(path: string): boolean
}

interface Held {
  readonly kind: 'file' | 'folder'
  readonly ino: number
  holders: number
}

/** The list of placeholders in a folder of the sandbox, for the next start after a kill. */
const LIST = 'placeholders'

/** @param folder the sandbox's own folder, in which the placeholders are listed */
export function createPlaceholders(folder: string): Placeholders {
  const held = new Map<string, Held>()
  return {
    hold(path, kind) {
      const known = held.get(path)
      if (known !== undefined) {
        if (lstatSync(path, { throwIfNoEntry: false })?.ino !== known.ino) return false
        known.holders++
        return true
      }
      if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false
      try {
        appendFileSync(join(folder, LIST), `${kind} ${JSON.stringify(path)}\n`)
        if (kind === 'folder') mkdirSync(path)
        else closeSync(openSync(path, 'wx', 0o644))
        held.set(path, { kind, ino: lstatSync(path).ino, holders: 1 })
        return true
      } catch {
        return false
      }
    },
    release(path) {
      const known = held.get(path)
      if (known === undefined || --known.holders > 0) return
      held.delete(path)
      if (lstatSync(path, { throwIfNoEntry: false })?.ino === known.ino) removeEmpty(path, known.kind)
    },
    has: (path) => held.has(path),
  }
}

/** Removes the placeholders of a program that was killed. @param folder its sandbox's own folder */
function removeLeftPlaceholders(folder: string): void {
  let text = ''
  try {
    text = readFileSync(join(folder, LIST), 'utf8')
  } catch {
    return
  }
  for (const line of new Set(text.split('\n'))) {
    const [, kind, path = '""'] = /^(file|folder) (".*")$/.exec(line) ?? []
    if (kind === 'file' || kind === 'folder') removeEmpty(JSON.parse(path) as string, kind)
  }
}

function removeEmpty(path: string, kind: 'file' | 'folder'): void {
  try {
    const found = lstatSync(path)
    if (kind === 'folder' && found.isDirectory()) rmdirSync(path)
    else if (kind === 'file' && found.isFile() && found.size === 0) unlinkSync(path)
  } catch {
    // Somebody has put something there, or has removed it.
  }
}

// ---- the folder of a running sandbox, below the system's for temporary files --------------------------

export interface SandboxFolder {
  readonly folder: string
  /** Mounted in place of missing files and folders. */
  readonly emptyFile: string
  readonly emptyFolder: string
}

/** Makes the folder of this program, after removing those of programs that were killed. */
export async function makeSandboxFolder(temp: string): Promise<SandboxFolder> {
  await sweepSandboxFolders(temp)
  const { pid, start } = await identityOf(process.pid)
  const folder = await mkdtemp(join(temp, `${PREFIX}${pid}-${start}-`))
  const emptyFolder = join(folder, 'empty')
  mkdirSync(emptyFolder)
  const emptyFile = join(folder, 'nothing')
  writeFileSync(emptyFile, '', { mode: 0o444 })
  return { folder, emptyFile, emptyFolder }
}

/** The name of a sandbox's own folder begins with this, and goes on with the program that owns it. */
const PREFIX = 'troupe-sandbox-'

/** Removes the folders of programs that were killed, and the placeholders that they left. */
async function sweepSandboxFolders(temp: string): Promise<void> {
  for (const name of await readdir(temp).catch(() => [])) {
    const [, pid = '', begun = ''] = /^troupe-sandbox-(\d+)-([a-z0-9.]+)-\w{6}$/i.exec(name) ?? []
    if (pid === '' || (await isRunning({ pid: Number(pid), start: begun }))) continue
    const folder = join(temp, name)
    const found = lstatSync(folder, { throwIfNoEntry: false })
    if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) continue
    removeLeftPlaceholders(folder)
    rmSync(folder, { recursive: true, force: true })
  }
}
