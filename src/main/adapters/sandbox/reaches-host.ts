/** Whether a command in the sandbox may reach a host. */
interface Hosts {
  /** `example.com` is that host alone, `*.example.com` every host below it. */
  readonly domains: readonly string[]
  /** Refused with all below them. */
  readonly refusedDomains: readonly string[]
}

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
