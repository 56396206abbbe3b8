/** The content security policy of the window's pages: only parts of the program load and run. */
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

/** The header's value. */
export function contentSecurityPolicy(options: { readonly development: boolean }): string {
  return Object.entries(policy)
    .map(([directive, sources]) =>
      [directive, ...sources, ...(options.development ? (development[directive] ?? []) : [])].join(' '),
    )
    .join('; ')
}
