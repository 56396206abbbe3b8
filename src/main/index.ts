/**
 * The desktop's composition root. Only this file and the command line's root (cli.ts) read the environment.
 * The window opens first; what answers its first command loads while its page runs its scripts, the rest after that answer.
 */
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { app, Menu, nativeTheme, protocol, session } from 'electron'
import { type AgentRef, agentPageSearch } from '../shared/commands/agent-page.ts'
import { makeTerminalSafe } from '../shared/kernel/visible-text.ts'
import { createClosing } from './desktop/closing.ts'
import { createLogFile } from './desktop/log.ts'
import { APP_URL, isWindowPage } from './desktop/security/app-origin.ts'
import {
  answerCommands,
  guardPages,
  guardSession,
  registerAppScheme,
  serveAppFiles,
} from './desktop/security/harden.ts'
import type { Program } from './desktop/services.ts'
import type { Desktop } from './desktop/start-desktop.ts'
import {
  focusWindow,
  type MainWindow,
  type MainWindowOptions,
  openMainWindow,
  saveScreenshot,
  zoomPage,
} from './desktop/window/main-window.ts'
import { askAboutUnsaved, askToClose, askToReload } from './desktop/window/questions.ts'
import { createHiddenWindow } from './desktop/window/tray.ts'
import { KEY_READABLE, KEY_VARIABLES, readEnvironment, startArguments, withVariables } from './environment.ts'
import { eraseProviderKeys } from './features/models/erase-provider-keys.ts'
import { readUserSettings } from './features/settings/user-settings.ts'
import type { StatusLineRunner } from './features/status-line/status-line-runner.ts'
import { eraseVariables } from './platform/system/erase-variables.ts'
import { machineElapsed, machineNow } from './platform/system/machine-time.ts'
import { randomKey } from './platform/system/random-names.ts'

/** ms to shut down in order after an uncaught error. */
const SHUTDOWN_TIMEOUT = 2000

const ofProcess = readEnvironment(process.env)
const isKeyErased = eraseVariables(KEY_VARIABLES)
const dataFolder = ofProcess.dataFolder === null ? app.getPath('userData') : resolve(ofProcess.dataFolder)
const userSettings = readUserSettings({ dataFolder, home: homedir() })
const given = withVariables(ofProcess, userSettings.env)
if (ofProcess.dataFolder !== null) {
  // One window per data folder: Chromium's files and its lock are inside the folder too.
  const ownFolder = join(dataFolder, 'window')
  mkdirSync(ownFolder, { recursive: true })
  app.setPath('userData', ownFolder)
}
/** The folder with what is read by path: of a package it is the one around the archive with the window. */
const programFolder = app.isPackaged ? process.resourcesPath : app.getAppPath()
const developmentServer = app.isPackaged ? null : given.developmentServer
const { scenarioFile } = given.rehearsal
/** Whether the user chooses the rehearsal's pace: a scenario has its own delays. */
const isPaced = given.rehearsal.pace === null && scenarioFile === null
const logFile = join(dataFolder, 'logs', 'main.log')
const log = createLogFile({
  file: logFile,
  now: machineNow,
  echo: app.isPackaged ? null : (line) => console.error(makeTerminalSafe(line)),
})
const started = startArguments({
  argv: process.argv,
  isDefaultApp: process.defaultApp === true,
  cwd: process.cwd(),
})
const { folder, rules, mcpConfig } = started
/** Options for this run, which a program that is already open can't take over. */
const isForThisRun =
  rules.allow.length + rules.deny.length + mcpConfig.length > 0 || started.incomplete !== null

let composed: Promise<Program> | null = null
let closed = false
let ending = false
/** Kills the commands that agents started. None may outlive the program. */
let endCommands = (): void => {}

/** The runtime and its adapters, composed at the first call. */
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
  const paceNow = () => settings.current.rehearsalPace
  const [{ composeRuntime }, { settings }] = await Promise.all([import('./features.ts'), loadSettings()])
  return composeRuntime({
    dataFolder,
    home: homedir(),
    environment: given.forChildren,
    forCommands: given.forCommands,
    settings,
    agentsFolder: join(programFolder, 'agents'),
    docsFolder: join(programFolder, 'docs'),
    managedAgents: given.managedAgents,
    forkSubagents: given.forkSubagents,
    showsTitles: true,
    apiKeyHelper: userSettings.apiKeyHelper,
    turnedOffPlugins: userSettings.turnedOffPlugins,
    rules,
    mcpConfig,
    ...(given.mcpToolsForSubagents && { mcpToolsForSubagents: given.mcpToolsForSubagents }),
    workerProgram: {
      command: [process.execPath, join(programFolder, 'out', 'cli.mjs')],
      environment: {
        ...given.forChildren,
        TROUPE_HOME: dataFolder,
        // Electron's program is Node with this variable.
        ELECTRON_RUN_AS_NODE: '1',
        ...(given.managedAgents !== null && { TROUPE_MANAGED_AGENTS: given.managedAgents }),
      },
      tmux: given.tmuxPane !== null,
    },
    rehearsal: { scenarioFile, pace: given.rehearsal.pace ?? (isPaced ? paceNow : 0) },
    onProblem: (message, about) => {
      log.error(message)
      // The status bar and Settings say themselves how the sandbox is.
      if (about !== 'sandbox') desktop?.reportProblem(message)
    },
  })
}

