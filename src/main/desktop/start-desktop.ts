/**
 * Everything behind the windows, loaded once the first window is open. Connects settings, model access and the runtime to
 * the windows, and their changes to the windows' streams.
 */
import { basename, join } from 'node:path'
import { type BrowserWindow, Menu, nativeTheme, safeStorage, shell } from 'electron'
import type { AgentRef } from '../../shared/commands/agent-page.ts'
import { boundKeys } from '../../shared/commands/key-bindings.ts'
import type { CommandReply } from '../../shared/ipc/ipc-contract.ts'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { RuntimeDelta } from '../runtime/ports/runtime.ts'
import { createKeyStore, createSystemEncryption } from './access/key-store.ts'
import { type Access, type AccessOptions, createAccess } from './access/model-access.ts'
import { createProgramKeys } from './access/program-keys.ts'
import { createProviderAccess, type ProviderAccess } from './access/providers.ts'
import { createAgentWindows } from './agent-windows.ts'
import type { PageDispatch } from './commands/dispatch.ts'
import { createConnection } from './connection.ts'
import {
  agentsIn,
  countRunningAgents,
  createWriteFailures,
  followSettings,
  type RunningAgents,
  type WriteFailures,
  watchUnshownConversations,
} from './desktop-watches.ts'
import { realFolder } from './folders/folders.ts'
import type { Log } from './log.ts'
import type { Program, SettingsPort } from './services.ts'
import { createTutorial } from './tutorial/tutorial.ts'
import { createAttention } from './window/attention.ts'
import type { MainWindow } from './window/main-window.ts'
import { menuTemplate } from './window/menu.ts'
import {
  createWindowSession,
  newSample,
  type SharedServices,
  type WindowSession,
  type WindowSessionOptions,
} from './window-session.ts'
import { createWindows, type FolderRequest } from './windows.ts'

export interface DesktopOptions
  extends Pick<
    SharedServices,
    | 'drafts'
    | 'log'
    | 'settings'
    | 'keyBindings'
    | 'coordinatorMode'
    | 'statusLine'
    | 'findRepository'
    | 'platform'
    | 'environment'
    | 'dataFolder'
    | 'sampleFolder'
    | 'now'
    | 'elapsed'
  > {
  /** A name that nothing else has. */
  readonly newKey: () => string
  /** The first window. */
  readonly main: MainWindow
  /** Opens a further window for a folder. */
  readonly openWindow: (folder: string) => MainWindow
  /** Opens a window that shows one agent. */
  readonly openAgentWindow: (agent: AgentRef) => MainWindow
  /** Problems found while reading the settings file. */
  readonly settingsProblems: readonly string[]
  /** Composes the program at the first call. */
  readonly program: () => Promise<Program>
  readonly access: Pick<AccessOptions, 'environment' | 'forceRehearsal' | 'isPaced'>
  readonly developing: boolean
  readonly logFile: string
  /** The folder on the command line. */
  readonly folder: string | null
  readonly quit: () => void
  /** Closes the program as `quit` does, without a question about agents, and starts it again. */
  readonly restart: () => void
  /** Called with the numbers of running agents and of pending permission requests after each change. */
  readonly onRunning: (count: RunningAgents['count']) => void
}

export interface Desktop {
  readonly dispatch: PageDispatch
  /** The number of running agents; with a window: of those in its folder. */
  readonly running: (window?: BrowserWindow) => number
  /** The name of a window's folder. */
  readonly folderName: (window: BrowserWindow) => string
  /** Stops the agents in a window's folder. */
  stopAgents(window: BrowserWindow): Promise<void>
  readonly whenClosed: () => Settings['whenClosed']
  /** Saves the new meaning of closing the window. */
  setWhenClosed(whenClosed: Settings['whenClosed']): void
  /** Why the agents' work cannot be saved now; null: everything is saved. */
  readonly unsaved: () => string | null
  /** Retries every failed write. */
  save(): Promise<void>
  /** Shows a folder at the request of a second start, in a window of its own. Null: the last window. */
  openFolder(path: string | null): Promise<void>
  /** Shows a problem outside the agents' work. */
  reportProblem(message: string): void
  stop(): void
}

