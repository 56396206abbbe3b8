/** Collects what a command sees of the file system, and what is kept from it, into the plan of its mounts. */
import { type Dirent, lstatSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SandboxSettings } from '../../../shared/settings/sandbox-settings.ts'
import type { CommandLimits } from '../../runtime/ports/sandbox.ts'
import { createFolderScans, type FoundFile } from './folder-scan.ts'
import { downloadFolders, gitSettingsWithoutLogins, homeView } from './home-view.ts'
import { withImage } from './image-view.ts'
import { keptFiles, type MissingFile } from './kept-files.ts'
import { type Mount, mountPlan } from './mount-plan.ts'
import type { Placeholders, SandboxFolder } from './placeholders.ts'
import type { PrivateGit } from './private-git.ts'
import { unlinkFolder } from './seatbelt.ts'

export interface ViewOptions {
  /** The program that keeps commands from local sockets. Null where there is none for this processor. */
  readonly seccomp: string | null
  readonly environment: Readonly<Record<string, string>>
  readonly home: string
  /** Troupe's data. Commands see nothing of it but their agent's worktree and memory. */
  readonly dataFolder: string
  /** The system's folder for temporary files. */
  readonly tempFolder: string
  /** Files and folders with keys. Absolute; may be missing. */
  readonly secrets: readonly string[]
  /** Whether a file of a folder decides what runs later, or is read as instructions. Takes the path below the folder. */
  readonly isProtected: (below: string, absolute: string) => boolean
  /** Such files of a folder by the paths at which programs look for them. */
  readonly startupPaths: (folder: string) => readonly MissingFile[]
  readonly settings: () => SandboxSettings
}

/** What a started sandbox keeps for the views of its commands. */
export interface ViewParts extends SandboxFolder {
  readonly placeholders: Placeholders
}

interface ViewNeeds extends ViewParts {
  /** Read besides what the limits say. */
  readonly also: readonly string[]
  /** Scripts that the command may not change. */
  readonly scripts: readonly string[]
  readonly isMac: boolean
  /** Sockets that the command may not see. */
  readonly hides: readonly string[]
  /** The folder with the files of an image, in place of this machine's; null: none. */
  readonly image: string | null
}

export interface CommandView {
  readonly plan: readonly Mount[]
  /** The private folders of the agent. */
  readonly own: OwnFolders
  /** Files that the command may not change or read. */
  readonly found: readonly FoundFile[]
  /** The paths of placeholders, to be released when the command has ended. */
  readonly held: readonly string[]
  /** False: the folder is too large to find all files that rules keep. */
  readonly isWhole: boolean
}

type ViewCommand = (limits: CommandLimits, git: PrivateGit | null, its: ViewNeeds) => CommandView

/** What the command sees, and what is kept from it. */
export function createViews(options: ViewOptions): ViewCommand {
  const home = real(options.home)
  const dataFolder = real(options.dataFolder)
  const scans = createFolderScans()
  return ({ writes, reads, ...limits }, git, its) => {
    const { folder, agentId } = limits
    const { filesystem } = options.settings()
    const own = ownFolders(join(its.folder, 'agents', agentId), options.home)
    const loads = limits.domains.length > 0
    const privateFolder = (name: string, below: string) => {
      if (its.isMac) unlinkFolder(join(below, name))
      mkdirSync(join(below, name), { recursive: true })
      return { at: join(home, name), source: join(below, name) }
    }
    const wanted = { writes: existing(writes), reads: existing(reads), folder: real(folder) }
    const kept = keptFiles({
      ...{
        scans,
        isProtected: options.isProtected,
        startupPaths: options.startupPaths,
        access: limits.access,
        scripts: its.scripts,
      },
      roots: wanted.writes.length > 0 ? wanted.writes : [wanted.folder],
      mayWrite: wanted.writes.length > 0,
      // The rules of macOS need no file at a path that must stay empty.
      hold: its.isMac ? isMissing : its.placeholders.hold,
    })
    git?.ignore(kept.missing.map(({ path }) => path))
    const found = [...kept.found, ...namedRepositories(git, kept.found)]
    const temporary = its.isMac ? [...TEMPORARY_OF_MACOS, real(options.tempFolder)] : TEMPORARY
    const shared = ['/run', ...temporary]
    const around = [home, git?.top ?? wanted.folder, ...wanted.reads].map((path) => dirname(path))
    const also = filesystem.allowRead.map((path) => fromHome(path, options.home))
    const planned = mountPlan({
      ...wanted,
      ...{ home, dataFolder, own },
      ...(its.image === null
        ? {
            hasImage: false,
            emptied: [...shared, ...around.filter(isNotOfTheSystem), ...besidesTheSystem(shared)].filter(
              isFolder,
            ),
            temporary: temporary.filter(isFolder),
            ofRun: OF_RUN.filter((path) => !isMissing(path)),
            toolchains: homeView({
              ...{ home: options.home, also, downloads: !loads },
              path: options.environment['PATH'] ?? '',
            }),
          }
        : {
            hasImage: true,
            ...{ emptied: [], temporary, ofRun: [] },
            toolchains: homeView({ home: options.home, path: '', also, downloads: false, named: [] }),
          }),
      downloads: loads ? downloadFolders(options.home).map((name) => privateFolder(name, own.home)) : [],
      reads: [
        ...wanted.reads,
        ...(git === null ? [] : [git.top]),
        ...its.also,
        ...(options.seccomp === null ? [] : [options.seccomp]),
      ],
      git: git?.mounts ?? [],
      found,
      placeholders: kept.missing.map(({ path, kind }) => ({
        at: path,
        source: kind === 'file' ? its.emptyFile : its.emptyFolder,
      })),
      hides: [
        ...options.secrets,
        ...its.hides,
        ...filesystem.denyRead.map((path) => fromHome(path, options.home)),
      ].flatMap((path) => {
        const at = real(path)
        const found = lstatSync(at, { throwIfNoEntry: false })
        return found === undefined ? [] : [{ path: at, isFolder: found.isDirectory() }]
      }),
    })
    const plan = its.image === null ? planned : withImage(planned, its.image)
    return {
      ...{ plan, own, found, isWhole: kept.isWhole },
      held: kept.missing.map(({ path }) => path),
    }
  }
}

