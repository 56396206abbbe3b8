/**
 * The origin of the window's pages: `app://troupe/`, never `file://`, which could read any file; in
 * development, the development server. Every check of a page's origin is here.
 */
export const APP_SCHEME = 'app'
const APP_HOST = 'troupe'
export const APP_URL = `${APP_SCHEME}://${APP_HOST}/index.html`

/** The part of a message's sender that the check needs. */
interface SenderFrame {
  readonly url: string
  /** Null in a window's main frame. */
  readonly parent: object | null
}

/** Whether a URL is one of the program's pages. */
export function isAppUrl(url: string, developmentServer: string | null): boolean {
  if (!URL.canParse(url)) return false
  const parsed = new URL(url)
  if (parsed.protocol === `${APP_SCHEME}:`) return parsed.host === APP_HOST && parsed.username === ''
  return developmentServer !== null && parsed.origin === new URL(developmentServer).origin
}

/** Whether a URL is the window's page, the only page it may show. */
export function isWindowPage(url: string, developmentServer: string | null): boolean {
  if (!isAppUrl(url, developmentServer)) return false
  const { protocol, pathname } = new URL(url)
  return protocol !== `${APP_SCHEME}:` || pathname === new URL(APP_URL).pathname
}

/** Whether a frame may send commands: a main frame that shows one of the program's pages. */
export function isTrustedSender(frame: SenderFrame | null, developmentServer: string | null): boolean {
  return frame !== null && frame.parent === null && isWindowPage(frame.url, developmentServer)
}