export function startDesktop(options: DesktopOptions): Desktop {
  const { log, settings } = options
  const windows = createWindows<WindowSession>((request) =>
    openSession(options.openWindow(request.folder), () => request),
  )
  const agentWindows = createAgentWindows<WindowSession>({
    open: (agent, folder) => openAgentSession(options.openAgentWindow(agent), folder),
    onChange: (agentIds) => pushAll({ type: 'agent-windows', agentIds }),
  })
  const sessions = (): readonly WindowSession[] => [...windows.all, ...agentWindows.all]
  const pushAll = (delta: WindowDelta): void => {
    for (const session of sessions()) session.push(delta)
  }
  /** In the window that the user sees. */
  const reportProblem = (message: string): void => windows.all[0]?.push({ type: 'problem', message })
  const open = (request: FolderRequest): void => void windows.show(request)

  const running = countRunningAgents()
  const attention = createAttention(() => windows.all.map(({ main }) => main.window))
  const writeFailures = createWriteFailures({
    log,
    push: (failures) => pushAll({ type: 'write-failure', failures }),
    notify: (message, agents) =>
      attention.notify(
        { title: 'Agents are paused', body: message, needsYou: agents, open: () => windows.all[0]?.focus() },
        null,
      ),
  })
  const watchUnshown = watchUnshownConversations({
    isShown: (id) => windows.all.some(({ main }) => main.stream.shows(id)),
    notify: (notice, { id, folder }) =>
      attention.notify(
        { ...notice, needsYou: running.count.requests, open: () => open({ folder, conversationId: id }) },
        null,
      ),
  })
  const access = openAccess(options)
  const providers = openProviders(options)
  const programKeys = createProgramKeys({
    program: options.program,
    folder: join(options.dataFolder, 'program-keys'),
    encryption: createSystemEncryption(safeStorage, options.platform),
    newKey: options.newKey,
  })
  const applyAccess = async (program: Program): Promise<void> => {
    const { access: resolved, problem } = await access.resolve()
    if (problem !== null) reportProblem(problem)
    for (const unreadable of [await providers.applyKeys(program), await programKeys.apply(program)])
      if (unreadable !== null) reportProblem(unreadable)
    const switched = await program.switchAccess(resolved)
    if (!switched.ok) reportProblem(switched.failure.message)
  }
  const connection = createConnection({
    compose: options.program,
    onComposed: async (program) => {
      program.runtime.subscribe(onDelta)
      program.workers.subscribe((state) => pushAll({ type: 'workers', state }))
      program.updates.watch((state) => pushAll({ type: 'update', state }))
      void program.updates.follow().catch((error: unknown) => log.error('Looking for updates failed', error))
      program.programs.watch((programs) => pushAll({ type: 'programs', programs }))
      await applyAccess(program)
      void program.changes.clean()
      program.runtime
        .followWorkers()
        .catch((error: unknown) => log.error('Finding the workers failed', error))
      if (settings.current.resumeAfterRestart)
        void program.runtime
          .resumeLimited()
          .catch((error: unknown) => log.error('Resuming rate-limited agents failed', error))
    },
  })
  const tutorial = createTutorial({
    file: join(options.dataFolder, 'tutorial.json'),
    program: connection.program,
    copySample: () => newSample(options),
    push: (state) => pushAll({ type: 'tutorial', state }),
    kill: () => process.kill(process.pid, 'SIGKILL'),
    log,
  })
  const pushUpdate = async (session: WindowSession): Promise<void> => {
    const state = (await connection.existing())?.updates.state()
    if (state !== undefined) session.push({ type: 'update', state })
  }
  const pushAccess = async (): Promise<void> => pushAll({ type: 'access', access: await access.info() })
  const shared = {
    ...options,
    access,
    providers,
    programKeys,
    attention,
    connection,
    tutorial,
    windows,
    agentWindows,
    pushAll,
    running: () => agentsIn(running.conversations()),
    previewSessions: new Map(),
  }
  const onDelta = (delta: RuntimeDelta): void => {
    if (access.onDelta(delta))
      void pushAccess().catch((error: unknown) => log.error('Reading the access failed', error))
    running.onDelta(delta)
    for (const session of sessions()) session.onDelta(delta)
    writeFailures.onDelta(delta)
    watchUnshown(delta)
    tutorial.onDelta(delta)
    if (delta.type === 'conversation' || delta.type === 'conversation-gone') options.onRunning(running.count)
    if (delta.type !== 'write-failure') pushAll(delta)
  }
  const openSession = (main: MainWindow, first: WindowSessionOptions['first']): WindowSession => {
    const onStarted: WindowSessionOptions['onStarted'] = (session, failure) => {
      if (options.settingsProblems.length > 0)
        session.push({ type: 'settings-problems', messages: options.settingsProblems })
      session.push({ type: 'agent-windows', agentIds: agentWindows.agentIds })
      if (writeFailures.all.length > 0) session.push({ type: 'write-failure', failures: writeFailures.all })
      void pushUpdate(session).catch((error: unknown) => log.error('Reading the updates failed', error))
      // A missing recent folder of the first window needs no message; one that the user named does.
      const isNamed = options.folder !== null || main !== options.main
      if (failure !== null && isNamed) session.push({ type: 'problem', message: failure })
    }
    const session = createWindowSession({ ...shared, main, first, onStarted })
    windows.add(session)
    attention.follow(main.window)
    main.window.on('focus', () => windows.focused(session))
    main.window.on('closed', () => {
      windows.remove(session)
      session.stop()
      agentWindows.closeIn(windows.all.length === 0 ? null : session.folder)
    })
    return session
  }
  const openAgentSession = (main: MainWindow, folder: string): WindowSession => {
    const onStarted: WindowSessionOptions['onStarted'] = (session) => {
      if (writeFailures.all.length > 0) session.push({ type: 'write-failure', failures: writeFailures.all })
    }
    const session = createWindowSession({ ...shared, main, first: () => ({ folder }), onStarted })
    main.window.on('closed', () => {
      session.stop()
      agentWindows.remove(session)
    })
    return session
  }
  const showMenu = (): void => installMenu(options, () => windows.all[0] ?? null)
  const publishAccess = async (): Promise<void> => {
    const program = await connection.existing()
    if (program !== null) await applyAccess(program)
    await pushAccess()
  }
  const readServers = async (folder: string) => (await connection.existing())?.mcp.state(folder)
  const unfollowSettings = followSettings({
    settings,
    onChange: (now) => {
      pushAll({ type: 'settings', settings: now })
      nativeTheme.themeSource = now.theme
      for (const { watches } of sessions()) watches.settingsChanged()
    },
    onTrustChange: () => {
      for (const { watches, folder } of sessions()) {
        watches.trustChanged()
        // Servers of a folder that has lost its trust end.
        if (folder !== null)
          void readServers(folder).catch((error: unknown) =>
            log.error('Reading the MCP servers failed', error),
          )
      }
    },
    onRecentFoldersChange: showMenu,
    onAccessChange: () =>
      void publishAccess().catch((error: unknown) => log.error('Changing the access failed', error)),
    onProblems: (messages) => windows.all[0]?.push({ type: 'settings-problems', messages }),
  })
  const unfollowKeys = options.keyBindings.watch((keys) => {
    pushAll({ type: 'keys', keys })
    showMenu()
  })
  nativeTheme.themeSource = settings.current.theme
  // Building a menu takes this thread from the page that loads.
  options.main.window.webContents.once('did-stop-loading', showMenu)

  openSession(options.main, () => {
    const folder = options.folder ?? settings.current.recentFolders[0]
    return folder === undefined ? null : { folder }
  })

  const sessionOf = (window: BrowserWindow) => windows.all.find(({ main }) => main.window === window)
  return {
    async dispatch(name, input, stream) {
      const session = sessions().find(({ main }) => main.stream === stream)
      return session === undefined ? gone : session.dispatch(name, input, stream)
    },
    running: (window) =>
      agentsIn(running.conversations(window === undefined ? undefined : (sessionOf(window)?.folder ?? ''))),
    folderName: (window) => basename(sessionOf(window)?.folder ?? ''),
    async stopAgents(window) {
      const { runtime } = await connection.program()
      const inFolder = running.conversations(sessionOf(window)?.folder ?? '')
      await Promise.all(
        inFolder.map(({ id }) => runtime.dispatch({ type: 'conversation.stop', conversationId: id })),
      )
    },
    whenClosed: () => settings.current.whenClosed,
    setWhenClosed: (whenClosed) => saveWhenClosed(whenClosed, { settings, log }),
    unsaved: () => writeFailures.all[0]?.message ?? null,
    save: async () => retryWrites(await connection.program(), writeFailures),
    async openFolder(path) {
      if (path === null) return windows.all[0]?.focus()
      const real = await realFolder(path)
      if (real.ok) return open({ folder: real.value, conversationId: null })
      reportProblem(real.failure.message)
      windows.all[0]?.focus()
    },
    reportProblem,
    stop() {
      unfollowSettings()
      unfollowKeys()
      for (const session of sessions()) session.stop()
    },
  }
}

