/** The address of the API: where the user's key is sent, so it is looked at twice. */
import { fail, ok, type Result } from '../../../shared/result.ts'

/**
 * Checks an address for the API and brings it into one form, without a slash at the end. Empty stays
 * empty: Anthropic's own. Plain http is for this machine and private networks only, since the key would
 * travel readable.
 */
export function checkBaseUrl(given: string): Result<string> {
  const text = given.trim()
  if (text === '') return ok('')
  if (!URL.canParse(text)) return bad('It must look like https://api.example.com.')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return bad('It must begin with https://.')
  if (url.username !== '' || url.password !== '') return bad('Leave the name and password out of it.')
  if (url.search !== '' || url.hash !== '') return bad('Leave out what follows “?” or “#”.')
  if (url.protocol === 'http:' && !isPrivateHost(url.hostname))
    return bad('With http:// everybody on the way could read your key: use https://.')
  return ok(`${url.origin}${url.pathname}`.replace(/\/+$/, ''))
}

function isPrivateHost(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost') || host === '[::1]') return true
  if (host.endsWith('.local') || host.endsWith('.internal') || host.endsWith('.lan')) return true
  if (host.startsWith('[f')) return /^\[(f[cd]|fe[89ab])/.test(host)
  const [a, b, ...rest] = host.split('.').map(Number)
  // A name without a dot is only known in the own network.
  if (rest.length === 0 && b === undefined) return !host.startsWith('[')
  if (rest.length !== 2 || a === undefined || b === undefined) return false
  return a === 127 || a === 10 || (a === 192 && b === 168) || (a === 172 && b >= 16 && b <= 31)
}

function bad(why: string): Result<never> {
  return fail({ type: 'bad-address', message: `The API’s address can’t be used. ${why}` })
}
