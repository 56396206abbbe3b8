/**
 * Everything behind the window: loaded after it is open. Connects settings, access, folders and the runtime
 * to the window's commands, and what happens in them to its stream.
 */
import { join } from 'node:path'
import { app, Menu, nativeTheme, shell } from 'electron'
import type { FolderInfo, StartInfo, WindowDelta } from '../../shared/ipc-contract.ts'
import type { Result } from '../../shared/result.ts'
import type { Settings } from '../../shared/settings.ts'
import type { RuntimeDelta } from '../runtime/runtime.ts'
import { createKeyStore } from './access/key-store.ts'
import { type AccessOptions, createAccess } from './access/model-access.ts'
import { createSystemEncryption } from './access/system-encryption.ts'
import { createCommands } from './commands/create-commands.ts'
import { createDispatch, type Dispatch } from './commands/dispatch.ts'
import { countDirtyFiles } from './folders/dirty-files.ts'
import { createFolderRefresh } from './folders/folder-refresh.ts'
import { createFolders } from './folders/folders.ts'
import { createDefinitionWatch } from './folders/watch-definitions.ts'
import { createLogTroubles } from './log-trouble.ts'
import { createReviewWatch } from './review/review-watch.ts'
import { countRunningAgents } from './running-agents.ts'
import { copySample } from './sample/copy-sample.ts'
import type { Log, Program, SettingsPort, StatusLinePort } from './services.ts'
import { createStatusLine } from './status-line/status-line.ts'
import { createPlaces } from './system/open-places.ts'
import { startProgram } from './system/start-program.ts'
import { createAttention } from './window/attention.ts'
import type { MainWindow } from './window/main-window.ts'
import { menuTemplate } from './window/menu.ts'
import { askForFolder, askToOpenLink } from './window/questions.ts'

export interface DesktopOptions {
  readonly main: MainWindow
  readonly log: Log
  readonly settings: SettingsPort
  /** What was wrong with the settings file when it was read. */
  readonly settingsProblems: readonly string[]
  /** Composed once, at the first call. */
  readonly program: () => Promise<Program>
  readonly access: Pick<AccessOptions, 'environment' | 'forceRehearsal'>
  readonly platform: string
  readonly developing: boolean
  /** For git and the user's own programs: no key is in it. */
  readonly environment: NodeJS.ProcessEnv
  readonly dataFolder: string
  readonly logFile: string
  readonly sampleFolder: string
  readonly statusLine: StatusLinePort
  /** The folder the program was started with. */
  readonly folder: string | null
  readonly quit: () => void
  /** Told how many agents are at work, at each change. */
  readonly onRunning: (agents: number) => void
}

export interface Desktop {
  readonly dispatch: Dispatch
  /** Agents at work now. */
  readonly running: () => number
  readonly whenClosed: () => Settings['whenClosed']
  /** From now on closing the window means this. */
  keepWhenClosed(whenClosed: Settings['whenClosed']): void
  /** Why what agents did can't be saved at the moment, or null. */
  readonly unsaved: () => string | null
  /** Tries again to save it. */
  save(): Promise<void>
  /** Goes to a folder because something outside the window said so. */
  openFolder(path: string): void
  /** Tells the user that something is wrong beside the work. */
  tell(message: string): void
  stop(): void
}

