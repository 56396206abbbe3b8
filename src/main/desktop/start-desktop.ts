/**
 * Everything behind the window, loaded once the window is open. Connects settings, model access, folders and
 * the runtime to the window's commands, and their changes to the window's stream.
 */
import { join } from 'node:path'
import { app, Menu, nativeTheme, shell } from 'electron'
import type { Settings } from '../../shared/settings.ts'
import type { StartInfo } from '../../shared/start-info.ts'
import type { WindowDelta } from '../../shared/window-delta.ts'
import type { RuntimeDelta } from '../runtime/runtime.ts'
import { createKeyStore } from './access/key-store.ts'
import { type Access, type AccessOptions, createAccess } from './access/model-access.ts'
import { createSystemEncryption } from './access/system-encryption.ts'
import { createCommands } from './commands/create-commands.ts'
import { createDispatch, type Dispatch } from './commands/dispatch.ts'
import { createConnection } from './connection.ts'
import { countDirtyFiles } from './folders/dirty-files.ts'
import { createFolders, type Folders } from './folders/folders.ts'
import { createStartFolder } from './folders/start-folder.ts'
import { followSettings } from './follow-settings.ts'
import { createOpenFolderWatches, type OpenFolderWatches } from './open-folder-watches.ts'
import { countRunningAgents } from './running-agents.ts'
import { copySample } from './sample/copy-sample.ts'
import type { Log, Program, SettingsPort, StatusLinePort } from './services.ts'
import { startProgram } from './system/start-program.ts'
import { createSystemOpener } from './system/system-opener.ts'
import { createAttention } from './window/attention.ts'
import type { MainWindow } from './window/main-window.ts'
import { menuTemplate } from './window/menu.ts'
import { askForFolder, askToOpenLink } from './window/questions.ts'
import { createWriteFailures, type WriteFailures } from './write-failures.ts'

export interface DesktopOptions {
  readonly main: MainWindow
  readonly log: Log
  readonly settings: SettingsPort
  /** Problems found while reading the settings file. */
  readonly settingsProblems: readonly string[]
  /** Composes the program at the first call. */
  readonly program: () => Promise<Program>
  readonly access: Pick<AccessOptions, 'environment' | 'forceRehearsal'>
  readonly platform: string
  readonly developing: boolean
  /** The environment for git and the user's own programs. Holds no key. */
  readonly environment: NodeJS.ProcessEnv
  readonly dataFolder: string
  readonly logFile: string
  readonly sampleFolder: string
  readonly statusLine: StatusLinePort
  /** The folder on the command line. */
  readonly folder: string | null
  readonly quit: () => void
  /** Called with the number of running agents after each change. */
  readonly onRunning: (agents: number) => void
}

export interface Desktop {
  readonly dispatch: Dispatch
  /** The number of running agents. */
  readonly running: () => number
  readonly whenClosed: () => Settings['whenClosed']
  /** Saves the new meaning of closing the window. */
  setWhenClosed(whenClosed: Settings['whenClosed']): void
  /** Why the agents' work cannot be saved now; null: everything is saved. */
  readonly unsaved: () => string | null
  /** Retries every failed write. */
  save(): Promise<void>
  /** Opens a folder at the request of a second start or the menu. */
  openFolder(path: string): void
  /** Shows a problem outside the agents' work. */
  reportProblem(message: string): void
  stop(): void
}

