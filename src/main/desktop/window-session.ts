/** A window with its folder: what it watches, and the answers to its commands. */
import { spawn } from 'node:child_process'
import { app, type BrowserWindow, shell } from 'electron'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import { ok, type Result } from '../../shared/kernel/result.ts'
import type { DraftStorage } from '../../shared/messages/draft.ts'
import type { FolderInfo, StartInfo } from '../../shared/window/contract.ts'
import type { RuntimeDelta } from '../runtime/ports/runtime.ts'
import type { Access } from './access/model-access.ts'
import type { ProgramKeys } from './access/program-keys.ts'
import type { ProviderAccess } from './access/providers.ts'
import type { AgentWindows, OpenAgentWindow } from './agent-windows.ts'
import { createDispatch, forwardTo, type PageDispatch } from './commands/dispatch.ts'
import { type OpenFolder, windowCommands } from './commands/window-commands.ts'
import type { Connection } from './connection.ts'
import { createFolderFollower } from './folder-follower.ts'
import { countDirtyFiles } from './folders/folder-refresh.ts'
import { createFolders, createStartFolder, type Folders, realFolder } from './folders/folders.ts'
import type { Log } from './log.ts'
import { createOpenFolderWatches, type OpenFolderWatches } from './open-folder-watches.ts'
import { createPreview } from './preview/preview.ts'
import type { PreviewSessions } from './preview/preview-guards.ts'
import { copySample } from './sample/copy-sample.ts'
import type { FindRepository, KeyBindingsPort, Program, SettingsPort, StatusLinePort } from './services.ts'
import type { ProgramCall } from './system/editor-command.ts'
import { createSystemOpener } from './system/system-opener.ts'
import type { Tutorial } from './tutorial/tutorial.ts'
import type { Attention } from './window/attention.ts'
import { focusWindow, type MainWindow } from './window/main-window.ts'
import {
  askAboutUpdates,
  askForFile,
  askForFolder,
  askForImport,
  askToOpenLink,
  askToSend,
  askToUpdate,
} from './window/questions.ts'
import type { FolderRequest, FolderWindow, Windows } from './windows.ts'

/** What all windows share. */
export interface SharedServices {
  readonly log: Log
  readonly settings: SettingsPort
  readonly keyBindings: KeyBindingsPort
  /** Coordinator mode of new conversations as the environment sets it; null: the settings decide. */
  readonly coordinatorMode: boolean | null
  readonly program: () => Promise<Program>
  readonly connection: Connection
  readonly access: Access
  readonly providers: ProviderAccess
  readonly programKeys: ProgramKeys
  readonly attention: Attention
  readonly statusLine: StatusLinePort
  readonly findRepository: FindRepository
  readonly drafts: DraftStorage
  readonly previewSessions: PreviewSessions
  readonly tutorial: Tutorial
  readonly windows: Windows<WindowSession>
  readonly agentWindows: AgentWindows<WindowSession>
  readonly pushAll: (delta: WindowDelta) => void
  readonly platform: string
  /** The environment for git and the user's own programs. Holds no key. */
  readonly environment: NodeJS.ProcessEnv
  readonly dataFolder: string
  readonly sampleFolder: string
  /** The number of running agents in all windows. */
  readonly running: () => number
  /** Closes the program and starts it again. */
  readonly restart: () => void
  /** ms since the epoch. */
  readonly now: () => number
  /** ms, for durations. */
  readonly elapsed: () => number
}

export interface WindowSessionOptions extends SharedServices {
  readonly main: MainWindow
  /** The folder and the conversation that the window starts with; null: no folder. */
  readonly first: () => (Pick<FolderRequest, 'folder'> & Partial<FolderRequest>) | null
  /** Called when a page has started, with the failure of its first folder. */
  readonly onStarted: (session: WindowSession, failure: string | null) => void
}

export interface WindowSession extends FolderWindow, OpenAgentWindow {
  readonly main: MainWindow
  readonly dispatch: PageDispatch
  readonly watches: OpenFolderWatches
  push(delta: WindowDelta): void
  onDelta(delta: RuntimeDelta): void
  /** Opens a folder at the request of the menu: here, or in the window that has it. */
  openFolder(path: string): void
  stop(): void
}

