/** Whether a command in the sandbox may reach a host. */
import type { Hosts } from './sandbox-messages.ts'

export function reachesHost(host: string, { domains, refusedDomains }: Hosts): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  // What else `URL` would read as a host: letters beyond ASCII, percent signs, ports.
  if (!/^[a-z0-9._-]+$|^\[?[0-9a-f:.]+\]?$/.test(name)) return false
  const isBelow = (domain: string) => name.endsWith(`.${domain}`)
  if (refusedDomains.some((domain) => name === domain || isBelow(domain))) return false
  return domains.some((domain) =>
    domain.startsWith('*.') ? isBelow(domain.slice(2).toLowerCase()) : name === domain.toLowerCase(),
  )
}
