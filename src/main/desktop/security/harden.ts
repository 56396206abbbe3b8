/**
 * Blocks pages from opening other pages, windows and web views, and from getting permissions. Set up before the first
 * page, so it applies to every page of the program.
 */
import { type App, type Session, session, type WebContents } from 'electron'
import { isAppUrl, isWindowPage } from './app-origin.ts'
import { contentSecurityPolicy } from './content-security-policy.ts'

interface HardenOptions {
  readonly developmentServer: string | null
  /** Called when a page attempts a blocked action. */
  readonly onRefused: (what: string) => void
}

/** Guards every page created from now on. */
export function guardPages(app: App, options: HardenOptions): void {
  app.on('web-contents-created', (_event, contents) => guardPage(contents, options))
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
