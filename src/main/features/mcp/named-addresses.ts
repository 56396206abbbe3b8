/**
 * The addresses that an HTTP server names: where it redirects to, and where users sign in. A server must not send this
 * program to a private network that it can't reach itself, so a host other than its own has to be public, or named by
 * the user in the server's entry.
 */
import { lookup } from 'node:dns/promises'
import type { FetchLike } from '@modelcontextprotocol/client'
import { isPublicAddress } from '../../platform/web/public-address.ts'
import { ipLiteral } from '../../platform/web/web-address.ts'

interface NamedAddressOptions {
  /** The server's own address. */
  readonly server: string
  /** The hosts on private networks that the user allows (`oauth.privateHosts`). */
  readonly privateHosts?: readonly string[] | undefined
  /** All addresses of a host name; the system's resolver by default. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
}

const MOST_REDIRECTS = 5

/** Resolves if the address may be requested. Rejects with a sentence for the user. */
export async function checkNamed(address: URL, options: NamedAddressOptions): Promise<void> {
  const { hostname, protocol } = address
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new Error(`The server names ${address.href}, which is no web address. It was not requested.`)
  if (hostname === new URL(options.server).hostname || options.privateHosts?.includes(hostname)) return
  const literal = ipLiteral(address)
  const addresses = literal === null ? await (options.resolve ?? resolved)(hostname) : [literal]
  if (addresses.length === 0 || !addresses.every(isPublicAddress))
    throw new Error(
      `The server names ${address.origin}, which is on this computer or a private network. It was not requested. If you trust it, add "oauth": { "privateHosts": ["${hostname}"] } to the server’s entry.`,
    )
  // A name may lead elsewhere a moment later; a certificate then does not fit.
  if (protocol === 'http:')
    throw new Error(`The server names ${address.origin}, which is not https. It was not requested.`)
}

/** `fetch` for a server: each address, also after a redirect, is checked first. `onRefused` gets the sentence. */
export function createServerFetch(options: NamedAddressOptions, onRefused: (why: string) => void): FetchLike {
  return async (target, given = {}) => {
    let url = new URL(target)
    let init: RequestInit = { ...given, redirect: 'manual' }
    for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
      try {
        await checkNamed(url, options)
      } catch (refusal) {
        onRefused(refusal instanceof Error ? refusal.message : String(refusal))
        throw refusal
      }
      const response = await fetch(url, init)
      const location = response.headers.get('location')
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response
      await response.body?.cancel()
      const next = new URL(location, url)
      const keepsBody = response.status === 307 || response.status === 308
      // Keys and what was sent are for the host that the user named.
      if (next.origin !== url.origin) {
        if (keepsBody && init.body != null)
          throw new Error(`${url.origin} redirects what was sent to ${next.origin}. It was not sent there.`)
        init = { ...init, headers: { accept: new Headers(init.headers).get('accept') ?? '*/*' } }
      }
      if (!keepsBody && init.method !== undefined && init.method !== 'GET' && init.method !== 'HEAD') {
        const { body: _, ...rest } = init
        init = { ...rest, method: 'GET' }
      }
      url = next
    }
    throw new Error(`${url.origin} redirects more than ${MOST_REDIRECTS} times.`)
  }
}

const resolved = async (host: string): Promise<readonly string[]> =>
  (await lookup(host.replace(/\.$/, ''), { all: true })).map(({ address }) => address)
