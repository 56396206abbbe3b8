/**
 * Stands in for protected files that are missing, while commands run: a socket or an empty folder at the path, on which
 * the sandbox mounts an empty read-only file or folder. Made before the first command that needs it, removed after the
 * last one. Git sees neither: an empty file would be in `git status`, and in the commit of whoever adds all files.
 */
import {
  appendFileSync,
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, mkdtemp, readdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { codeOf } from '../../platform/system/error-code.ts'
import { identityOf, isRunning } from '../../platform/system/process-identity.ts'

export interface Placeholders {
  /** Places the placeholder, or shares the one that is there. @returns false: the path has something else, or can't be made */
  hold(path: string, kind: Kind): boolean
  /** Takes it away with its last holder, if nobody has put anything there. */
  release(path: string): void
  /** Whether the path is a placeholder now. */
  has(path: string): boolean
}

type Kind = 'file' | 'folder'

interface Held {
  readonly spare: Spare
  readonly stock: Stock
  holders: number
}

/** The list of placeholders in a folder of the sandbox, for the next start after a kill. */
const LIST = 'placeholders'

/**
 * @param folder the sandbox's own folder, in which the placeholders are listed
 * @param stores folders of this program for spare ones, on the disks where placeholders are likely to be
 */
export function createPlaceholders(folder: string, stores: readonly string[]): Placeholders {
  const held = new Map<string, Held>()
  const listed = new Set<string>()
  /** By folder: a program may still be in an empty folder of one project, which never goes to another one. */
  const stocks = new Map<string, Stock>()
  function place(path: string, kind: Kind): Held | null {
    const top = dirname(path)
    const known = stocks.get(top)
    const here =
      known === undefined ? stores.map((store) => createStock(join(store, `spare-${stocks.size}`))) : [known]
    for (const stock of [...here, madeEachTime]) {
      const spare = stock.place(path, kind)
      if (spare === 'elsewhere') continue
      stocks.set(top, stock)
      return spare === null ? null : { spare, stock, holders: 1 }
    }
    return null
  }
  return {
    hold(path, kind) {
      const known = held.get(path)
      if (known !== undefined) {
        if (inodeAt(path) !== known.spare.ino) return false
        known.holders++
        return true
      }
      if (inodeAt(path) !== null) return false
      try {
        if (!listed.has(path)) appendFileSync(join(folder, LIST), `${kind} ${JSON.stringify(path)}\n`)
        listed.add(path)
        const placed = place(path, kind)
        if (placed !== null) held.set(path, placed)
        return placed !== null
      } catch {
        return false
      }
    },
    release(path) {
      const known = held.get(path)
      if (known === undefined || --known.holders > 0) return
      held.delete(path)
      known.stock.takeBack(path, known.spare)
    },
    has: (path) => held.has(path),
  }
}

const inodeAt = (path: string): number | null => lstatSync(path, { throwIfNoEntry: false })?.ino ?? null

// ---- a stock of sockets and empty folders -------------------------------------------------------------

/**
 * Sockets and empty folders that are moved to their paths and back, in place of being made and removed for each command: a
 * disk needs long to make a file soon after it has removed many. A path gets the same one each time, because a mount on
 * it (`prepared-views.ts`) moves with it.
 */
interface Stock {
  /** @returns `elsewhere`: not from here, as on another disk or one without links; null: something is at the path */
  place(path: string, kind: Kind): Spare | 'elsewhere' | null
  /** Leaves what got content, or is not ours any more. */
  takeBack(path: string, spare: Spare): void
}

interface Spare {
  readonly kind: Kind
  /** Its path in the stock while it is not placed. */
  readonly at: string
  readonly ino: number
}

/** Errors that say that something is at the path. */
const TAKEN: ReadonlySet<string> = new Set(['EEXIST', 'ENOTEMPTY', 'ENOTDIR'])

function createStock(folder: string): Stock {
  const spares = new Map<string, Spare>()
  let made = 0
  const claim = join(folder, 'claim')
  function make(kind: Kind): Spare {
    const at = join(folder, `${kind}-${++made}`)
    if (made === 1) {
      mkdirSync(folder, { recursive: true })
      makeSocket(claim)
    }
    if (kind === 'file') makeSocket(at)
    else mkdirSync(at)
    return { kind, at, ino: lstatSync(at).ino }
  }
  return {
    place(path, kind) {
      try {
        const known = spares.get(path)
        const spare = known?.kind === kind ? known : make(kind)
        spares.set(path, spare)
        if (kind === 'folder') renameSync(spare.at, path)
        else moveTo(path, { spare, claim })
        return spare
      } catch (thrown) {
        return TAKEN.has(codeOf(thrown) ?? '') ? null : 'elsewhere'
      }
    },
    takeBack(path, spare) {
      try {
        if (isAsPlaced(path, spare)) {
          renameSync(path, spare.at)
          // Somebody may have changed it since the look.
          if (isAsPlaced(spare.at, spare)) return
          if (spare.kind === 'folder') renameSync(spare.at, path)
          else {
            linkSync(spare.at, path)
            unlinkSync(spare.at)
          }
        }
      } catch {
        // Somebody has put something there, or has removed it.
      }
      spares.delete(path)
    },
  }
}

/** A move replaces a file that is there, and a link does not: so a link to another socket takes the path first. */
function moveTo(path: string, { spare, claim }: { readonly spare: Spare; readonly claim: string }): void {
  linkSync(claim, path)
  try {
    renameSync(spare.at, path)
  } catch (thrown) {
    unlinkSync(path)
    throw thrown
  }
}

/** Whether it is the same, without content. */
function isAsPlaced(at: string, { kind, ino }: Spare): boolean {
  const found = lstatSync(at, { throwIfNoEntry: false })
  if (found?.ino !== ino) return false
  return kind === 'file' ? found.isSocket() : found.isDirectory() && readdirSync(at).length === 0
}

/**
 * Makes a socket that nobody listens at: nobody can write to it, and opening it fails at once. Fails if something is at
 * the path. It is made by way of its open folder, because the path of a socket has 107 bytes at most.
 */
function makeSocket(path: string): void {
  const folder = openSync(dirname(path), 'r')
  const made = `.troupe-${process.pid}`
  try {
    const server = createServer().on('error', () => undefined)
    // Listens at once. Node removes the file when the server closes.
    server.listen(`/proc/self/fd/${folder}/${made}`)
    try {
      linkSync(join(dirname(path), made), path)
    } finally {
      server.close()
    }
  } finally {
    closeSync(folder)
  }
}

/** For a disk without a stock, which may have no sockets. */
const madeEachTime: Stock = {
  place(path, kind) {
    if (kind === 'folder') mkdirSync(path)
    else
      try {
        makeSocket(path)
      } catch {
        writeFileSync(path, '', { mode: 0o644, flag: 'wx' })
      }
    return { kind, at: path, ino: lstatSync(path).ino }
  },
  takeBack(path, { kind, ino }) {
    if (inodeAt(path) === ino) removeEmpty(path, kind)
  },
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
    else if (kind === 'file' && (found.isSocket() || (found.isFile() && found.size === 0))) unlinkSync(path)
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

export async function makeSandboxFolder(temp: string): Promise<SandboxFolder> {
  const folder = await makeOwnFolder(temp)
  const emptyFolder = join(folder, 'empty')
  mkdirSync(emptyFolder)
  const emptyFile = join(folder, 'nothing')
  writeFileSync(emptyFile, '', { mode: 0o444 })
  return { folder, emptyFile, emptyFolder }
}

/** Makes a folder of this program, after removing those of programs that were killed. */
export async function makeOwnFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true })
  await sweepSandboxFolders(parent)
  const { pid, start } = await identityOf(process.pid)
  return mkdtemp(join(parent, `${PREFIX}${pid}-${start}-`))
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
