/** What an agent is told about a command that the sandbox seems to have hindered. */
import type { ShellEnd } from '../ports.ts'
import type { CommandLimits } from '../sandbox.ts'

/** Words of programs that were refused a file or a host. */
const REFUSED =
  /read-only file system|operation not permitted|permission denied|network is unreachable|could not resolve|name resolution|name or service not known|getaddrinfo|connection refused|\b(ECONNREFUSED|EROFS|EPERM|EACCES|ENETUNREACH|ENOTFOUND|EAI_AGAIN)\b/i

/** Words that nobody but a sandbox causes, so that they count after a success too. */
const SURELY = /read-only file system|could not resolve host|temporary failure in name resolution/i

/** Words of programs that did not reach a server. */
const NO_SERVER = /connection refused|ECONNREFUSED|couldn.t connect|failed to connect/i
/** What curl returns then, also with -s. */
const CURL_NO_SERVER = 7
const LOOPBACK = /\b(localhost|127\.0\.0\.1|0\.0\.0\.0)\b|\[?::1\]?/

/** The sandbox's advice where a user can be asked, with the end of what is before it. */
const OUTSIDE =
  /(?:\. If the task needs it|, or)?,? call Bash again with outside_sandbox: true; the user is asked\./g

export interface SandboxedCommand {
  readonly command?: string
  readonly limits: CommandLimits | undefined
  /** Whether a user could allow the command outside the sandbox. */
  readonly mayAsk: boolean
}

/** Empty for a command that ran outside the sandbox, or in it without a sign that it was hindered. */
export function aboutSandbox(
  {
    output,
    exitCode,
    refusedHosts = [],
    sandboxNotes = [],
  }: Pick<ShellEnd, 'output' | 'exitCode' | 'refusedHosts' | 'sandboxNotes'>,
  { command = '', limits, mayAsk }: SandboxedCommand,
): string {
  if (limits === undefined) return ''
  if (sandboxNotes.length > 0) {
    const notes = sandboxNotes.join(' ')
    return `[${mayAsk ? notes : notes.replaceAll(OUTSIDE, '. Nobody can allow more in this run.')}]`
  }
  const again = mayAsk
    ? 'If it needs that, call it again with outside_sandbox: true; the user is asked.'
    : 'Nobody can allow more in this run: do it without that, or report what it needs.'
  if (refusedHosts.length > 0)
    return `[The sandbox refused connections to ${refusedHosts.join(', ')}: the user has not allowed ${refusedHosts.length > 1 ? 'these hosts' : 'this host'}. ${again}]`
  const isRefused = NO_SERVER.test(output) || (exitCode === CURL_NO_SERVER && /\bcurl\b/.test(command))
  if (exitCode !== 0 && isRefused && LOOPBACK.test(`${command}\n${output}`)) return `[${ownServer(mayAsk)}]`
  if (!(exitCode === 0 ? SURELY : REFUSED).test(output)) return ''
  const [folder] = limits.writes
  const may =
    folder === undefined ? 'it could write only to $TMPDIR' : `it could write only to ${folder} and $TMPDIR`
  const hosts =
    limits.domains.length === 0 ? 'it had no network' : `it reached only ${limits.domains.join(', ')}`
  return `[The command ran in the sandbox: ${may}, and ${hosts}. ${again}]`
}

/** Each command has a network of its own, so that a server of another one is not there. */
function ownServer(mayAsk: boolean): string {
  const other = mayAsk ? ' Or run both with outside_sandbox: true; the user is asked.' : ''
  return `The command ran in the sandbox, where each command has its own network: it reaches no server of another command or of this machine. Start the server and use it in one command: server & sleep 2; curl ….${other}`
}
