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

export type FromThread =
  /** The proxy's socket, and the token that only commands with these hosts know. */
  | { readonly kind: 'opened'; readonly call: number; readonly socket: string; readonly token: string }
  | { readonly kind: 'refused'; readonly call: number; readonly hosts: readonly string[] }
  | { readonly kind: 'failed'; readonly call: number; readonly message: string }

export interface ThreadData {
  /** For the sockets. */
  readonly folder: string
}