const gone: CommandReply = {
  answer: { ok: false, failure: { type: 'gone', message: 'This window is being closed. Nothing was done.' } },
}

function openAccess({ access, settings, program, dataFolder, platform, newKey }: DesktopOptions): Access {
  const encryption = createSystemEncryption(safeStorage, platform)
  return createAccess({
    ...access,
    settings,
    program,
    keys: createKeyStore({ file: join(dataFolder, 'api-key'), encryption, newKey }),
  })
}

function openProviders(options: DesktopOptions): ProviderAccess {
  const { settings, program, now, newKey } = options
  return createProviderAccess({
    ...{ settings, program, now, newKey },
    folder: join(options.dataFolder, 'provider-keys'),
    encryption: createSystemEncryption(safeStorage, options.platform),
  })
}

/** @param current the window that the user sees */
function installMenu(options: DesktopOptions, current: () => WindowSession | null): void {
  const template = menuTemplate({
    platform: options.platform,
    developing: options.developing,
    recentFolders: options.settings.current.recentFolders,
    keysOf: (id) => boundKeys(id, options.keyBindings.current),
    command: (command) => current()?.push({ type: 'menu', command }),
    openFolder: (path) => current()?.openFolder(path),
    openLog: () => void shell.openPath(options.logFile),
    openDataFolder: () => void shell.openPath(options.dataFolder),
    quit: options.quit,
  })
  Menu.setApplicationMenu(Menu.buildFromTemplate(template))
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
  await Promise.all(
    all.map(({ conversationId }) => runtime.dispatch({ type: 'conversation.retryLog', conversationId })),
  )
}
