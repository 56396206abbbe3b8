/**
 * The origin, the files and the content security policy of the window's pages: `app://troupe/`, never `file://`, which
 * could read any file; in development, the development server. Every check of a page's address is here.
 */
import { extname, join, relative, sep } from 'node:path'

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

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

interface AppFile {
  readonly path: string
  readonly contentType: string
}

/**
 * The file for a URL's path, still percent-encoded. Null for a path that leaves the folder, is hidden, or
 * has a type that the window does not use.
 */
export function appFile(root: string, pathname: string): AppFile | null {
  let decoded: string
  try {
    decoded = decodeURIComponent(pathname)
  } catch {
    return null
  }
  // After one decoding, an encoded slash or a second encoding can only be an attack.
  if (/[\0\\%:]/.test(decoded)) return null
  const parts = decoded.split('/').slice(1)
  if (parts.some((part) => part === '' || part.startsWith('.'))) return null
  const contentType = contentTypes[extname(decoded).toLowerCase()]
  if (contentType === undefined) return null
  const path = join(root, ...parts)
  const inside = relative(root, path)
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`)) return null
  return { path, contentType }
}

/** Only parts of the program load and run. */
const policy: Readonly<Record<string, readonly string[]>> = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  // Pictures in a conversation are data; none is fetched.
  'img-src': ["'self'", 'data:', 'blob:'],
  'font-src': ["'self'"],
  'connect-src': ["'self'"],
  'worker-src': ["'self'", 'blob:'],
  'frame-src': ["'none'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
}

/** The development server injects styles and a reload script, and uses a socket. */
const development: Readonly<Record<string, readonly string[]>> = {
  'script-src': ["'unsafe-inline'"],
  'style-src': ["'unsafe-inline'"],
  'connect-src': ['ws:'],
  'font-src': ['data:'],
}

/** The content security policy: the header's value. */
export function contentSecurityPolicy(options: { readonly development: boolean }): string {
  return Object.entries(policy)
    .map(([directive, sources]) =>
      [directive, ...sources, ...(options.development ? (development[directive] ?? []) : [])].join(' '),
    )
    .join('; ')
}
