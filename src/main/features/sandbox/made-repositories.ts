/**
 * Repositories that a command made below its agent's folder. Git of the user reads their settings when it comes by, also
 * from the repository around them, and runs the programs named there. So a made one keeps settings that name no program,
 * and nothing that runs. Only on Linux: elsewhere a command makes no `.git`.
 */
import {
  closeSync,
  constants,
  type Dirent,
  lstatSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Git } from '../../platform/git/git-client.ts'
import { settingKind } from '../../platform/git/setting-kinds.ts'
import { OUTSIDE_OFFER } from '../../runtime/ports/sandbox.ts'
import { createFolderScans } from './folder-scan.ts'
import { openBelow, readBelow } from './open-below.ts'

export interface MadeRepositories {
  /**
   * Looks before a command.
   * @param request.named further folders that may have a repository, as the index names them: asked again at the end
   * @param request.trusted the user's git folder, which `.git` files may lead to
   * @returns to be called when the command has ended: sentences for the agent about what was set aside
   */
  watch(request: WatchRequest): () => Promise<readonly string[]>
}

interface WatchRequest {
  /** The folders that the command may change. */
  readonly roots: readonly string[]
  named(): readonly string[]
  readonly trusted: string | null
}

/** A path that commands can write, so that it is opened without following links. */
interface Place {
  readonly root: string
  readonly below: string
}

/** The folders that are searched below each root. */
const MOST_FOLDERS = 5000
/** The folders of one repository that are looked at: it may have others in it. */
const MOST_INSIDE = 2000
const LARGEST_TEXT = 1024 * 1024

