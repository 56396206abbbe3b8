/**
 * What guards the pages: they can't open other pages, windows and web views or get permissions, they receive the program's
 * own files with headers that restrict them, and the sender of each command is checked. Set up before the first page, so it
 * applies to every page of the program.
 */
import { type App, ipcMain, type Protocol, type Session, session, type WebContents } from 'electron'
import type { CommandReply } from '../../../shared/ipc/ipc-contract.ts'
import { COMMAND_CHANNEL } from '../../../shared/ipc/window-delta.ts'
import type { DeltaStream } from '../deltas/delta-stream.ts'
import type { Log } from '../log.ts'
import {
  APP_SCHEME,
  appFile,
  contentSecurityPolicy,
  isAppUrl,
  isTrustedSender,
  isWindowPage,
} from './app-origin.ts'

interface HardenOptions {
  readonly developmentServer: string | null
  /** Called when a page attempts a blocked action. */
  readonly onRefused: (what: string) => void
}

/** What no page of a window has, whoever wrote it. Windows and views begin with these preferences. */
export const CONFINED_PAGE = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  spellcheck: false,
} as const

/** Guards every page created from now on. */
export function guardPages(app: App, options: HardenOptions): void {
  app.on('web-contents-created', (_event, contents) => {
    const guard = otherGuards.get(contents.session)
    if (guard === undefined) guardPage(contents, options)
    else guard(contents)
  })
}

const otherGuards = new WeakMap<Session, (contents: WebContents) => void>()

/** From now on pages of this session, which shows none of the program's own, get this guard instead. */
export function guardPagesOf(other: Session, guard: (contents: WebContents) => void): void {
  otherGuards.set(other, guard)
}

/** Refuses every download and every permission except writing to the clipboard. */
export function guardSession({ developmentServer, onRefused }: HardenOptions): void {
  const own: Session = session.defaultSession
  own.setPermissionRequestHandler((contents, permission, answer) => {
    const allowed = allowedPermissions.has(permission) && isAppUrl(contents.getURL(), developmentServer)
    if (!allowed) onRefused(`the permission "${permission}"`)
    answer(allowed)
  })
  own.setPermissionCheckHandler(
    (_contents, permission, origin) =>
      allowedPermissions.has(permission) && isAppUrl(`${origin.replace(/\/$/, '')}/`, developmentServer),
  )
  own.setDevicePermissionHandler(() => false)
  own.on('will-download', (event, item) => {
    onRefused(`a download of ${item.getURL().slice(0, 200)}`)
    event.preventDefault()
  })
  if (developmentServer === null) return
  const headers = { 'content-security-policy': [contentSecurityPolicy({ development: true })] }
  own.webRequest.onHeadersReceived({ urls: [`${new URL(developmentServer).origin}/*`] }, (details, answer) =>
    answer({ responseHeaders: { ...details.responseHeaders, ...headers } }),
  )
}

/** The pages write to the clipboard on a click, and need nothing else. */
const allowedPermissions: ReadonlySet<string> = new Set(['clipboard-sanitized-write'])

function guardPage(contents: WebContents, { developmentServer, onRefused }: HardenOptions): void {
  contents.setWindowOpenHandler(({ url }) => {
    onRefused(`a new window for ${url.slice(0, 200)}`)
    return { action: 'deny' }
  })
  /** The page has no frames: no frame may navigate. */
  const stay = (event: { preventDefault(): void }, url: string, isMainFrame: boolean): void => {
    if (isMainFrame && isWindowPage(url, developmentServer)) return
    onRefused(`navigation to ${url.slice(0, 200)}`)
    event.preventDefault()
  }
  contents.on('will-frame-navigate', (event) => stay(event, event.url, event.isMainFrame))
  contents.on('will-redirect', (event) => stay(event, event.url, event.isMainFrame))
  contents.on('will-attach-webview', (event) => {
    onRefused('a web view')
    event.preventDefault()
  })
}

interface IpcOptions {
  readonly developmentServer: string | null
  /** The stream of a window's page; null for any other page. */
  readonly streamOf: (contents: WebContents) => DeltaStream | null
  /** Resolves once the program is loaded. Commands may arrive before. */
  readonly dispatch: Promise<(name: unknown, input: unknown, stream: DeltaStream) => Promise<CommandReply>>
  readonly log: Log
}

/** Receives the window's commands on one channel. Each message's sender is checked before anything else. */
export function answerCommands({ developmentServer, streamOf, dispatch, log }: IpcOptions): void {
  ipcMain.handle(COMMAND_CHANNEL, async (event, name: unknown, input: unknown): Promise<CommandReply> => {
    const stream = streamOf(event.sender)
    if (stream === null || !isTrustedSender(event.senderFrame, developmentServer)) {
      log.error(`Refused a command from ${event.senderFrame?.url.slice(0, 200) ?? 'a page that is gone'}`)
      return refused
    }
    const run = await dispatch
    return run(name, input, stream)
  })
}

const refused: CommandReply = {
  answer: { ok: false, failure: { type: 'refused', message: 'Only Troupe’s own page may send commands.' } },
}

/** Makes `app:` a scheme like https, with its own origin. Must run before Electron is ready. */
export function registerAppScheme(protocol: Pick<Protocol, 'registerSchemesAsPrivileged'>): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: APP_SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ])
}

/** net::ERR_FILE_NOT_FOUND. */
const NOT_FOUND = -6

/**
 * Serves the window's files as `app://troupe/…`: answers requests for `app:` URLs with files of this folder, which
 * Chromium reads on a thread of its own.
 * @returns resolves once a page asks for its styles, the last file that its first frame needs
 */
export function serveAppFiles(target: Protocol, root: string): Promise<void> {
  return new Promise((resolve) => {
    target.registerFileProtocol(APP_SCHEME, ({ method, url }, answer) => {
      const file = isAppUrl(url, null) ? appFile(root, new URL(url).pathname) : null
      if (method !== 'GET' || file === null) return answer({ error: NOT_FOUND })
      answer({ path: file.path, mimeType: file.contentType, headers: HEADERS })
      if (file.path.endsWith('.css')) resolve()
    })
  })
}

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': contentSecurityPolicy({ development: false }),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // The files change with the program: the next start must not use old ones.
  'cache-control': 'no-cache',
}
