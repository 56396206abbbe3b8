/** Checks the API's URL. The user's key is sent there, so the check is strict. */
import { fail, ok, type Result } from './result.ts'

/**
 * Normalizes a URL for the API, without a trailing slash. Empty means Anthropic's API. Plain http is allowed
 * for this machine and private networks only, because the key would travel unencrypted.
 */
export function checkBaseUrl(given: string): Result<string> {
  const text = given.trim()
  if (text === '') return ok('')
  if (!URL.canParse(text)) return bad('Use a URL such as https://api.example.com.')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return bad('Use a URL that begins with https://.')
  if (url.username !== '' || url.password !== '') return bad('Remove the user name and password.')
  if (url.search !== '' || url.hash !== '') return bad('Remove everything from “?” or “#” on.')
  if (url.protocol === 'http:' && !isPrivateHost(url.hostname))
    return bad('Over http:// your key would travel unencrypted. Use https://.')
  return ok(`${url.origin}${url.pathname}`.replace(/\/+$/, ''))
}

function isPrivateHost(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost') || host === '[::1]') return true
  if (host.endsWith('.local') || host.endsWith('.internal') || host.endsWith('.lan')) return true
  if (host.startsWith('[f')) return /^\[(f[cd]|fe[89ab])/.test(host)
  const [a, b, ...rest] = host.split('.').map(Number)
  // A name without a dot resolves in the local network only.
  if (rest.length === 0 && b === undefined) return !host.startsWith('[')
  if (rest.length !== 2 || a === undefined || b === undefined) return false
  return a === 127 || a === 10 || (a === 192 && b === 168) || (a === 172 && b >= 16 && b <= 31)
}

function bad(why: string): Result<never> {
  return fail({ type: 'bad-address', message: `Not a valid URL for the API. ${why}` })
}
