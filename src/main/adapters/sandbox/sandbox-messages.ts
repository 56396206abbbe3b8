/** What the program and the thread with the sandbox's proxies say to each other. */

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
