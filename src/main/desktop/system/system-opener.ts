/**
 * Opens files, folders and links outside the window. Paths and links often come from a model: a path must be in one of
 * the user's folders, no file is ever run, and a link is shown before it opens.
 */
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, extname, resolve } from 'node:path'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { isInside } from '../folders/folders.ts'
import { editorCommand, type ProgramCall } from './editor-command.ts'

export interface SystemOpener {
  openFile(location: {
    readonly folder: string
    readonly path: string
    readonly line: number | null
  }): Promise<Result<void>>
  /** Opens a file, or shows a folder, that this program found itself: the path must come from no model. */
  openFound(path: string, line?: number | null): Promise<Result<void>>
  openTerminal(folder: string): Promise<Result<void>>
  reveal(path: string): Promise<Result<void>>
  openLink(url: string): Promise<Result<void>>
  /** Opens a server of this machine that the user runs, without a question. */
  openServer(port: number): Promise<Result<void>>
}

export interface SystemOpenerOptions {
  readonly platform: string
  /** The environment of started programs. Holds no key. */
  readonly environment: NodeJS.ProcessEnv
  readonly dataFolder: string
  readonly editor: () => Settings['editor']
  /** Whether a real path is in one of the user's folders. */
  readonly isKnown: (path: string) => Promise<boolean>
  readonly start: (
    call: ProgramCall,
    options: { readonly cwd: string; readonly environment: NodeJS.ProcessEnv },
  ) => Promise<boolean>
  readonly shell: {
    /** @returns an error message, or nothing */
    openPath(path: string): Promise<string>
    showItemInFolder(path: string): void
    openExternal(url: string): Promise<void>
  }
  /** Shows the URL. @returns whether to open it */
  readonly confirmLink: (url: string) => Promise<boolean>
}

/** A file as the user knows it, and its real path. */
interface OpenedFile {
  readonly path: string
  readonly line: number | null
  readonly real: string
}

/** Extensions of files that the system would run instead of showing. */
const runs = new Set(
  '.app .appimage .bat .cmd .com .command .cpl .desktop .exe .hta .jar .js .jse .lnk .msc .msi .pif .ps1 .reg .run .scr .sh .terminal .tool .url .vb .vbe .vbs .webloc .workflow .ws .wsf .wsh'.split(
    ' ',
  ),
)

