/** What an agent is told about a command that the sandbox seems to have hindered. */
import type { ShellEnd } from '../ports.ts'
import type { CommandLimits } from '../sandbox.ts'

/** Words of programs that were refused a file or a host. */
const REFUSED =
  /read-only file system|operation not permitted|permission denied|network is unreachable|could not resolve|name resolution|name or service not known|getaddrinfo|\b(EROFS|EPERM|EACCES|ENETUNREACH|ENOTFOUND|EAI_AGAIN)\b/i

/** Words that nobody but a sandbox causes, so that they count after a success too. */
const SURELY = /read-only file system|could not resolve host|temporary failure in name resolution/i

/** Empty for a command that ran outside the sandbox, or in it without a sign that it was hindered. */
export function aboutSandbox(
  {
    output,
    exitCode,
    refusedHosts = [],
    sandboxNotes = [],
  }: Pick<ShellEnd, 'output' | 'exitCode' | 'refusedHosts' | 'sandboxNotes'>,
  limits: CommandLimits | undefined,
): string {
  if (limits === undefined) return ''
  if (sandboxNotes.length > 0) return `[${sandboxNotes.join(' ')}]`
  const again = 'If it needs that, call it again with outside_sandbox: true; the user is asked.'
  if (refusedHosts.length > 0)
    return `[The sandbox refused connections to ${refusedHosts.join(', ')}: the user has not allowed ${refusedHosts.length > 1 ? 'these hosts' : 'this host'}. ${again}]`
  if (!(exitCode === 0 ? SURELY : REFUSED).test(output)) return ''
  const [folder] = limits.writes
  const may =
    folder === undefined ? 'it could write only to $TMPDIR' : `it could write only to ${folder} and $TMPDIR`
  const hosts =
    limits.domains.length === 0 ? 'it had no network' : `it reached only ${limits.domains.join(', ')}`
  return `[The command ran in the sandbox: ${may}, and ${hosts}. ${again}]`
}
