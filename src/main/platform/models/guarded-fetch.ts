/**
 * `fetch` for the API. Redirects are not followed: a redirect would send the key, and the conversation, to another
 * address. The body of an error is cut before any code reads it.
 */
import { boundedText } from './bounded-text.ts'

/** Characters of an error's body that are read. */
export const MAX_ERROR_TEXT = 65_536

/** A `fetch` that returns a redirect as the response, and responses with an error with at most `MAX_ERROR_TEXT`. */
export const guardedFetch =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, { ...init, redirect: 'manual' })
    if (response.ok) return response
    const { status, headers } = response
    if (status < 400) {
      void response.body?.cancel().catch(() => {})
      return new Response(null, { status, headers })
    }
    const { text } = await boundedText(response, MAX_ERROR_TEXT)
    // `Response` accepts no higher status.
    return new Response(text, { status: Math.min(status, 599), headers })
  }

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