export function createSystemOpener(options: SystemOpenerOptions): SystemOpener {
  const { environment, shell, start } = options

  async function realFile(folder: string, path: string): Promise<Result<string>> {
    try {
      const realFolder = await realpath(folder)
      const real = await realpath(resolve(realFolder, path))
      if (isInside(realFolder, real) && (await options.isKnown(realFolder))) return ok(real)
      return fail({
        type: 'outside',
        message: `${path} was not opened: it is outside the folder ${folder}.`,
      })
    } catch {
      return fail({
        type: 'not-found',
        message: `${path} was not opened: not found or not readable.`,
      })
    }
  }

  /** Opens a file that no editor opened, and says what the user can do about it. */
  async function openWithSystem({ path, line, real }: OpenedFile): Promise<Result<void>> {
    const setting = options.editor()
    const reason = setting === 'auto' ? 'No editor was found' : `The editor “${setting}” did not start`
    const next = 'Choose an editor in Settings, “General”.'
    const failed = (state: string) =>
      fail({ type: 'no-editor', message: `${reason}, so ${path} ${state}. ${next}` })
    const { mode } = await stat(real)
    const isProgram = (mode & 0o111) !== 0 && options.platform !== 'win32'
    if (isProgram || runs.has(extname(real).toLowerCase())) {
      // The system might run the file, so its folder is shown instead.
      shell.showItemInFolder(real)
      return failed('is shown in its folder: the system would run it')
    }
    const problem = await shell.openPath(real)
    if (problem !== '') return failed(`was not opened (the system says: ${problem})`)
    if (setting !== 'auto') return failed('was opened with the system’s program')
    return line === null ? ok(undefined) : failed(`was opened with the system’s program, not at line ${line}`)
  }

  async function openReal({ path, line, real }: OpenedFile): Promise<Result<void>> {
    const isFolder = (await stat(real)).isDirectory()
    const call = isFolder ? null : editorCommand({ path: real, line }, options.editor(), environment)
    if (call !== null && (await start(call, { cwd: dirname(real), environment }))) return ok(undefined)
    if (!isFolder) return openWithSystem({ path, line, real })
    shell.showItemInFolder(real)
    return ok(undefined)
  }

  return {
    async openFile({ folder, path, line }) {
      const file = await realFile(folder, path)
      return file.ok ? openReal({ path, line, real: file.value }) : file
    },
    async openFound(path, line = null) {
      const real = await realpath(path).catch(() => null)
      return real === null
        ? fail({ type: 'not-found', message: `${path} was not opened: not found or not readable.` })
        : openReal({ path, line, real })
    },
    async openTerminal(folder) {
      const real = await realFile(folder, '.')
      if (!real.ok) return real
      for (const call of terminalCommands(real.value, options.platform, environment)) {
        if (await start(call, { cwd: real.value, environment })) return ok(undefined)
      }
      return fail({
        type: 'no-terminal',
        message: 'No terminal was found. Set the environment variable TERMINAL to yours and restart Troupe.',
      })
    },
    async reveal(path) {
      const real = await realpath(path).catch(() => null)
      if (real === null) return fail({ type: 'not-found', message: `${path} was not shown: not found.` })
      const own = await realpath(options.dataFolder).catch(() => null)
      const isOurs = own !== null && isInside(own, real)
      if (!isOurs && !(await options.isKnown(real)))
        return fail({ type: 'outside', message: `${path} was not shown: it is outside your folders.` })
      shell.showItemInFolder(real)
      return ok(undefined)
    },
    async openLink(url) {
      const link = checkLink(url)
      if (!link.ok) return link
      if (await options.confirmLink(link.value)) await shell.openExternal(link.value)
      return ok(undefined)
    },
    async openServer(port) {
      await shell.openExternal(`http://localhost:${port}/`)
      return ok(undefined)
    },
  }
}

/** Normalizes a link so that nothing can hide in it: the host in ASCII, everything else escaped. */
export function checkLink(url: string): Result<string> {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || (parsed.protocol !== 'https:' && parsed.protocol !== 'mailto:'))
    return fail({
      type: 'bad-link',
      message: 'The link was not opened: only https and mailto links are allowed.',
    })
  if (parsed.username !== '' || parsed.password !== '')
    return fail({
      type: 'bad-link',
      message: `The link was not opened: the part before the “@” is not its host. It leads to ${parsed.host}.`,
    })
  return ok(parsed.href)
}

/** Terminals that open in their working folder. */
const linuxTerminals = [
  'x-terminal-emulator',
  'gnome-terminal',
  'kgx',
  'konsole',
  'xfce4-terminal',
  'kitty',
  'alacritty',
  'wezterm',
  'foot',
  'xterm',
] as const

/** The commands to try, best first. Start each one in the folder. */
export function terminalCommands(
  folder: string,
  platform: string,
  environment: { readonly TERMINAL?: string | undefined },
): readonly ProgramCall[] {
  if (platform === 'darwin') return [{ program: 'open', args: ['-a', 'Terminal', folder] }]
  if (platform === 'win32')
    return [
      { program: 'wt.exe', args: ['-d', folder] },
      { program: 'cmd.exe', args: ['/c', 'start', '""', 'cmd.exe'] },
    ]
  const own = environment.TERMINAL?.trim().split(/\s+/)[0] ?? ''
  const programs = own === '' ? linuxTerminals : [own, ...linuxTerminals]
  return programs.map((program) => ({ program, args: folderArguments(basename(program)) }))
}

/** Terminals that hand over to a running server need the folder as an argument. */
function folderArguments(terminal: string): readonly string[] {
  if (terminal === 'gnome-terminal') return ['--working-directory=.']
  if (terminal === 'wezterm') return ['start', '--cwd', '.']
  return []
}
