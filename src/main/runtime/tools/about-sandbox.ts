/** What an agent is told about a command that the sandbox seems to have hindered. */
import type { ShellEnd } from '../ports.ts'
import { type CommandLimits, OUTSIDE_OFFER, withOffers } from '../sandbox.ts'

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

interface SandboxedCommand {
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
  if (sandboxNotes.length > 0) return `[${withOffers(sandboxNotes.join(' '), mayAsk)}]`
  const again = withOffers(OUTSIDE_OFFER, mayAsk)
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

/** Commands reach the servers of their own agent. A server ends with its command. */
function ownServer(mayAsk: boolean): string {
  const other = mayAsk ? ' Or run both with outside_sandbox: true; the user is asked.' : ''
  return `The command ran in the sandbox: it reaches a server only if you started it and it still runs, and no other server of this machine. A server ends with its command, so start it with run_in_background: true and wait until it listens, or use it in the same command: server & sleep 2; curl ….${other}`
}
