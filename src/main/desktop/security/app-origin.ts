/**
 * Where the window's pages come from: `app://troupe/`, never `file://`, which could read any file; while
 * developing, the development server. Everything that asks "is this page ours?" asks here.
 */
export const APP_SCHEME = 'app'
const APP_HOST = 'troupe'
export const APP_URL = `${APP_SCHEME}://${APP_HOST}/index.html`

/** The page of a message's sender, as far as the check needs it. */
export interface SenderFrame {
  readonly url: string
  /** Null in a window's main frame. */
  readonly parent: object | null
}

/** Whether a URL is one of our own pages. */
export function isAppUrl(url: string, developmentServer: string | null): boolean {
  if (!URL.canParse(url)) return false
  const parsed = new URL(url)
  if (parsed.protocol === `${APP_SCHEME}:`) return parsed.host === APP_HOST && parsed.username === ''
  return developmentServer !== null && parsed.origin === new URL(developmentServer).origin
}

/** Whether a URL is the window's page itself: the only one it may ever go to. */
export function isWindowPage(url: string, developmentServer: string | null): boolean {
  if (!isAppUrl(url, developmentServer)) return false
  const { protocol, pathname } = new URL(url)
  return protocol !== `${APP_SCHEME}:` || pathname === new URL(APP_URL).pathname
}

/** Whether a command may come from this frame: a main frame that shows one of our own pages. */
export function isTrustedSender(frame: SenderFrame | null, developmentServer: string | null): boolean {
  return frame !== null && frame.parent === null && isWindowPage(frame.url, developmentServer)
}
