/** Serves the window's own files as `app://troupe/…`, with the headers that keep a page in its bounds. */
import { readFile } from 'node:fs/promises'
import { type Protocol, protocol } from 'electron'
import { appFile } from './app-files.ts'
import { APP_SCHEME, isAppUrl } from './app-origin.ts'
import { contentSecurityPolicy } from './content-security-policy.ts'

/** Makes `app:` a scheme like https, with an origin of its own. Must run before Electron is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: APP_SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ])
}

/** Answers requests for `app:` URLs with files of this folder; `served` is told the path of each. */
export function serveAppFiles(target: Protocol, root: string, served: (path: string) => void): void {
  target.handle(APP_SCHEME, async (request) => {
    const file = isAppUrl(request.url, null) ? appFile(root, new URL(request.url).pathname) : null
    if (request.method !== 'GET' || file === null) return answer(404, 'text/plain', 'There is nothing here.')
    try {
      const body = await readFile(file.path)
      served(file.path)
      return answer(200, file.contentType, body)
    } catch {
      return answer(404, 'text/plain', 'There is nothing here.')
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
      // The files change only with the program: the next start must not see old ones.
      'cache-control': 'no-cache',
    },
  })
}
