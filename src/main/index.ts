/**
 * The desktop's composition root: the one place beside the command line's that reads the environment. The
 * window opens first; everything behind it is loaded while its page runs the code that it has got.
 */
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { app, nativeTheme, session } from 'electron'
import type { StatusLineRunner } from './adapters/status-line/status-line-runner.ts'
import { createClosing } from './desktop/closing.ts'
import { answerCommands } from './desktop/ipc.ts'
import { createLogFile } from './desktop/log-file.ts'
import { APP_URL, isWindowPage } from './desktop/security/app-origin.ts'
import { registerAppScheme, serveAppFiles } from './desktop/security/app-protocol.ts'
import { guardPages, guardSession } from './desktop/security/harden.ts'
import type { Program } from './desktop/services.ts'
import { folderArgument } from './desktop/start-arguments.ts'
import type { Desktop } from './desktop/start-desktop.ts'
import { keepPicture } from './desktop/window/keep-picture.ts'
import { focusWindow, type MainWindow, openMainWindow } from './desktop/window/main-window.ts'
import { createPageCode } from './desktop/window/page-code.ts'
import { askAboutUnsaved, askToClose, askToLoadAgain } from './desktop/window/questions.ts'
import { readTheme } from './desktop/window/theme.ts'
import { createHiddenWindow } from './desktop/window/tray.ts'
import { takeEnvironment } from './environment.ts'

/** ms for what was begun to be put in order after a bug that nobody caught. */
const LAST_WORDS = 2000

const given = takeEnvironment(process.env)
const dataFolder = given.dataFolder === null ? app.getPath('userData') : resolve(given.dataFolder)
if (given.dataFolder !== null) {
  // One window for each data folder: Chromium's own files, and its lock, lie in there too.
  const ownFolder = join(dataFolder, 'window')
  mkdirSync(ownFolder, { recursive: true })
  app.setPath('userData', ownFolder)
}
const developmentServer = app.isPackaged ? null : given.developmentServer
const logFile = join(dataFolder, 'logs', 'main.log')
const log = createLogFile({
  file: logFile,
  now: Date.now,
  echo: app.isPackaged ? null : (line) => console.error(line),
})
const folder = folderArgument({
  argv: process.argv,
  isDefaultApp: process.defaultApp === true,
  cwd: process.cwd(),
})

let composed: Promise<Program> | null = null
let closed = false
let ending = false
/** Ends by force what agents started: nothing of it may outlive the program. */
let endCommands = (): void => {}

/** The runtime and what it needs, put together at the first call. */
function program(): Promise<Program> {
  if (closed) return Promise.reject(new Error('The program is closing.'))
  composed ??= compose().then((made) => {
    endCommands = made.endNow
    return made
  })
  composed.catch(() => {
    composed = null
  })
  return composed
}

async function compose(): Promise<Program> {
  const [{ composeRuntime }, { settings }] = await Promise.all([
    import('./compose-runtime.ts'),
    loadSettings(),
  ])
  return composeRuntime({
    dataFolder,
    home: homedir(),
    environment: given.forChildren,
    settings,
    agentsFolder: join(app.getAppPath(), 'agents'),
    docsFolder: join(app.getAppPath(), 'docs'),
    managedAgents: given.managedAgents,
    forkSubagents: given.forkSubagents,
    rehearsal: given.rehearsal,
    onProblem: (message) => {
      log.error(message)
      desktop?.tell(message)
    },
  })
}

const loadSettings = once(async () => {
  const { createSettingsStore } = await import('./adapters/settings/settings-store.ts')
  const settings = createSettingsStore({ file: join(dataFolder, 'settings.json'), now: Date.now })
  return { settings, problems: await settings.load() }
})

let openWindow: MainWindow | null = null
let desktop: Desktop | null = null
let statusLine: StatusLineRunner | null = null
let startBehindWindow = (_main: MainWindow): void => {}
/** There once the window is open and what is behind it is loaded. */
const desktopStarted = new Promise<Desktop>((resolve, reject) => {
  startBehindWindow = (main) => void startBehind(main).then(resolve, reject)
})
desktopStarted.catch((error: unknown) => log.error('The program behind the window did not start', error))