/** ms. The page notes its place just before it asks for a conversation. */
const PLACE_DELAY = 500

/** Chromium keeps for a while in memory what a page stores; a kill would lose which conversation is shown. */
function keepPlace(window: BrowserWindow): void {
  setTimeout(() => {
    if (!window.isDestroyed()) window.webContents.session.flushStorageData()
  }, PLACE_DELAY).unref()
}

export function createWindowSession(options: WindowSessionOptions): WindowSession {
  const { main, log, settings, access, connection, windows } = options
  const { window, stream } = main
  const push = (delta: WindowDelta): void => {
    if (delta.type === 'review') options.tutorial.onWorktrees(delta.snapshot.worktrees)
    stream.push(delta)
  }

  const folders = createFolders({
    settings,
    program: options.program,
    findRepository: options.findRepository,
    countDirtyFiles: (folder) => countDirtyFiles(folder, options.environment),
    now: options.elapsed,
    onOpened: () => {
      main.folder = folders.current
      watches.folderOpened()
    },
  })
  const watches = createOpenFolderWatches({
    ...{ ...options, window, folders, connection, push },
    version: app.getVersion(),
  })
  const startFolder = createStartFolder({
    folders,
    preferred: () => options.first()?.folder ?? null,
  })
  let firstConversation = options.first()?.conversationId ?? null

  /** Opens a folder here and shows it. */
  const showHere = async ({ folder: path, conversationId }: FolderRequest): Promise<void> => {
    const opened = await folders.open(path)
    if (!opened.ok) return push({ type: 'problem', message: opened.failure.message })
    const conversation = conversationId === null ? {} : { conversationId }
    push({ type: 'folder', folder: opened.value, opened: true, ...conversation })
  }
  const show = (request: FolderRequest): void =>
    void showHere(request).catch((error: unknown) => log.error(`Opening ${request.folder} failed`, error))

  const openFolder = async (wanted: OpenFolder): Promise<Result<FolderInfo | null>> => {
    const real = await realFolder(wanted.path)
    if (!real.ok) return real
    const other = windows.of(real.value)
    const isElsewhere = other !== null && other !== session
    if (!isElsewhere && (!wanted.newWindow || folders.current === null)) return folders.open(real.value)
    windows.show({ folder: real.value, conversationId: wanted.conversationId })
    return ok(null)
  }

  const start = async (): Promise<StartInfo> => {
    const opened = await startFolder.take()
    // A window whose folder is gone can take another one.
    if (folders.current === null) main.folder = null
    const info = await startInfo(options, opened?.ok ? opened.value : null)
    options.onStarted(
      session,
      opened?.ok === false && folders.current === null ? opened.failure.message : null,
    )
    if (firstConversation !== null && info.folder !== null)
      push({ type: 'folder', folder: info.folder, opened: true, conversationId: firstConversation })
    firstConversation = null
    // This loads the rest of the program, which blocks the thread: the page has its first answer before.
    setImmediate(() => {
      watches.begin()
      connection.program().catch((error: unknown) => log.error('Composing the runtime failed', error))
    })
    return info
  }
  const mcpWatch = createFolderFollower(
    async () => (await connection.program()).mcp,
    (state) => push({ type: 'mcp', state }),
  )
  const environmentWatch = createFolderFollower(
    async () => (await connection.program()).environments,
    (snapshot) => push({ type: 'environments', snapshot }),
  )
  const agentTestWatch = createFolderFollower(
    async () => (await connection.program()).agentTests,
    (change) =>
      push(
        'cases' in change
          ? { type: 'agent-tests', snapshot: change }
          : { type: 'agent-tests-progress', progress: change },
      ),
  )
  const system = systemDeps(options, { folders, watches })
  const preview = createPreview({
    ...{ window, folders, sessions: options.previewSessions, elapsed: options.elapsed },
    environments: async () => (await connection.program()).environments,
    openLink: system.opener.openLink,
    push: (state) => push({ type: 'preview', state }),
  })
  const handlers = windowCommands({
    ...options,
    start,
    folders,
    program: connection.program,
    access,
    ...system,
    preview: preview.handlers,
    openFolder,
    ...{ mcpWatch, environmentWatch, agentTestWatch },
    agentWindow: {
      open: (agent) => {
        if (session.folder !== null) options.agentWindows.show(agent, session.folder)
      },
      close: ({ agentId }) => options.agentWindows.close(agentId),
    },
    statusLine: watches.statusLine,
    subscriptions: {
      subscribed(id) {
        watches.statusLine.subscribed(id)
        keepPlace(window)
      },
      unsubscribed: watches.statusLine.unsubscribed,
    },
    reviewWatch: watches.reviewWatch,
    notify: (notice) => options.attention.notify({ ...notice, open: session.focus }, window),
  })
  const forward = forwardTo({
    handlers: async () => (await connection.program()).handlers,
    folders,
    settings,
    worktreesChanged: (mergedIn) => {
      watches.worktreesChanged()
      if (mergedIn !== null) options.tutorial.onMerged(mergedIn)
    },
  })
  const session: WindowSession = {
    main,
    dispatch: createDispatch({ handlers, forward, log }),
    watches,
    get folder() {
      return folders.current ?? main.folder
    },
    show,
    focus: () => {
      if (!window.isDestroyed()) focusWindow(window)
    },
    close: () => {
      if (!window.isDestroyed()) window.close()
    },
    push,
    onDelta: watches.onDelta,
    openFolder: (path) =>
      void openFolder({ path, newWindow: false, conversationId: null })
        .then((opened) => {
          if (!opened.ok) push({ type: 'problem', message: opened.failure.message })
          else if (opened.value !== null) push({ type: 'folder', folder: opened.value, opened: true })
        })
        .catch((error: unknown) => log.error(`Opening ${path} failed`, error)),
    stop() {
      watches.stop()
      mcpWatch.stop()
      environmentWatch.stop()
      agentTestWatch.stop()
      preview.close()
    },
  }
  // The page is still loading: prepare the answer to its first command meanwhile.
  startFolder.openAhead()
  return session
}

