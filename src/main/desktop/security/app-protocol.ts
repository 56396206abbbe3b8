/** Serves the window's files as `app://troupe/…`, with headers that restrict the page. */
import { readFile } from 'node:fs/promises'
import { type Protocol, protocol } from 'electron'
import { appFile } from './app-files.ts'
import { APP_SCHEME, isAppUrl } from './app-origin.ts'
import { contentSecurityPolicy } from './content-security-policy.ts'

/** Makes `app:` a scheme like https, with its own origin. Must run before Electron is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: APP_SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ])
}

/** Answers requests for `app:` URLs with files of this folder; calls `served` with each path. */
export function serveAppFiles(target: Protocol, root: string, served: (path: string) => void): void {
  target.handle(APP_SCHEME, async (request) => {
    const file = isAppUrl(request.url, null) ? appFile(root, new URL(request.url).pathname) : null
    if (request.method !== 'GET' || file === null) return answer(404, 'text/plain', 'Not found.')
    try {
      const body = await readFile(file.path)
      served(file.path)
      return answer(200, file.contentType, body)
    } catch {
      return answer(404, 'text/plain', 'Not found.')
    }
  })
}

function answer(status: number, contentType: string, body: string | Buffer): Response {
  return new Response(body, {
    status,
    headers: {
      'content-type': contentType,
      'content-security-policy': contentSecurityPolicy({ development: false }),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      // The files change with the program: the next start must not use old ones.
      'cache-control': 'no-cache',
    },
  })
}
