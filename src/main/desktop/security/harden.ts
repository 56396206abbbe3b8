/**
 * Shuts what a page could open: other pages, windows, permissions, web views. Applies to every page of the
 * program, whoever makes it, because it is set up before the first.
 */
import { type App, type Session, session, type WebContents } from 'electron'
import { isAppUrl, isWindowPage } from './app-origin.ts'
import { contentSecurityPolicy } from './content-security-policy.ts'

export interface HardenOptions {
  readonly developmentServer: string | null
  /** A page tried what it may not. */
  readonly onRefused: (what: string) => void
}

/** Guards every page made from now on. */
export function guardPages(app: App, options: HardenOptions): void {
  app.on('web-contents-created', (_event, contents) => guardPage(contents, options))
}

/** Refuses every permission (camera, notifications, clipboard reading, devices …) and every download. */
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

/** Writing to the clipboard at a click is all that our pages need. */
const allowedPermissions: ReadonlySet<string> = new Set(['clipboard-sanitized-write'])

function guardPage(contents: WebContents, { developmentServer, onRefused }: HardenOptions): void {
  contents.setWindowOpenHandler(({ url }) => {
    onRefused(`a new window for ${url.slice(0, 200)}`)
    return { action: 'deny' }
  })
  /** Our page has no frames: none may go anywhere. */
  const stay = (event: { preventDefault(): void }, url: string, isMainFrame: boolean): void => {
    if (isMainFrame && isWindowPage(url, developmentServer)) return
    onRefused(`going to ${url.slice(0, 200)}`)
    event.preventDefault()
  }
  contents.on('will-frame-navigate', (event) => stay(event, event.url, event.isMainFrame))
  contents.on('will-redirect', (event) => stay(event, event.url, event.isMainFrame))
  contents.on('will-attach-webview', (event) => {
    onRefused('a web view')
    event.preventDefault()
  })
}