async function startInfo(
  { platform, dataFolder, settings, access, coordinatorMode }: SharedServices,
  folder: FolderInfo | null,
): Promise<StartInfo> {
  return {
    access: await access.info(),
    folder,
    version: app.getVersion(),
    platform,
    dataFolder,
    settings: settings.current,
    coordinatorMode,
    electron: process.versions.electron,
  }
}

/** Makes a fresh copy of the sample project. @returns its folder */
export const newSample = ({
  sampleFolder,
  dataFolder,
  environment,
  now,
}: Pick<SharedServices, 'sampleFolder' | 'dataFolder' | 'environment' | 'now'>) =>
  copySample({ source: sampleFolder, parents: [app.getPath('documents'), dataFolder], environment, now })

/** The commands' access to the system: dialogs, the sample project, editors and terminals. */
function systemDeps(
  options: WindowSessionOptions,
  { folders, watches }: { readonly folders: Folders; readonly watches: OpenFolderWatches },
) {
  const { main, settings, platform, environment, dataFolder } = options
  const { window } = main
  return {
    pickFolder: () => askForFolder(window, folders.current),
    askForFile: (name: string) => askForFile(window, name, folders.current),
    confirmSending: (title: string, url: URL) => askToSend(window, title, url),
    askForImport: () => askForImport(window, folders.current),
    askToUpdate: async (version: string) => {
      const agents = options.running()
      return agents === 0 || askToUpdate(window, version, agents)
    },
    askAboutUpdates: (url: string, key: string) => askAboutUpdates(window, url, key),
    copySample: () => newSample(options),
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

/** Resolves to true once the program runs, to false if it did not start. */
function startProgram(
  { program, args }: ProgramCall,
  options: { readonly cwd: string; readonly environment: NodeJS.ProcessEnv },
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: options.environment,
      detached: true,
      stdio: 'ignore',
    })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