const loadSettings = once(async () => {
  const [{ createSettingsStore }, { createFolderTrust }] = await Promise.all([
    import('./features/settings/settings-store.ts'),
    import('./platform/system/folder-trust.ts'),
  ])
  const store = createSettingsStore({
    file: join(dataFolder, 'settings.json'),
    below: userSettings.below,
    above: userSettings.above,
    others: { files: userSettings.files, read: () => readUserSettings({ dataFolder, home: homedir() }) },
  })
  const trusts = createFolderTrust({ settings: store, home: homedir(), dataFolder })
  const settings = Object.assign(store, { trusts })
  settings.watch((now) => applyZoom(now.zoom))
  const problems = [...userSettings.problems, ...(await settings.load())]
  settings.watch(({ providers }) => eraseProviderKeys(providers))
  const areErased = eraseProviderKeys(settings.current.providers)
  return { settings, problems: areErased ? problems : [KEY_READABLE, ...problems] }
})

/** Every window, those of single agents included. */
const pages = new Set<MainWindow>()
const windows = new Set<MainWindow>()
let desktop: Desktop | null = null
let statusLine: StatusLineRunner | null = null
let startBehindWindow = (_main: MainWindow): void => {}
/** Resolves once the window is open and the desktop is loaded. */
const desktopStarted = new Promise<Desktop>((resolve, reject) => {
  startBehindWindow = (main) => void startBehindOpenWindow(main).then(resolve, reject)
})
desktopStarted.catch((error: unknown) => log.error('Starting the desktop failed', error))

async function startBehindOpenWindow(main: MainWindow): Promise<Desktop> {
  const [
    { startDesktop },
    { createDraftFiles },
    { createStatusLineRunner },
    { createKeyBindingsStore },
    { findRepository },
    { settings, problems },
  ] = await Promise.all([
    import('./desktop/start-desktop.ts'),
    import('./features/conversations/draft-files.ts'),
    import('./features/status-line/status-line-runner.ts'),
    import('./features/settings/key-bindings-store.ts'),
    import('./platform/folders/folder-reader.ts'),
    loadSettings(),
  ])
  const keyBindings = createKeyBindingsStore({
    file: join(dataFolder, 'keybindings.json'),
    claudeFile: join(homedir(), '.claude', 'keybindings.json'),
  })
  await keyBindings.load()
  const runner = createStatusLineRunner({ environment: given.forChildren, elapsed: machineElapsed })
  statusLine = runner
  desktop = startDesktop({
    main,
    openWindow,
    openAgentWindow,
    log,
    settings,
    keyBindings,
    coordinatorMode: given.coordinatorMode,
    settingsProblems: isKeyErased ? problems : [KEY_READABLE, ...problems],
    program,
    access: {
      environment: { ...given.api, hasKeyHelper: userSettings.apiKeyHelper !== null },
      forceRehearsal: scenarioFile !== null,
      isPaced,
    },
    platform: process.platform,
    developing: !app.isPackaged,
    environment: given.forChildren,
    dataFolder,
    logFile,
    sampleFolder: join(programFolder, 'sample'),
    folder,
    statusLine: runner,
    findRepository,
    drafts: createDraftFiles(join(dataFolder, 'drafts')),
    quit: closing.quit,
    restart: closing.restart,
    onRunning: hidden.setCount,
    ...{ now: machineNow, elapsed: machineElapsed, newKey: randomKey },
  })
  return desktop
}

/** Stops all agents and releases everything. */
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
  running: (window) => desktop?.running(window) ?? 0,
  whenClosed: () => desktop?.whenClosed() ?? 'ask',
  ask: async (question) => {
    const folderName = question.window === null ? '' : (desktop?.folderName(question.window) ?? '')
    const { wish, always } = await askToClose(question, folderName)
    if (always && wish !== 'cancel') desktop?.setWhenClosed(wish)
    return wish
  },
  unsaved: () => desktop?.unsaved() ?? null,
  askUnsaved: askAboutUnsaved,
  save: async () => desktop?.save(),
  hide: hidden.hide,
  stopAgents: async (window) => desktop?.stopAgents(window),
})