/** Where some systems keep the programs themselves. */
const OF_RUN = ['/run/current-system', '/run/booted-system', '/run/wrappers', '/run/opengl-driver'] as const

/** The folders of the system for temporary files. */
const TEMPORARY = ['/tmp', '/var/tmp'] as const
const TEMPORARY_OF_MACOS = ['/private/tmp', '/private/var/tmp'] as const

/** Folders of the system, whose content commands need. All others are emptied, so that a disk shows no neighbors. */
const OF_THE_SYSTEM =
  /^\/($|(usr|etc|bin|sbin|lib|lib32|lib64|libx32|opt|nix|gnu|snap|boot|sys|proc|dev|System|Library|Applications)(\/|$)|(private|(private\/)?var(\/(lib|cache|log|db|select|folders))?)$)/

const isNotOfTheSystem = (path: string): boolean => !OF_THE_SYSTEM.test(path)

/**
 * The folders at the top of the file system and in `/var`, where disks, servers and other users keep their files. An
 * empty or unreadable one needs no mount, which costs time at the start of a command.
 * @param known folders that are emptied anyway, and may be large
 */
const besidesTheSystem = (known: readonly string[]): readonly string[] =>
  ['/', '/var'].flatMap((folder) =>
    entriesIn(folder)
      // Some disks do not say what an entry is.
      .filter((entry) => !entry.isFile() && !entry.isSymbolicLink())
      .map(({ name }) => join(folder, name))
      .filter((path) => isNotOfTheSystem(path) && !known.includes(path) && entriesIn(path).length > 0),
  )

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** The path with its links resolved, or as it is where nothing is there. */
export function real(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

/** The paths that exist, links resolved. */
export function existing(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map(real))].filter((path) => !isMissing(path))
}

const isMissing = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) === undefined

/** A path of the settings: `~` stands for the home. */
export const fromHome = (path: string, home: string): string => path.replace(/^~(?=\/|$)/, home)

/** Not through a link. */
const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

interface OwnFolders {
  readonly home: string
  readonly temp: string
  /** Stands for the system's temporary folders. */
  readonly systemTemp: string
}

/** The agent's own folders, made at its first command. */
function ownFolders(base: string, home: string): OwnFolders {
  const own = { home: join(base, 'home'), temp: join(base, 'tmp'), systemTemp: join(base, 'shared-tmp') }
  if (isFolder(own.temp)) return own
  for (const folder of Object.values(own)) mkdirSync(folder, { recursive: true })
  const git = gitSettingsWithoutLogins(home)
  if (git !== null) writeFileSync(join(own.home, '.gitconfig'), git)
  return own
}

/** The git folders of repositories that the index names, which no search has found: git of the user looks into each. */
function namedRepositories(git: PrivateGit | null, found: readonly FoundFile[]): readonly FoundFile[] {
  const known = new Set(found.map(({ path }) => path))
  return (git?.repositories() ?? []).flatMap((folder) => {
    const path = join(folder, '.git')
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined || stats.isSymbolicLink() || known.has(path)) return []
    return [
      {
        path,
        access: 'read-only' as const,
        kind: stats.isDirectory() ? ('folder' as const) : ('file' as const),
      },
    ]
  })
}
