/**
 * Runs a server process under a guard: a small shell that ends the server's whole process group when its pipe to this
 * program closes. So no server outlives the program, not even after SIGKILL.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Duplex, Readable, Writable } from 'node:stream'

export interface GuardedProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  /** The exit code, once the output has ended; null: a signal ended the server, or it could not be started. */
  readonly ended: Promise<number | null>
  /** Resolves when nothing of the server's process group runs any more. */
  readonly gone: Promise<void>
  /** Ends the server's process group: SIGTERM, then SIGKILL 2 s later. */
  end(): void
}

export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
}

/**
 * The server gets a session of its own, so its children are in its group. File descriptor 3 is the pipe to the program;
 * the watching subshell reads it, and the guard ends with the server's exit code. Its end of the pipe stays open until the
 * group has ended, so the program sees that too.
 */
const GUARD = `
end_group() {
  kill -s TERM -- "-$server"
  sleep 2 3<&-
  kill -s KILL -- "-$server"
}
exec 4<&0
if command -v setsid >/dev/null 2>&1; then
  setsid "$@" <&4 3<&- 4<&- &
else
  set -m
  "$@" <&4 3<&- 4<&- &
fi
server=$!
exec 0</dev/null 1>/dev/null 4<&-
( read -r _ <&3; end_group ) 2>/dev/null &
watcher=$!
wait "$server"
code=$?
exec 2>/dev/null
kill -s KILL "$watcher"
if kill -s 0 -- "-$server"; then end_group & fi
exit "$code"
`

/** ms for output that is still in the pipes. A process that a server has left behind may hold them open forever. */
const LAST_OUTPUT = 1000

/** Starts a server. A command that does not exist ends at once with exit code 127. */
export function startGuarded({ command, args, cwd, environment }: ServerCommand): GuardedProcess {
  const isWindows = process.platform === 'win32'
  const [program, given] = isWindows
    ? [command, [...args]]
    : ['/bin/sh', ['-c', GUARD, 'troupe-mcp-guard', command, ...args]]
  const child = spawn(program, given, {
    cwd,
    env: { ...environment },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    // Not in the program's group, where Ctrl C would end the guard before the server.
    detached: !isWindows,
    windowsHide: true,
  }) as unknown as ChildProcessByStdio<Writable, Readable, Readable>
  const lifeline = (child.stdio as readonly (Duplex | null)[])[3] as Duplex | null
  lifeline?.on('error', () => {})
  lifeline?.resume()
  const gone = new Promise<void>((resolve) => {
    if (lifeline === null || isWindows) child.once('close', () => resolve())
    else lifeline.once('close', () => resolve())
  })
  // The child's own "close" would wait for the rest of the group too.
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('exit', (code) => {
      void Promise.all([closed(child.stdout), closed(child.stderr)]).then(() => resolve(code))
    })
  })
  child.stdin.on('error', () => {})
  child.once('exit', () => {
    const left = setTimeout(() => {
      child.stdout.destroy()
      child.stderr.destroy()
    }, LAST_OUTPUT)
    void ended.then(() => clearTimeout(left))
  })
  return {
    child,
    ended,
    gone,
    end() {
      if (isWindows) child.kill()
      else lifeline?.end()
    },
  }
}

function closed(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve()
    else stream.once('close', () => resolve())
  })
}
