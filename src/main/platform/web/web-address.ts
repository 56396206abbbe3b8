/** The addresses that may be fetched, before their names are resolved. */
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { isPublicAddress } from './public-address.ts'

/** The parsed address. Fails with `bad-address` or `refused`. */
export function parseWebAddress(text: string, isAllowed = isPublicAddress): Result<URL> {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null
  if (url === null)
    return fail({
      type: 'bad-address',
      message: `${text} is not an address. Give the whole address: https://example.com/page.`,
    })
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return fail({
      type: 'refused',
      message: `Only http and https addresses are fetched, not "${url.protocol}". To read a local file use Read.`,
    })
  if (url.username !== '' || url.password !== '')
    return fail({
      type: 'refused',
      message: 'The address contains a user name or a password, so it was not fetched. Remove them.',
    })
  const literal = ipLiteral(url)
  if (literal !== null && !isAllowed(literal)) return fail(notPublic(url.hostname, literal))
  return ok(url)
}

/** The IP address that the host name spells, in any notation: URL has normalized it. Null for a name. */
export function ipLiteral({ hostname }: URL): string | null {
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : null
}

export function notPublic(host: string, address: string) {
  const which = host.includes(address) ? host : `${host} (${address})`
  return {
    type: 'refused',
    message: `${which} is not on the public internet: addresses of this machine and of private networks are not fetched. To reach a local server use a command such as curl.`,
  }
}