/** A wrong `--deny` would deny nothing, so the window doesn't open. */
async function startChecked(): Promise<void> {
  if (isForThisRun) {
    const { wrongStart } = await import('./features/run/run-rules.ts')
    const wrong = wrongStart(started)
    if (wrong !== null) return refuse(wrong)
  }
  start()
}

function refuse(because: string): void {
  console.error(makeTerminalSafe(because))
  // As the command line's exit code for wrong arguments.
  app.exit(2)
}

function start(): void {
  nativeTheme.themeSource = userSettings.theme
  guardSession(guards)
  const served = serveAppFiles(session.defaultSession.protocol, join(import.meta.dirname, '../renderer'))
  const main = openWindow(folder)
  if (given.pictureFile !== null) saveScreenshot(main.window, given.pictureFile)
  // Loading blocks this thread, which passes on the page's requests. The second event is also that of a page that failed.
  const loaded = new Promise<void>((resolve) => main.window.webContents.once('did-stop-loading', resolve))
  void Promise.race([served, loaded]).then(() => startBehindWindow(main))
}

function openWindow(forFolder: string | null): MainWindow {
  const main = openPage({
    url: developmentServer ?? APP_URL,
    boundsFile: 'window-place.json',
    folder: forFolder,
    savedFor: null,
    size: null,
  })
  windows.add(main)
  main.window.on('closed', () => windows.delete(main))
  closing.guard(main.window)
  return main
}

/** Closing it ends no agent, so it closes without a question. */
function openAgentWindow(agent: AgentRef): MainWindow {
  return openPage({
    url: `${developmentServer ?? APP_URL}${agentPageSearch(agent)}`,
    boundsFile: 'agent-window-place.json',
    folder: null,
    // Each agent's window opens again where it was, on a second screen too.
    savedFor: agent.agentId,
    size: { initial: { width: 720, height: 800 }, smallest: { width: 360, height: 320 } },
  })
}

function openPage(
  page: Pick<MainWindowOptions, 'url' | 'boundsFile' | 'folder' | 'savedFor' | 'size'>,
): MainWindow {
  const opened = openMainWindow({
    ...page,
    boundsFile: join(app.getPath('userData'), page.boundsFile),
    isPage: (url) => isWindowPage(url, developmentServer),
    preload: join(import.meta.dirname, '../preload/index.cjs'),
    occupied: [...pages].map(({ window }) => window.getNormalBounds()),
    log,
    zoom: () => zoom,
    elapsed: machineElapsed,
    askToReload,
    quit: closing.quit,
  })
  pages.add(opened)
  opened.window.on('closed', () => pages.delete(opened))
  return opened
}

/** The size of everything in the windows, in percent. */
let zoom = userSettings.zoom

function applyZoom(percent: number): void {
  if (percent === zoom) return
  zoom = percent
  for (const page of pages) zoomPage(page, zoom)
}

/** Shows the window that has the folder, or a new one; null: the last window. Before the desktop has started: the first. */
function showWindow(wanted: string | null): void {
  for (const { window } of desktop === null ? windows : []) focusWindow(window)
  desktopStarted.then((started) => started.openFolder(wanted)).catch(() => {})
}

/** Calls `make` once; later callers share its result. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    return made
  }
}

/** Ends the program after an uncaught error, with a line in the log instead of a dialog that waits. */
function endAfter(error: unknown): void {
  log.error('Uncaught error', error)
  if (ending) return
  ending = true
  const end = (): void => app.exit(1)
  setTimeout(end, SHUTDOWN_TIMEOUT)
  close().then(end, end)
}

const guards = { developmentServer, onRefused: (what: string) => log.error(`Blocked for a page: ${what}`) }

process.on('exit', () => {
  endCommands()
  statusLine?.stopNow()
})
process.on('uncaughtException', endAfter)
process.on('unhandledRejection', (reason) => log.error('Unhandled rejection', reason))
// Electron would build a menu of its own meanwhile.
Menu.setApplicationMenu(null)
registerAppScheme(protocol)
guardPages(app, guards)
if (app.requestSingleInstanceLock({ folder: isForThisRun ? null : folder })) {
  // On macOS the dock icon shows a hidden window.
  app.on('activate', () => showWindow(null))
  app.on('second-instance', (...[, , , data]) => {
    const wanted = (data as { folder?: unknown } | null)?.folder
    showWindow(typeof wanted === 'string' ? wanted : null)
  })
  answerCommands({
    developmentServer,
    log,
    streamOf: (contents) => [...pages].find(({ window }) => window.webContents === contents)?.stream ?? null,
    dispatch: desktopStarted.then((started) => started.dispatch),
  })
  // Not awaited: Electron is ready only after this file has run.
  app.whenReady().then(startChecked).catch(endAfter)
} else if (isForThisRun) {
  refuse(
    'Troupe is already open, where --allow, --deny and --mcp-config would have no effect. Close it, and start it again.',
  )
} else {
  app.exit(0)
}
