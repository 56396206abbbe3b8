/**
 * The sockets of this machine that the user lets commands reach, such as the ssh agent's. A command with one is without
 * the filter that refuses all local sockets, so that the others which programs listen at now are hidden from it.
 */
import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

interface LocalSockets {
  /** Those that exist, links resolved. */
  readonly allowed: readonly string[]
  /** All others that programs of this machine listen at; empty where none is allowed. */
  readonly others: readonly string[]
  /** What else ssh reads, and its variables; both empty if its agent is not allowed. */
  readonly ssh: {
    readonly reads: readonly string[]
    readonly environment: readonly (readonly [name: string, value: string])[]
  }
}

/** @param wanted absolute paths, `~/…`, or `$SSH_AUTH_SOCK`, which is `sshAgent` */
export function localSockets(
  wanted: readonly string[],
  { home, sshAgent }: { readonly home: string; readonly sshAgent: string | null },
): LocalSockets {
  const agent = wanted.includes(SSH_AGENT) && sshAgent !== null ? socketAt(sshAgent) : null
  const named = wanted.flatMap((path) => socketAt(path.replace(/^~(?=\/)/, home)) ?? [])
  const allowed = [...new Set([...named, ...(agent === null ? [] : [agent])])]
  return {
    allowed,
    others: allowed.length === 0 ? [] : listening().filter((path) => !allowed.includes(path)),
    ssh:
      agent === null
        ? { reads: [], environment: [] }
        : { reads: [join(home, '.ssh', 'known_hosts')], environment: [['SSH_AUTH_SOCK', agent]] },
  }
}

/** An entry of the setting: the agent of the login that Troupe was started in. */
const SSH_AGENT = '$SSH_AUTH_SOCK'

/** Null: there is no socket. */
function socketAt(path: string): string | null {
  try {
    const real = realpathSync.native(path)
    return lstatSync(real).isSocket() ? real : null
  } catch {
    return null
  }
}

/** The files of sockets that this machine's programs have bound. */
function listening(): readonly string[] {
  try {
    const lines = readFileSync('/proc/net/unix', 'utf8').split('\n')
    const paths = lines.flatMap((line) => /^\S+: (?:\S+ +){6}(\/.*)$/.exec(line)?.[1] ?? [])
    return [...new Set(paths)].flatMap((path) => socketAt(path) ?? [])
  } catch {
    return []
  }
}
