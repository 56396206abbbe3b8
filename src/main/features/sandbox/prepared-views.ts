/**
 * The views of commands, mounted before they start. bubblewrap needs long for many mounts, but it copies a folder with
 * all mounts in it at once. So a view is mounted for the first command, in a mount namespace that no process is in, and
 * each command copies it. The placeholders are on the disk only while commands run: each is moved to its path and
 * back, and its mount moves with it.
 *
 * Each use compares the kernel's list of mounts with the list when the view was made. It tells of each file that was
 * replaced, removed or moved, so a view is never used that would not be the same if it were mounted now.
 */
import { readdirSync, readFileSync, readSync, realpathSync } from 'node:fs'
import { isUnseen, type Mount, mountArguments } from './mount-plan.ts'
import { fileOf, startInside } from './start-inside.ts'

export interface PreparedViews {
  /**
   * The view of the plan, for a command that starts now in `cwd`. The files of the plan must be in their places.
   * @returns null: the command mounts its view itself
   */
  join(plan: readonly Mount[], cwd: string): Promise<JoinedView | null>
  close(): void
}

export interface JoinedView {
  /** Runs what follows in the namespaces of the network and of the view. */
  readonly argv: readonly string[]
  /** bubblewrap's arguments for the same view as the command's own, and for its working folder. */
  readonly mounts: readonly string[]
  /** To be called when the command has ended. */
  leave(): void
}

interface View {
  readonly key: string
  readonly opened: Promise<OpenView | null>
  users: number
  uses: number
  isRetired: boolean
}

interface OpenView {
  /** The namespace, as an open file. */
  readonly namespace: number
  /** What is mounted now in the view and on this machine. */
  mounted(): string
  /** That, when the view was made. */
  readonly atFirst: string
  close(): void
}

/** Where a view is in its namespace. The kernel writes it in each line of its list. */
const ROOT = '/tmp'
/** Views in a row that were used once: commands of this agent change what is mounted, and each view would be in vain. */
const MOST_IN_VAIN = 3

/** @param join nsenter and its arguments, which run what follows in the network */
export function createPreparedViews(bwrap: string, join: readonly string[]): PreparedViews {
  let current: View | null = null
  let inVain = 0
  const programs = [bwrap, realpathSync.native(bwrap)]
  const closeUnused = (view: View) => {
    if (view.isRetired && view.users === 0) void view.opened.then((opened) => opened?.close())
  }
  const retire = (view: View) => {
    if (view.isRetired) return
    view.isRetired = true
    if (current === view) current = null
    inVain = view.uses > 1 ? 0 : inVain + 1
    closeUnused(view)
  }
  return {
    async join(plan, cwd) {
      // bubblewrap mounts these for each command, and it is started by what the view has.
      if (plan.some(({ at }) => isBelow(at, '/dev') || isBelow(at, '/proc'))) return null
      if ([cwd, ...programs].some((path) => isUnseen(path, plan))) return null
      const key = JSON.stringify(plan)
      for (let attempt = 0; attempt < 2; attempt++) {
        if (current !== null && current.key !== key) retire(current)
        if (inVain >= MOST_IN_VAIN) return null
        current ??= { key, opened: openView([...join, bwrap], plan), users: 0, uses: 0, isRetired: false }
        const view = current
        view.users++
        const opened = await view.opened
        if (opened !== null && !view.isRetired && opened.mounted() === opened.atFirst) {
          view.uses++
          return {
            argv: [...join.slice(0, -1), `--mount=${fileOf(opened.namespace)}`, '--'],
            mounts: ['--bind', ROOT, '/', '--chdir', cwd],
            leave() {
              view.users--
              closeUnused(view)
            },
          }
        }
        view.users--
        retire(view)
        closeUnused(view)
      }
      return null
    },
    close() {
      inVain = MOST_IN_VAIN
      if (current !== null) retire(current)
    },
  }
}

/** Null: the system does not let it, or a file was replaced meanwhile. */
async function openView(
  [program = '', ...args]: readonly string[],
  plan: readonly Mount[],
): Promise<OpenView | null> {
  const host = mountedHere()
  const inside = await startInside(
    [
      ...[program, ...args, '--new-session', '--die-with-parent', '--ro-bind', '/', ROOT],
      ...mountArguments(plan, ROOT),
      // For the bubblewrap of the command, which starts beside the view: devices, processes, and links to programs.
      ...['--dev-bind', '/dev', '/dev', '--bind', '/proc', '/proc'],
      ...readdirSync('/').flatMap((name) =>
        ['/dev', '/proc', ROOT].includes(`/${name}`) ? [] : ['--symlink', `${ROOT}/${name}`, `/${name}`],
      ),
    ],
    { files: ['ns/mnt', 'mountinfo'] },
  )
  if (inside === null) return null
  inside.end()
  const { close } = inside
  const [namespace = -1, list = -1] = inside.files
  const mounted = () => `${mountedHere()}${textOf(list)}`
  const atFirst = mounted()
  const there = new Set(
    atFirst
      .slice(host.length)
      .split('\n')
      .map((line) => line.split(' ')[4]),
  )
  const isWhole = plan.every(({ kind, at }) => kind === 'link' || there.has(asListed(`${ROOT}${at}`)))
  if (atFirst.startsWith(host) && isWhole) return { namespace, mounted, atFirst, close }
  close()
  return null
}

/** What is mounted on this machine. A view is made anew after each change. */
const mountedHere = (): string => readFileSync('/proc/self/mountinfo', 'utf8')

/** The list of mounts in an open file of `/proc`. It stays readable after the end of its process. */
function textOf(file: number): string {
  const chunk = Buffer.allocUnsafe(64 * 1024)
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const length = readSync(file, chunk, 0, chunk.length, at)
    if (length === 0) return Buffer.concat(parts).toString('utf8')
    parts.push(Buffer.from(chunk.subarray(0, length)))
    at += length
  }
}

/** A path in the kernel's words. */
const asListed = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`)

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)
