/** A command behind bubblewrap: namespaces of its own for files, processes, network and users, without any capability. */
import type { JoinedNetwork } from './command-networks.ts'

export interface BubblewrapOptions {
  readonly bwrap: string
  /** Null: it gets one of its own, with nothing but a loopback. */
  readonly network: JoinedNetwork | null
  /** The program that keeps it from local sockets and namespaces; null: it is not kept from them. */
  readonly seccomp: string | null
}

/**
 * @param settings bubblewrap's further arguments: mounts, variables
 * @param begin a line of bash that runs before the command, without the filter; null: none
 * @returns the program with its arguments
 */
export function bubblewrapped(
  { bwrap, network, seccomp }: BubblewrapOptions,
  {
    settings = [],
    begin = null,
    argv,
  }: {
    readonly settings?: readonly string[]
    readonly begin?: string | null
    readonly argv: readonly string[]
  },
): readonly [program: string, ...args: string[]] {
  const [program = bwrap, ...before] = [...(network?.argv ?? []), bwrap]
  return [
    program,
    ...before,
    ...['--new-session', '--die-with-parent', ...(network === null ? ['--unshare-net'] : [])],
    ...['--unshare-pid', '--unshare-ipc', '--unshare-user', '--cap-drop', 'ALL'],
    // The filter's helper makes a namespace for itself, for which root needs this.
    ...(seccomp !== null && process.getuid?.() === 0 ? ['--cap-add', 'CAP_SETFCAP'] : []),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...settings,
    '--',
    ...(begin === null ? [] : [argv[0] ?? 'bash', '-c', `${begin}; exec "$@"`, 'sandbox']),
    ...(seccomp === null ? [] : [seccomp]),
    ...argv,
  ]
}
