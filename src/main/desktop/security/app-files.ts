/** Maps an `app://` URL to a file in the window's folder, or to none. */
import { extname, join, relative, sep } from 'node:path'

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