export function createMadeRepositories({ git }: { readonly git: Git }): MadeRepositories {
  const scans = createFolderScans()

  const isRepository = (path: string) => basename(path) === '.git'
  const access = (below: string) => (isRepository(below) ? ('read-only' as const) : null)
  function find({ roots, named }: WatchRequest): ReadonlySet<string> {
    const rules = { key: 'git', access, mostFolders: MOST_FOLDERS, entersFilled: false }
    const found = roots.flatMap((root) => scans.of(root, rules).found.map(({ path }) => path))
    const more = named().map((folder) => join(folder, '.git'))
    return new Set([...found, ...more.filter((path) => kindOf(path) !== null)])
  }

  async function disarm(path: string, { roots, trusted }: WatchRequest): Promise<readonly string[]> {
    const root = roots.find((folder) => path.startsWith(`${folder}/`))
    if (root === undefined) return []
    const place = { root, below: relative(root, path) }
    try {
      const found = kindOf(path)
      if (found === 'folder') return await disarmFolder(place, git)
      const target = found === 'file' ? targetOf(place) : null
      if (target !== null && trusted !== null && isBelow(target, trusted)) return []
      // The folder of a submodule or a linked checkout, in a repository that the command made too.
      const home = target === null ? undefined : roots.find((folder) => isBelow(target, folder))
      if (target !== null && home !== undefined && /\/\.git\/(modules|worktrees)\//.test(target))
        return await disarmFolder({ root: home, below: relative(home, target) }, git)
      return [setAside({ root, below: dirname(place.below) }, '.git')]
    } catch {
      // It is gone, or behind a link, where no look from its root finds it.
      return []
    }
  }

  return {
    watch(request) {
      const before = find(request)
      return async () => {
        const aside: string[] = []
        for (const path of find(request)) if (!before.has(path)) aside.push(...(await disarm(path, request)))
        if (aside.length === 0) return []
        const more = aside.length > 5 ? ` and ${aside.length - 5} more` : ''
        return [
          `In repositories that the command made, what makes git run a program was set aside, under names that end in .not-kept: ${aside.slice(0, 5).join(', ')}${more}. ${OUTSIDE_OFFER}`,
        ]
      }
    },
  }
}

/** @returns what was set aside, as paths below the root with details */
async function disarmFolder(place: Place, git: Git): Promise<readonly string[]> {
  const aside: string[] = []
  const open = [place.below]
  let looked = 0
  for (let below = open.pop(); below !== undefined; below = open.pop()) {
    const at = { root: place.root, below }
    for (const entry of entriesOf(at)) {
      const { name } = entry
      if (name === 'hooks' ? !isEmptyOfHooks(at, entry) : await runs(at, name)) aside.push(setAside(at, name))
      else if (name === 'config' || name === 'config.worktree')
        aside.push(...(await cleanSettings(at, name, git)))
      else if (entry.isDirectory() && !['objects', 'refs', 'logs', 'hooks', 'info'].includes(name)) {
        if (++looked > MOST_INSIDE) aside.push(setAside(at, name))
        else open.push(join(below, name))
      }
    }
  }
  return aside
}

/** Whether an entry of a git folder makes git run something, or read its settings from another place. */
async function runs(at: Place, name: string): Promise<boolean> {
  if (['rebase-merge', 'rebase-apply', 'sequencer'].includes(name)) return true
  if (name !== 'commondir') return false
  // A linked checkout belongs to the repository around it.
  const isLinked = basename(dirname(at.below)) === 'worktrees'
  return !isLinked || textOf(at, name) !== '../..'
}

const isEmptyOfHooks = (at: Place, entry: Dirent): boolean =>
  entry.isDirectory() &&
  entriesOf({ root: at.root, below: join(at.below, entry.name) }).every(
    (hook) => hook.isFile() && hook.name.endsWith('.sample'),
  )

async function cleanSettings(at: Place, name: string, git: Git): Promise<readonly string[]> {
  const text = readBelow(at.root, join(at.below, name), LARGEST_TEXT)
  const list = ['config', '--file', '-', '--no-includes', '-z', '--list']
  const printed = text && (await git.run(at.root, list, { input: text }))
  if (!printed?.ok) return [setAside(at, name)]
  const settings = printed.value
    .split('\0')
    .filter((setting) => setting !== '')
    .map((setting) => {
      const end = setting.indexOf('\n')
      return {
        name: end < 0 ? setting : setting.slice(0, end),
        value: end < 0 ? 'true' : setting.slice(end + 1),
      }
    })
  const kept = settings.filter(isPlain)
  if (kept.length === settings.length) return []
  const names = [...new Set(settings.filter((setting) => !isPlain(setting)).map((setting) => setting.name))]
  const aside = setAside(at, name)
  inFolder(at, (folder) => writeFileSync(join(folder, name), kept.map(settingText).join(''), { flag: 'wx' }))
  return [`${aside} (${names.slice(0, 5).map(makePlain).join(', ')})`]
}

const isPlain = ({ name, value }: { readonly name: string; readonly value: string }): boolean =>
  settingKind(name, value) === 'plain'

/** A setting as git reads it. */
function settingText({ name, value }: { readonly name: string; readonly value: string }): string {
  const [, section = '', middle, key = ''] = /^([^.]+)(?:\.(.*))?\.([^.]+)$/s.exec(name) ?? []
  const head = middle === undefined ? section : `${section} "${middle.replace(/["\\]/g, '\\$&')}"`
  return `[${head}]\n\t${key} = "${value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"\n`
}

// ---- the disk -----------------------------------------------------------------------------------

/** Renames an entry of a folder. @returns its path below the root */
function setAside(folder: Place, name: string): string {
  inFolder(folder, (at) => {
    rmSync(join(at, `${name}.not-kept`), { recursive: true, force: true })
    renameSync(join(at, name), join(at, `${name}.not-kept`))
  })
  return makePlain(join(folder.below, name))
}

const entriesOf = (folder: Place): readonly Dirent[] =>
  inFolder(folder, (at) => readdirSync(at, { withFileTypes: true }))

/** Works in a folder by a path that no command can lead elsewhere. */
function inFolder<T>({ root, below }: Place, work: (at: string) => T): T {
  const fd = openBelow(root, below, constants.O_DIRECTORY)
  try {
    return work(`/proc/self/fd/${fd}`)
  } finally {
    closeSync(fd)
  }
}

/** The folder that a `.git` file leads to. */
function targetOf({ root, below }: Place): string | null {
  const named = /^gitdir: (.+)/.exec(textOf({ root, below: dirname(below) }, basename(below)))?.[1]?.trim()
  return named === undefined ? null : resolve(dirname(join(root, below)), named)
}

const textOf = ({ root, below }: Place, name: string): string =>
  readBelow(root, join(below, name), LARGEST_TEXT)?.toString('utf8').trim() ?? ''

function kindOf(path: string): 'folder' | 'file' | 'other' | null {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return null
  return found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other'
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`)

/** Without control characters, and short. */
const makePlain = (text: string): string => text.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '').slice(0, 200)