export function startDesktop(options: DesktopOptions): Desktop {
  const { main, log, settings, environment, dataFolder, platform } = options
  const { window, stream } = main
  const push = (delta: WindowDelta): void => stream.push(delta)
  const running = countRunningAgents()

  const folders = createFolders({
    settings,
    program: options.program,
    countDirtyFiles: (folder) => countDirtyFiles(folder, environment),
    now: () => performance.now(),
    opened: () => {
      // The page is not there yet: it is told with what it asks for first.
      if (opening === null) follow()
    },
  })
  /** The folder that the window begins with, opened while its page is being built; null once that has it. */
  let opening: Promise<Result<FolderInfo> | null> | null = null
  const follow = (): void => {
    followDefinitions()
    reviewWatch.opened()
  }
  const definitionWatch = createDefinitionWatch(options.program, (folder) =>
    push({ type: 'definitions', folder }),
  )
  const followDefinitions = (): void => {
    const path = folders.current
    if (path === null) return
    const { trustedFolders, plugins } = settings.current
    definitionWatch.follow({
      path,
      trusted: trustedFolders.includes(path),
      plugins: plugins.filter(({ enabled }) => enabled).map((plugin) => plugin.path),
    })
  }
  const refresh = createFolderRefresh({
    folders,
    changed: (folder) => {
      push({ type: 'folder', folder })
      statusLine.look()
    },
  })
  /** Null until the program is there: no agent can have done anything by then. */
  let runtime: Program['runtime'] | null = null
  const reviewWatch = createReviewWatch({
    review: async () => (await program()).review,
    folder: () => folders.current,
    isTrusted: (folder) => settings.current.trustedFolders.includes(folder),
    agent: (conversationId, agentId) => runtime?.state(conversationId, agentId) ?? null,
    push: (snapshot) => push({ type: 'review', snapshot }),
    failed: (cause) => log.error('The worktrees could not be listed', cause),
    now: () => performance.now(),
  })
  window.on('focus', () => {
    refresh.soon()
    reviewWatch.soon()
  })
  const access = createAccess({
    ...options.access,
    settings,
    program: options.program,
    keys: createKeyStore({ file: join(dataFolder, 'api-key'), encryption: createSystemEncryption(platform) }),
  })
  const attention = createAttention(window)
  const troubles = createLogTroubles({
    log,
    push: (all) => push({ type: 'log-trouble', troubles: all }),
    notify: (message, agents) =>
      attention.notify({ title: 'Agents are paused', body: message, needsYou: agents }),
  })

  /** The program, connected: its deltas reach the window, and its requests the model that is chosen. */
  let connected: Promise<Program> | null = null
  const program = (): Promise<Program> => {
    connected ??= connect().catch((error: unknown) => {
      // The next command may have more luck than this one, which says what went wrong.
      connected = null
      throw error
    })
    return connected
  }
  const connect = async (): Promise<Program> => {
    const composed = await options.program()
    runtime = composed.runtime
    composed.runtime.subscribe(hear)
    await applyAccess(composed)
    return composed
  }
  const hear = (delta: RuntimeDelta): void => {
    running.hear(delta)
    refresh.hear(delta)
    statusLine.hear(delta)
    reviewWatch.hear(delta)
    troubles.hear(delta)
    if (delta.type === 'conversation' || delta.type === 'conversation-gone') options.onRunning(running.count)
    if (delta.type !== 'log-trouble') push(delta)
  }
  const applyAccess = async (composed: Program): Promise<void> => {
    const { access: resolved, problem } = await access.resolve()
    if (problem !== null) push({ type: 'trouble', message: problem })
    const switched = await composed.switchAccess(resolved)
    if (!switched.ok) push({ type: 'trouble', message: switched.failure.message })
  }

  const isVisible = (): boolean => window.isVisible() && !window.isMinimized()
  const statusLine = createStatusLine({
    runner: options.statusLine,
    settings,
    folder: () => folders.current,
    branchOf: async (folder) => (await (await program()).folders.facts(folder)).gitBranch,
    snapshot: async (conversationId) => (await program()).runtime.snapshot(conversationId),
    tell: (words) => push({ type: 'status-line', ...words }),
    visible: isVisible(),
    now: () => performance.now(),
  })
  for (const event of ['show', 'hide', 'minimize', 'restore'] as const)
    window.on(event as 'show', () => statusLine.setVisible(isVisible()))

  const openFolder = async (path: string): Promise<void> => {
    const opened = await folders.open(path)
    if (opened.ok) push({ type: 'folder', folder: opened.value, opened: true })
    else push({ type: 'trouble', message: opened.failure.message })
  }
  const goTo = (path: string): void => {
    openFolder(path).catch((error: unknown) => log.error(`Opening ${path} failed`, error))
  }
  const showMenu = (): void => {
    const template = menuTemplate({
      platform,
      developing: options.developing,
      recentFolders: settings.current.recentFolders,
      command: (command) => push({ type: 'menu', command }),
      openFolder: goTo,
      openLog: () => void shell.openPath(options.logFile),
      openDataFolder: () => void shell.openPath(dataFolder),
      quit: options.quit,
    })
    Menu.setApplicationMenu(Menu.buildFromTemplate(template))
  }

  let seen: Settings = settings.current
  const unwatch = settings.watch((now, problems) => {
    for (const message of problems) push({ type: 'trouble', message })
    const before = seen
    seen = now
    push({ type: 'settings', settings: now })
    statusLine.look()
    nativeTheme.themeSource = now.theme
    followDefinitions()
    if (differs(before.trustedFolders, now.trustedFolders)) reviewWatch.soon()
    if (differs(before.recentFolders, now.recentFolders)) showMenu()
    if (differs([before.access, before.baseUrl], [now.access, now.baseUrl])) {
      const tell = async (): Promise<void> => {
        if (connected) await applyAccess(await connected)
        push({ type: 'access', access: await access.info() })
      }
      tell().catch((error: unknown) => log.error('Changing the access failed', error))
    }
  })
  nativeTheme.themeSource = settings.current.theme
  showMenu()

  const openFolderAtStart = async (): Promise<Result<FolderInfo> | null> => {
    const path = folders.current ?? options.folder ?? settings.current.recentFolders[0] ?? null
    return path === null ? null : folders.open(path)
  }
  const start = async (): Promise<StartInfo> => {
    const begun = opening
    opening = null
    let opened = await begun
    // The page is loaded anew, or was told to go elsewhere before it was there.
    if (begun === null || (opened?.ok && opened.value.path !== folders.current))
      opened = await openFolderAtStart()
    else if (opened?.ok) follow()
    statusLine.begin()
    for (const message of options.settingsProblems) push({ type: 'trouble', message })
    // A page that is loaded anew knows nothing of it.
    if (troubles.all.length > 0) push({ type: 'log-trouble', troubles: troubles.all })
    // A folder that was used last and is gone is nobody's fault; one that was named is worth a word.
    if (opened?.ok === false && folders.current === null && options.folder !== null)
      push({ type: 'trouble', message: opened.failure.message })
    return {
      version: app.getVersion(),
      platform,
      dataFolder,
      settings: settings.current,
      access: await access.info(),
      folder: opened?.ok ? opened.value : null,
      electron: process.versions.electron,
    }
  }

  const handlers = createCommands({
    start,
    folders,
    program,
    settings,
    access,
    pickFolder: () => askForFolder(window, folders.current),
    copySample: () =>
      copySample({
        source: options.sampleFolder,
        parents: [app.getPath('documents'), dataFolder],
        environment,
        now: Date.now,
      }),
    statusLine,
    following: statusLine,
    reviewWatch: {
      follow: reviewWatch.follow,
      changed() {
        reviewWatch.changed()
        // A merge may have moved the branch that is checked out.
        refresh.soon()
      },
    },
    places: createPlaces({
      platform,
      environment,
      dataFolder,
      editor: () => settings.current.editor,
      isKnown: async (path) => reviewWatch.holds(path) || folders.holds(path),
      start: startProgram,
      shell,
      confirmLink: (url) => askToOpenLink(window, url),
    }),
    notify: (notice) => attention.notify(notice),
  })

  // The page is still being built: what its first commands need is put together meanwhile.
  program().catch((error: unknown) => log.error('The runtime could not be put together', error))
  opening = openFolderAtStart()
  opening.catch(() => {})

  return {
    dispatch: createDispatch({ handlers, log }),
    running: () => running.count,
    whenClosed: () => settings.current.whenClosed,
    keepWhenClosed: (whenClosed) => {
      settings
        .change({ whenClosed })
        .then((changed) => !changed.ok && log.error(changed.failure.message))
        .catch((error: unknown) => log.error('What closing means could not be kept', error))
    },
    unsaved: () => troubles.all[0]?.message ?? null,
    async save() {
      const { runtime } = await program()
      await Promise.all(troubles.all.map(({ conversationId }) => runtime.retryLog(conversationId)))
    },
    openFolder: goTo,
    tell: (message) => push({ type: 'trouble', message }),
    stop() {
      unwatch()
      refresh.stop()
      reviewWatch.stop()
      definitionWatch.stop()
      statusLine.stop()
    },
  }
}

const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b)
