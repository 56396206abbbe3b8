/** The Bash tool: a command in a shell that keeps its folder between calls. */
import { z } from 'zod'
import { durationOf } from '../../../shared/kernel/amounts.ts'
import { pathBelow } from '../paths/paths.ts'
import { stopOf, whoStopped } from '../ports/agent-stop.ts'
import type { Clock } from '../ports/ports.ts'
import { type CommandLimits, OUTSIDE_OFFER, withOffers } from '../ports/sandbox.ts'
import type { Shell, ShellEnd } from '../ports/shell.ts'
import { type Tool, type ToolContext, type ToolOutcome, type ToolSession, toolError } from '../ports/tool.ts'
import { shownOutput } from './shown-output.ts'

const DEFAULT_TIMEOUT_MS = 120_000
const LONGEST_TIMEOUT_MS = 600_000

const schema = z
  .object({
    command: z.string().min(1).describe('May have several lines.'),
    timeout: z
      .number()
      .int()
      .min(1000)
      .max(LONGEST_TIMEOUT_MS)
      .optional()
      .describe(`In ms: ${DEFAULT_TIMEOUT_MS} by default, at most ${LONGEST_TIMEOUT_MS}.`),
    run_in_background: z.boolean().optional().describe('Return at once; no time limit unless set.'),
    outside_sandbox: z
      .boolean()
      .optional()
      .describe('For a command that needs the network, or writes outside your folder: the user is asked.'),
    description: z.string().optional().describe('What it does, in 5 to 10 words, for the user.'),
  })
  .strict()

export type BashCall = z.infer<typeof schema>

export interface BashDeps {
  readonly shell: Shell
  readonly clock: Pick<Clock, 'now'>
  /** Starts a command in the background. */
  startCommand(call: BashCall, context: ToolContext): Promise<ToolOutcome>
}

export function createBashTool(deps: BashDeps): Tool<BashCall> {
  return {
    name: 'Bash',
    aliases: [],
    description: `Runs a command in bash and returns its output. The current folder (cd) is kept for the next command; variables and functions are not. It gets no input: use options that don't ask (-y, --no-edit). At its end, or its time limit, everything that it started is ended: for a server use run_in_background, if you have TaskOutput to read its output. Quote paths with spaces.`,
    schema,
    kind: 'command',
    icon: 'terminal',
    changesFolder: true,
    paths: { command: 'command' },
    concurrent: false,
    sideEffects: () => true,
    summary: ({ command }) => command.trim().replace(/\s+/g, ' '),
    target: async ({ command, outside_sandbox: outside }) => ({
      kind: 'command',
      command,
      ...(outside && { outside }),
    }),
    run: (input, context) =>
      input.run_in_background ? deps.startCommand(input, context) : runInShell(input, context, deps),
  }
}

async function runInShell(
  input: BashCall,
  context: ToolContext,
  { shell, clock }: BashDeps,
): Promise<ToolOutcome> {
  const { session, signal, onOutput, limits } = context
  const timeoutMs = input.timeout ?? DEFAULT_TIMEOUT_MS
  const environment = sessionEnvironment(session, limits !== undefined)
  const startedAt = clock.now()
  const shown = shownOutput(input.command)
  const ran = await shell.run({
    command: input.command,
    cwd: session.cwd,
    timeoutMs,
    signal,
    onOutput: (text) => onOutput(shown.piece(text)),
    ...(limits && { limits }),
    ...(Object.keys(environment).length > 0 && { environment }),
  })
  const mayAsk = context.reachesUser ?? true
  if (!ran.ok) return toolError(withOffers(notStarted(ran.failure, session), mayAsk), 'not started')
  const end = ran.value
  const remarks = [
    howItEnded(end, timeoutMs, signal),
    aboutSandbox(end, { command: input.command, limits, mayAsk }),
    aboutBackground(end),
    keepInside(session, end.cwd),
  ]
  const output = shown.whole(end.output.trimEnd())
  const content = [output, ...remarks].filter((part) => part !== '').join('\n')
  return {
    isError: end.ended !== 'exit' || end.exitCode !== 0,
    content: content === '' ? '[No output.]' : content,
    note: noteFor(end, timeoutMs, clock.now() - startedAt),
    display: { kind: 'terminal', exitCode: end.exitCode, timedOut: end.ended === 'timeout' },
  }
}

function howItEnded({ ended, exitCode }: ShellEnd, timeoutMs: number, signal: AbortSignal): string {
  if (ended === 'timeout')
    return `[The command was ended after ${durationOf(timeoutMs)}, its time limit, with everything it started. Its effects until then remain. If it needs longer, give a higher timeout.]`
  if (ended === 'aborted')
    return `[${whoStopped(stopOf(signal).by)} this command before it finished. Its effects until then remain.]`
  if (exitCode === null) return '[A signal ended the command.]'
  return exitCode === 0 ? '' : `[Exit code ${exitCode}]`
}

function aboutBackground({ endedBackground }: ShellEnd): string {
  return endedBackground ? '[Processes that it left in the background were ended with it.]' : ''
}

/** The next command starts where this one ended, unless that is outside the agent's folder. */
function keepInside(session: ToolSession, cwd: string): string {
  const inside = pathBelow(session.root, cwd) !== null
  session.cwd = inside ? cwd : session.root
  return inside
    ? ''
    : `[The command ended in ${cwd}, outside your working folder. The next command starts in ${session.root}.]`
}

/**
 * If the shell's folder was deleted, the command does not run in another folder, because it may depend on its folder.
 */
function notStarted(
  failure: { readonly type: string; readonly message: string },
  session: ToolSession,
): string {
  if (failure.type !== 'not-found' || session.cwd === session.root) return failure.message
  const gone = session.cwd
  session.cwd = session.root
  return `The command was not run: the shell's folder ${gone} was deleted. The next command starts in ${session.root}.`
}

function noteFor({ ended, exitCode }: ShellEnd, timeoutMs: number, tookMs: number): string {
  if (ended === 'timeout') return `ended after ${durationOf(timeoutMs)}`
  if (ended === 'aborted') return 'stopped'
  if (exitCode === null) return 'ended by a signal'
  return exitCode === 0 ? durationOf(tookMs) : `exit ${exitCode}`
}

/**
 * The variables that interceptors set, and those of the agent's worktree.
 * @param confined whether it runs in the sandbox. Elsewhere the folders of `PATH` that the agent may write come last:
 * a program there must not take the name of one that is allowed unasked.
 */
export function sessionEnvironment(
  { root, project, variables, worktree }: Pick<ToolSession, 'root' | 'project' | 'variables' | 'worktree'>,
  confined: boolean,
): Readonly<Record<string, string>> {
  const set = variables?.() ?? {}
  const isOwn = (path: string) =>
    !path.startsWith('/') || pathBelow(root, path) !== null || pathBelow(project, path) !== null
  const { PATH } = set
  const folders = PATH?.split(':').filter((path) => path !== '') ?? []
  const ordered = [...folders.filter((path) => !isOwn(path)), ...folders.filter(isOwn)]
  return {
    ...set,
    ...(PATH !== undefined && !confined && { PATH: ordered.join(':') }),
    ...worktree?.environment,
  }
}

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
