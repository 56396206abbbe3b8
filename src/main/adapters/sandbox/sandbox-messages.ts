/** What the program and the sandbox's thread say to each other. */

/** Paths are absolute, with links resolved. Those that are missing are left out by the sender. */
export interface WrapRequest {
  /** Of the command, from 1. */
  readonly id: number
  /** A line for bash. */
  readonly line: string
  readonly writes: readonly string[]
  /** Below `writes`: not to be changed. */
  readonly keeps: readonly string[]
  /** Not to be read. */
  readonly hides: readonly string[]
  readonly domains: readonly string[]
  readonly refusedDomains: readonly string[]
}

export type ToThread =
  | { readonly kind: 'wrap'; readonly request: WrapRequest }
  /** The command has ended. */
  | { readonly kind: 'end'; readonly id: number }

export type FromThread =
  /** A line for `/bin/sh` that runs the command in the sandbox. */
  | { readonly kind: 'wrapped'; readonly id: number; readonly line: string }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  /** The hosts that the command did not reach. */
  | { readonly kind: 'ended'; readonly id: number; readonly refusedHosts: readonly string[] }

export interface ThreadData {
  readonly bwrap: string
  readonly socat: string
  readonly ripgrep: string
  /** The program that keeps commands from local sockets; null: not on this processor. */
  readonly seccomp: string | null
  /** An empty folder, for what the library looks up in the current one. */
  readonly emptyFolder: string
}
