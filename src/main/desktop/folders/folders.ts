/**
 * The user's folders: open, trusted, or marked for bypassing permissions. A folder is identified by its real
 * path: a link to a trusted folder is trusted, and a link inside one does not pass its trust on.
 */
import { realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, relative, sep } from 'node:path'
import { whatIsWrongWithFolder } from '../../../shared/kernel/folder-path.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { FolderInfo } from '../../../shared/window/contract.ts'
import type { FindRepository, Program, SettingsPort } from '../services.ts'

export interface Folders {
  /**
   * Opens a folder and puts it first in the recent folders. Its uncommitted files are not counted yet: the window waits
   * for its first folder. Fails with `not-absolute` or `folder-gone`.
   */
  open(path: string): Promise<Result<FolderInfo>>
  /** The facts of a folder, without opening it. */
  info(path: string): Promise<Result<FolderInfo>>
  allowBypass(path: string, allowed: boolean): Promise<Result<FolderInfo>>
  /** Relative paths that match the query, best match first. */
  files(path: string, query: string): Promise<Result<readonly string[]>>
  /** Whether a real path is in an open folder or in a conversation's folder. */
  holds(path: string): Promise<boolean>
  /** The real path of a folder for which `holds` is true. Fails with `not-absolute`, `folder-gone` or `not-open`. */
  known(path: string): Promise<Result<string>>
  /** The real path of the last opened folder. */
  readonly current: string | null
}

interface FoldersOptions {
  readonly settings: SettingsPort
  readonly program: () => Promise<Program>
  readonly findRepository: FindRepository
  readonly countDirtyFiles: (folder: string) => Promise<number | null>
  /** A monotonic clock in ms. */
  readonly now: () => number
  /** Called when another folder may be open. */
  readonly onOpened?: () => void
}

const RECENT = 15
const FILES_LISTED = 50_000
const FILES_SHOWN = 50
/** Files that a search in a huge folder adds to the list. */
const FILES_SEARCHED = 500
/** Maximum age in ms of the file list during typing. */
const LIST_AGE = 5000
const LIST_LIMIT = 10_000

export function createFolders(options: FoldersOptions): Folders {
  const { settings, program, findRepository, countDirtyFiles, now } = options
  const opened = new Set<string>()
  let current: string | null = null
  let list: {
    readonly folder: string
    readonly at: number
    readonly paths: Promise<Result<ListedFiles>>
  } | null = null
  /** The search in a folder with too many files to list; the next query ends it. */
  let search = new AbortController()

  async function infoOf(path: string, isCounted = true): Promise<FolderInfo> {
    const trusted = settings.trusts(path)
    const [repository, dirtyFiles] = await Promise.all([
      findRepository(path),
      trusted && isCounted ? countDirtyFiles(path) : null,
    ])
    return {
      path,
      name: basename(path) || path,
      trusted,
      gitBranch: repository?.branch ?? null,
      dirtyFiles: repository === null ? null : dirtyFiles,
      bypassAllowed: trusted && settings.current.bypassFolders.includes(path),
    }
  }

  async function listFiles(
    folder: string,
    { pattern = '**/*', limit = FILES_LISTED, signal }: ListOptions = {},
  ): Promise<Result<ListedFiles>> {
    const { search } = await program()
    const ends = AbortSignal.timeout(LIST_LIMIT)
    const found = await search.glob(
      { pattern, path: folder, limit },
      signal === undefined ? ends : AbortSignal.any([signal, ends]),
    )
    if (!found.ok) return found
    const { paths, truncated } = found.value
    return ok({ paths: paths.map((path) => relative(folder, path).split(sep).join('/')), truncated })
  }

  /** Files of a huge folder that match, besides those of its list. */
  async function searchFiles(folder: string, query: string): Promise<readonly string[]> {
    const pattern = patternFor(query)
    const { signal } = search
    if (pattern === null || signal.aborted) return []
    const found = await listFiles(folder, { pattern, limit: FILES_SEARCHED, signal })
    return found.ok ? found.value.paths : []
  }

  async function holds(path: string): Promise<boolean> {
    if ([...opened].some((folder) => isInside(folder, path))) return true
    const conversations = await (await program()).runtime.conversations()
    return conversations.some(({ folder }) => isInside(folder, path))
  }

  return {
    get current() {
      return current
    },
    async open(path) {
      const real = await realFolder(path)
      if (!real.ok) return real
      const recentFolders = [
        real.value,
        ...settings.current.recentFolders.filter((other) => other !== real.value),
      ].slice(0, RECENT)
      opened.add(real.value)
      current = real.value
      options.onOpened?.()
      if (settings.current.recentFolders[0] !== real.value) {
        // The folder opens even if this fails.
        await settings.change({ recentFolders })
      }
      return ok(await infoOf(real.value, false))
    },
    async info(path) {
      const real = await realFolder(path)
      return real.ok ? ok(await infoOf(real.value)) : real
    },
    async allowBypass(path, allowed) {
      const real = await realFolder(path)
      if (!real.ok) return real
      if (allowed && !settings.trusts(real.value)) {
        return fail({
          type: 'not-trusted',
          message: `Permissions can't be bypassed in ${real.value}, because the folder is not trusted. Trust it first.`,
        })
      }
      const others = settings.current.bypassFolders.filter((other) => other !== real.value)
      const saved = await settings.change({ bypassFolders: allowed ? [...others, real.value] : others })
      return saved.ok ? ok(await infoOf(real.value)) : saved
    },
    async files(path, query) {
      const real = await realFolder(path)
      if (!real.ok) return real
      if (list?.folder !== real.value || now() - list.at > LIST_AGE) {
        list = { folder: real.value, at: now(), paths: listFiles(real.value) }
      }
      search.abort()
      const own = new AbortController()
      search = own
      const listed = await list.paths
      if (!listed.ok) {
        list = null
        return listed
      }
      const { paths, truncated } = listed.value
      const more = truncated && search === own ? await searchFiles(real.value, query) : []
      const all = more.length === 0 ? paths : [...new Set([...paths, ...more])]
      return ok(rankFiles(all, query, FILES_SHOWN))
    },
    holds,
    async known(path) {
      const real = await realFolder(path)
      if (!real.ok || (await holds(real.value))) return real
      return fail({ type: 'not-open', message: `${path} is not open. Open this folder first.` })
    },
  }
}

