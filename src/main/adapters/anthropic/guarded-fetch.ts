/** `fetch` without redirects: a redirect would send the key, and the conversation, to another address. */

/** A `fetch` that returns a redirect as the response instead of following the redirect. */
export const withoutRedirects =
  (send: typeof fetch): typeof fetch =>
  (input, init) =>
    send(input, { ...init, redirect: 'manual' })

/** Whether a status means that the resource is at another address. */
export const isRedirect = (status: number): boolean => status >= 300 && status < 400 && status !== 304

/** The address of a redirect for a message: without user, query and fragment, and with `secrets` masked. */
export function redirectTarget(location: string | null, from: string, secrets: readonly string[]): string {
  if (location === null) return 'an address that it does not name'
  if (!URL.canParse(location, from)) return 'an invalid address'
  const { protocol, host, pathname } = new URL(location, from)
  const masked = secrets.reduce(
    (text, secret) => text.replace(new RegExp(secret.replace(/\W/g, '\\$&'), 'gi'), '***'),
    `${protocol}//${host}${pathname}`,
  )
  return masked.length > MAX_TARGET ? `${masked.slice(0, MAX_TARGET)}…` : masked
}

const MAX_TARGET = 200