async function startBehind(main: MainWindow): Promise<Desktop> {
  const [{ startDesktop }, { createStatusLineRunner }, { settings, problems }] = await Promise.all([
    import('./desktop/start-desktop.ts'),
    import('./adapters/status-line/status-line-runner.ts'),
    loadSettings(),
  ])
  const runner = createStatusLineRunner({ environment: given.forChildren })
  statusLine = runner
  desktop = startDesktop({
    main,
    log,
    settings,
    settingsProblems: problems,
    program,
    access: { environment: given.api, forceRehearsal: given.rehearsal.scenarioFile !== null },
    platform: process.platform,
    developing: !app.isPackaged,
    environment: given.forChildren,
    dataFolder,
    logFile,
    sampleFolder: join(app.getAppPath(), 'sample'),
    folder,
    statusLine: runner,
    quit: closing.quit,
    onRunning: hidden.setRunning,
  })
  return desktop
}

/** Stops all agents and lets go of everything. */
async function close(): Promise<void> {
  closed = true
  desktop?.stop()
  const running = await composed?.catch(() => null)
  await Promise.all([running?.close(), statusLine?.stop()])
}

const hidden = createHiddenWindow({ log, quit: () => closing.quit() })
const closing = createClosing({
  app,
  log,
  close,
  running: () => desktop?.running() ?? 0,
  whenClosed: () => desktop?.whenClosed() ?? 'ask',
  ask: async (window, agents) => {
    const { wish, always } = await askToClose(window, agents)
    if (always && wish !== 'cancel') desktop?.keepWhenClosed(wish)
    return wish
  },
  unsaved: () => desktop?.unsaved() ?? null,
  askUnsaved: askAboutUnsaved,
  save: async () => desktop?.save(),
  hide: hidden.hide,
})

function start(): void {
  nativeTheme.themeSource = readTheme(join(dataFolder, 'settings.json'))
  guardSession(guards)
  const code = createPageCode()
  serveAppFiles(session.defaultSession.protocol, join(import.meta.dirname, '../renderer'), code.served)
  const main = openMainWindow({
    url: developmentServer ?? APP_URL,
    isPage: (url) => isWindowPage(url, developmentServer),
    preload: join(import.meta.dirname, '../preload/index.cjs'),
    placeFile: join(app.getPath('userData'), 'window-place.json'),
    log,
    askToLoadAgain,
    quit: closing.quit,
  })
  openWindow = main
  closing.guard(main.window)
  if (given.pictureFile !== null) keepPicture(main.window, given.pictureFile)
  main.window.webContents.once('dom-ready', code.enough)
  main.window.webContents.once('did-fail-load', code.enough)
  // Not before: what is loaded blocks the thread that the page gets its files from.
  void code.there.then(() => startBehindWindow(main))
}

/** Once: whoever asks later gets the same answer. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    return made
  }
}

/** A bug that nobody caught: no dialog that waits for ever, but a line in the log and an end. */
function endAfter(error: unknown): void {
  log.error('An error that nobody caught', error)
  if (ending) return
  ending = true
  const end = (): void => app.exit(1)
  setTimeout(end, LAST_WORDS)
  close().then(end, end)
}

const guards = { developmentServer, onRefused: (what: string) => log.error(`A page was refused ${what}`) }

process.on('exit', () => {
  endCommands()
  statusLine?.stopNow()
})
process.on('uncaughtException', endAfter)
process.on('unhandledRejection', (reason) => log.error('A promise that nobody caught', reason))
registerAppScheme()
guardPages(app, guards)
if (app.requestSingleInstanceLock({ folder })) {
  // On a Mac the dock leads back to a window that is hidden.
  app.on('activate', () => {
    if (openWindow !== null && !openWindow.window.isDestroyed()) focusWindow(openWindow.window)
  })
  app.on('second-instance', (_event, _argv, _cwd, data) => {
    if (openWindow !== null && !openWindow.window.isDestroyed()) focusWindow(openWindow.window)
    const wanted = (data as { folder?: unknown } | null)?.folder
    if (typeof wanted === 'string')
      desktopStarted.then((started) => started.openFolder(wanted)).catch(() => {})
  })
  answerCommands({
    developmentServer,
    log,
    streamOf: (contents) => (contents === openWindow?.window.webContents ? openWindow.stream : null),
    dispatch: desktopStarted.then((started) => started.dispatch),
  })
  // Not awaited: Electron is not ready before this file has run to its end.
  app.whenReady().then(start).catch(endAfter)
} else {
  app.exit(0)
}