interface ListedFiles {
  /** Relative, with `/`. */
  readonly paths: readonly string[]
  /** The folder has more files. */
  readonly truncated: boolean
}

interface ListOptions {
  readonly pattern?: string
  readonly limit?: number
  readonly signal?: AbortSignal
}

/** A glob for paths that contain the first word of the query; null: it has none. */
function patternFor(query: string): string | null {
  const [word = ''] = query.trim().split(/\s+/)
  if (word === '') return null
  const letters = [...word].map((letter) => {
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()]
    return lower === upper ? letter.replace(/[\\*?[\]{}()!+@|]/, '\\$&') : `[${lower}${upper}]`
  })
  const parts = letters.join('').split('/')
  return parts.length === 1 ? `{**/*${parts[0]}*,**/*${parts[0]}*/**}` : `**/*${parts.join('*/*')}*`
}

/** Whether a path is the folder or inside it. `/repo-evil` is not inside `/repo`. */
export function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path)
  return inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside))
}

/** The real path of a folder that can be opened. Fails with `not-absolute`, `unsupported-folder` or `folder-gone`. */
export async function realFolder(path: string): Promise<Result<string>> {
  if (!isAbsolute(path)) {
    return fail({
      type: 'not-absolute',
      message: `“${path}” is not an absolute path. Enter the folder’s full path.`,
    })
  }
  try {
    const real = await realpath(path)
    const wrong = whatIsWrongWithFolder(real)
    if (wrong !== null) return fail({ type: 'unsupported-folder', message: wrong })
    if ((await stat(real)).isDirectory()) return ok(real)
    return fail({ type: 'folder-gone', message: `${path} is a file. Open its folder.` })
  } catch (cause) {
    return fail({
      type: 'folder-gone',
      message: `${path} can't be opened: not found or not readable. Choose another folder.`,
      cause,
    })
  }
}

/**
 * The paths that contain every word of the query, best match first. A word counts more in the file name than
 * in a folder, and more at a word's beginning than inside; among equals the shorter path wins.
 *
 * @param paths relative, with `/`. An empty query keeps their order.
 */
export function rankFiles(paths: readonly string[], query: string, limit: number): readonly string[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return paths.slice(0, limit)
  const found: { readonly path: string; readonly score: number }[] = []
  for (const path of paths) {
    const score = scoreOf(path.toLowerCase(), words)
    if (score !== null) found.push({ path, score })
  }
  return found
    .sort((a, b) => b.score - a.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .slice(0, limit)
    .map(({ path }) => path)
}

/** The sum over all words, or null if a word is missing. */
function scoreOf(path: string, words: readonly string[]): number | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  let score = 0
  for (const word of words) {
    const one = wordScore(path, name, word)
    if (one === null) return null
    score += one
  }
  return score
}

function wordScore(path: string, name: string, word: string): number | null {
  if (name === word) return 100
  if (name.startsWith(word)) return 80
  if (name.includes(word)) return 60
  if (path.includes(word)) return 40
  if (holdsInOrder(name, word)) return 20
  return holdsInOrder(path, word) ? 10 : null
}

/** Whether all letters occur in this order, as in `dstr` for `delta-stream`. */
function holdsInOrder(text: string, letters: string): boolean {
  let at = 0
  for (const letter of letters) {
    at = text.indexOf(letter, at)
    if (at === -1) return false
    at += letter.length
  }
  return true
}

interface StartFolderOptions {
  readonly folders: Pick<Folders, 'current' | 'open'>
  /** The folder to open when none is open yet; null: none. */
  readonly preferred: () => string | null
}

interface StartFolder {
  openAhead(): void
  /** The open folder, for a page that has just loaded; null: no folder. */
  take(): Promise<Result<FolderInfo> | null>
}

/** The folder that the window starts with. It opens while the page loads, so that the first frame can show it. */
export function createStartFolder({ folders, preferred }: StartFolderOptions): StartFolder {
  let ahead: Promise<Result<FolderInfo> | null> | null = null

  const open = async (): Promise<Result<FolderInfo> | null> => {
    const path = folders.current ?? preferred()
    return path === null ? null : folders.open(path)
  }

  return {
    openAhead() {
      ahead = open()
      ahead.catch(() => {})
    },
    async take() {
      const begun = ahead
      ahead = null
      const opened = await begun
      const isStale = opened?.ok === true && opened.value.path !== folders.current
      // A reloaded page, or another folder was opened before the page was ready.
      if (begun === null || isStale) return open()
      return opened
    },
  }
}