export function startDesktop(options: DesktopOptions): Desktop {
  const { main, log, settings } = options
  const { window, stream } = main
  const push = (delta: WindowDelta): void => stream.push(delta)
  const reportProblem = (message: string): void => push({ type: 'problem', message })

  const running = countRunningAgents()
  const attention = createAttention(window)
  const writeFailures = createWriteFailures({
    log,
    push: (failures) => push({ type: 'write-failure', failures }),
    notify: (message, agents) =>
      attention.notify({ title: 'Agents are paused', body: message, needsYou: agents }),
  })
  const access = openAccess(options)
  const applyAccess = async (program: Program): Promise<void> => {
    const { access: resolved, problem } = await access.resolve()
    if (problem !== null) reportProblem(problem)
    const switched = await program.switchAccess(resolved)
    if (!switched.ok) reportProblem(switched.failure.message)
  }
  const connection = createConnection({
    compose: options.program,
    onComposed: async (program) => {
      program.runtime.subscribe(onDelta)
      await applyAccess(program)
    },
  })
  const folders = createFolders({
    settings,
    program: options.program,
    countDirtyFiles: (folder) => countDirtyFiles(folder, options.environment),
    now: () => performance.now(),
    // Before the page takes its first folder, no page receives the watches' deltas.
    onOpened: () => {
      if (!startFolder.isAhead) watches.folderOpened()
    },
  })
  const watches = createOpenFolderWatches({ ...options, window, folders, connection, push })
  const startFolder = createStartFolder({
    folders,
    preferred: () => options.folder ?? settings.current.recentFolders[0] ?? null,
    onTaken: watches.folderOpened,
  })
  const pushAccess = async (): Promise<void> => push({ type: 'access', access: await access.info() })
  const onDelta = (delta: RuntimeDelta): void => {
    if (access.onDelta(delta))
      void pushAccess().catch((error: unknown) => log.error('Reading the access failed', error))
    running.onDelta(delta)
    watches.onDelta(delta)
    writeFailures.onDelta(delta)
    if (delta.type === 'conversation' || delta.type === 'conversation-gone') options.onRunning(running.count)
    if (delta.type !== 'write-failure') push(delta)
  }
  const openFolder = folderOpener(folders, { push, log })
  const showMenu = (): void => installMenu(options, { push, openFolder })
  const publishAccess = async (): Promise<void> => {
    const program = await connection.existing()
    if (program !== null) await applyAccess(program)
    await pushAccess()
  }
  const unfollowSettings = followSettings({
    settings,
    onChange: (now) => {
      push({ type: 'settings', settings: now })
      nativeTheme.themeSource = now.theme
      watches.settingsChanged()
    },
    onTrustChange: watches.trustChanged,
    onRecentFoldersChange: showMenu,
    onAccessChange: () =>
      void publishAccess().catch((error: unknown) => log.error('Changing the access failed', error)),
    onProblem: reportProblem,
  })
  nativeTheme.themeSource = settings.current.theme
  showMenu()

  const start = async (): Promise<StartInfo> => {
    const opened = await startFolder.take()
    watches.statusLine.begin()
    for (const message of options.settingsProblems) reportProblem(message)
    if (writeFailures.all.length > 0) push({ type: 'write-failure', failures: writeFailures.all })
    // A missing recent folder needs no message; a missing folder from the command line does.
    if (opened?.ok === false && folders.current === null && options.folder !== null)
      reportProblem(opened.failure.message)
    return startInfo(options, { access: await access.info(), folder: opened?.ok ? opened.value : null })
  }
  const handlers = createCommands({
    start,
    folders,
    program: connection.program,
    settings,
    access,
    ...systemDeps(options, { folders, watches }),
    statusLine: watches.statusLine,
    subscriptions: watches.statusLine,
    reviewWatch: { follow: watches.reviewWatch.follow, changed: watches.worktreesChanged },
    notify: (notice) => attention.notify(notice),
  })

  // The page is still loading: prepare the answers to its first commands meanwhile.
  connection.program().catch((error: unknown) => log.error('Composing the runtime failed', error))
  startFolder.openAhead()

  return {
    dispatch: createDispatch({ handlers, log }),
    running: () => running.count,
    whenClosed: () => settings.current.whenClosed,
    setWhenClosed: (whenClosed) => saveWhenClosed(whenClosed, { settings, log }),
    unsaved: () => writeFailures.all[0]?.message ?? null,
    save: async () => retryWrites(await connection.program(), writeFailures),
    openFolder,
    reportProblem,
    stop() {
      unfollowSettings()
      watches.stop()
    },
  }
}

function openAccess({ access, settings, program, dataFolder, platform }: DesktopOptions): Access {
  const encryption = createSystemEncryption(platform)
  return createAccess({
    ...access,
    settings,
    program,
    keys: createKeyStore({ file: join(dataFolder, 'api-key'), encryption }),
  })
}

function startInfo(
  { platform, dataFolder, settings }: DesktopOptions,
  found: Pick<StartInfo, 'access' | 'folder'>,
): StartInfo {
  return {
    ...found,
    version: app.getVersion(),
    platform,
    dataFolder,
    settings: settings.current,
    electron: process.versions.electron,
  }
}

/** Opens a folder and shows it in the window. Never throws. */
function folderOpener(
  folders: Folders,
  { push, log }: { readonly push: (delta: WindowDelta) => void; readonly log: Log },
): (path: string) => void {
  const open = async (path: string): Promise<void> => {
    const opened = await folders.open(path)
    if (opened.ok) push({ type: 'folder', folder: opened.value, opened: true })
    else push({ type: 'problem', message: opened.failure.message })
  }
  return (path) => void open(path).catch((error: unknown) => log.error(`Opening ${path} failed`, error))
}

function installMenu(
  options: DesktopOptions,
  window: {
    readonly push: (delta: WindowDelta) => void
    readonly openFolder: (path: string) => void
  },
): void {
  const template = menuTemplate({
    platform: options.platform,
    developing: options.developing,
    recentFolders: options.settings.current.recentFolders,
    command: (command) => window.push({ type: 'menu', command }),
    openFolder: window.openFolder,
    openLog: () => void shell.openPath(options.logFile),
    openDataFolder: () => void shell.openPath(options.dataFolder),
    quit: options.quit,
  })
  Menu.setApplicationMenu(Menu.buildFromTemplate(template))
}

/** The commands' access to the system: dialogs, the sample project, editors and terminals. */
function systemDeps(
  { main, settings, platform, environment, dataFolder, sampleFolder }: DesktopOptions,
  { folders, watches }: { readonly folders: Folders; readonly watches: OpenFolderWatches },
) {
  const { window } = main
  return {
    pickFolder: () => askForFolder(window, folders.current),
    copySample: () =>
      copySample({
        source: sampleFolder,
        parents: [app.getPath('documents'), dataFolder],
        environment,
        now: Date.now,
      }),
    opener: createSystemOpener({
      platform,
      environment,
      dataFolder,
      editor: () => settings.current.editor,
      isKnown: async (path) => watches.reviewWatch.holds(path) || folders.holds(path),
      start: startProgram,
      shell,
      confirmLink: (url) => askToOpenLink(window, url),
    }),
  }
}

function saveWhenClosed(
  whenClosed: Settings['whenClosed'],
  { settings, log }: { readonly settings: SettingsPort; readonly log: Log },
): void {
  settings
    .change({ whenClosed })
    .then((changed) => !changed.ok && log.error(changed.failure.message))
    .catch((error: unknown) => log.error('Saving the close action failed', error))
}

async function retryWrites({ runtime }: Program, { all }: WriteFailures): Promise<void> {
  await Promise.all(all.map(({ conversationId }) => runtime.retryLog(conversationId)))
}
