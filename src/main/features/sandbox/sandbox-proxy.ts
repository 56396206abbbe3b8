/** The proxies through which commands in the sandbox reach the hosts that are allowed to them: one for each list. */
import { join } from 'node:path'
import { createHttpProxyServer } from '@anthropic-ai/sandbox-runtime/dist/sandbox/http-proxy.js'
import { createMuxProxyServer } from '@anthropic-ai/sandbox-runtime/dist/sandbox/mux-proxy.js'
import { createResolvedAddressGuard } from '@anthropic-ai/sandbox-runtime/dist/sandbox/resolved-address-guard.js'
import { createSocksProxyServer } from '@anthropic-ai/sandbox-runtime/dist/sandbox/socks-proxy.js'

// ---- what the program and the thread with the proxies say to each other -----------------------------

export interface Hosts {
  /** `example.com` is that host alone, `*.example.com` every host below it. */
  readonly domains: readonly string[]
  /** Refused with all below them. */
  readonly refusedDomains: readonly string[]
}

/** `call` is the number of the message, from 1, which its answer carries. */
export type ToThread =
  | { readonly kind: 'open'; readonly call: number; readonly hosts: Hosts }
  /** `id`: of a command that has ended. */
  | { readonly kind: 'refused'; readonly call: number; readonly id: number }

/** The path of a socket, or a port of 127.0.0.1. */
export type ProxyPlace = string | number

export type FromThread =
  /** Where the proxy listens, and the token that only commands with these hosts know. */
  | { readonly kind: 'opened'; readonly call: number; readonly at: ProxyPlace; readonly token: string }
  | { readonly kind: 'refused'; readonly call: number; readonly hosts: readonly string[] }
  | { readonly kind: 'failed'; readonly call: number; readonly message: string }

export interface ThreadData {
  /** For the sockets. Null: the proxies listen at ports of this machine. */
  readonly folder: string | null
}

// ---- the proxies -------------------------------------------------------------------------------------

interface SandboxProxy {
  readonly at: ProxyPlace
  /** Only commands with this list know it. */
  readonly token: string
}

interface SandboxProxies {
  for(hosts: Hosts): Promise<SandboxProxy>
  /** The hosts that a command did not reach. Forgets them. */
  refused(id: number): readonly string[]
}

/** Hosts that are reported of one command. */
const MOST_REFUSED = 20

/**
 * @param folder where sockets are made. Null: the proxies listen at ports of 127.0.0.1
 * @param newToken a text that nobody can guess
 */
export function createSandboxProxies(folder: string | null, newToken: () => string): SandboxProxies {
  const known = new Map<string, Promise<SandboxProxy>>()
  const refused = new Map<number, Set<string>>()

  async function open(hosts: Hosts): Promise<SandboxProxy> {
    const token = newToken()
    const filter = (port: number, host: string, encodedCommand: string | undefined) => {
      if (reachesHost(host, hosts)) return true
      note(encodedCommand, port === 443 || port === 80 ? host : `${host}:${port}`)
      return false
    }
    const { lookupFor } = createResolvedAddressGuard({
      allowedDomains: hosts.domains,
      deniedDomains: hosts.refusedDomains,
    })
    const socks = createSocksProxyServer({
      filter: (port, host, encodedCommand) => filter(port, host, encodedCommand),
      lookupFor,
      proxyAuthToken: token,
    })
    const mux = createMuxProxyServer({
      httpServer: createHttpProxyServer({
        filter: (port, host, _socket, encodedCommand) => filter(port, host, encodedCommand),
        lookupFor,
        proxyAuthToken: token,
      }),
      handleSocksConnection: (socket) => socks.handleConnection(socket),
    })
    await mux.listenHttpBackend()
    const socket = folder === null ? null : join(folder, `proxy-${known.size}.sock`)
    await new Promise<void>((resolve, reject) => {
      mux.server.once('error', reject)
      if (socket === null) mux.server.listen(0, '127.0.0.1', resolve)
      else mux.server.listen(socket, resolve)
    })
    mux.unref()
    const address = mux.server.address()
    return { at: socket ?? (address !== null && typeof address === 'object' ? address.port : 0), token }
  }

  function note(encodedCommand: string | undefined, host: string): void {
    const id = Number(Buffer.from(encodedCommand ?? '', 'base64').toString('utf8'))
    const hosts = refused.get(id) ?? new Set<string>()
    if (hosts.size < MOST_REFUSED) hosts.add(host)
    refused.set(id, hosts)
  }

  return {
    for(hosts) {
      const key = JSON.stringify([[...hosts.domains].sort(), [...hosts.refusedDomains].sort()])
      const proxy = known.get(key) ?? open(hosts)
      known.set(key, proxy)
      return proxy
    },
    refused(id) {
      const hosts = [...(refused.get(id) ?? [])]
      refused.delete(id)
      return hosts
    },
  }
}

/** Whether a command in the sandbox may reach a host. */
function reachesHost(host: string, { domains, refusedDomains }: Hosts): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  // What else `URL` would read as a host: letters beyond ASCII, percent signs, ports.
  if (!/^[a-z0-9._-]+$|^\[?[0-9a-f:.]+\]?$/.test(name)) return false
  const isBelow = (domain: string) => name.endsWith(`.${domain}`)
  if (refusedDomains.some((domain) => name === domain || isBelow(domain))) return false
  return domains.some((domain) =>
    domain.startsWith('*.') ? isBelow(domain.slice(2).toLowerCase()) : name === domain.toLowerCase(),
  )
}
