/** What went wrong with a connection to an MCP server, read from what its process wrote or its address answered. */
import { IssuerMismatchError, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client'
import { SignInNeeded } from './oauth-session.ts'
import type { ServerConfig } from './server-entry.ts'

/** ms until the server's description of its sign-in must have arrived. */
const METADATA_LIMIT = 15_000

/** How uncaught errors begin: "TypeError: …", "panic: …", "java.io.IOException: …". */
const NAMED_ERROR = /^\s*(\w+\.)*\w*(Error|Exception|Fatal|Panic)\b.*:|\(\w+Error\)$/i
const SPEAKS_OF_ERROR = /\b(error|fatal|panic|exception|failed|cannot|can['’]t|denied|not found)\b/i
const STACK = /^\s+at |^\s*File "|^\s*from |^note: /
/** Lines of npm that only repeat a code, or name the file of a log. */
const NPM_ASIDE = /^npm (error|ERR!)( (code|errno|syscall|path|dest) .*| A complete log.*|\s*\d*\s*)$/

/**
 * The line of a crashed program's standard error that names the error: a crash ends with a stack, advice, or the version
 * of the runtime. Undefined: it wrote nothing.
 */
export function errorIn(lines: readonly string[]): string | undefined {
  const written = lines.filter((line) => line.trim() !== '')
  const panic = written.findLastIndex((line) => /^thread '.*' .*panicked at /.test(line))
  const found =
    (panic === -1 ? undefined : written[panic + 1]) ??
    written.findLast((line) => NAMED_ERROR.test(line) && !STACK.test(line)) ??
    written.find((line) => /^npm (error|ERR!)/.test(line) && !NPM_ASIDE.test(line)) ??
    written.findLast((line) => SPEAKS_OF_ERROR.test(line) && !STACK.test(line))
  return (found ?? written.at(-1))?.trim()
}

/** A server's refusal as a sentence, without the page that it sent; null: another failure. */
export const httpText = (thrown: unknown): string | null =>
  thrown instanceof SdkHttpError
    ? `The server answered HTTP ${[thrown.status, thrown.statusText].filter(Boolean).join(' ')}.`
    : null

/** Statuses of a server that speaks only SSE, or of no server: its address takes no messages. */
const NO_POST: ReadonlySet<number> = new Set([400, 404, 405, 406, 415, 422])

/** Whether the address may speak only SSE. */
export const answersNoPost = (thrown: unknown): thrown is SdkHttpError =>
  thrown instanceof SdkHttpError && NO_POST.has(thrown.status)

/** Whether the user has to sign in first. The SDK may wrap the error. */
export function needsSignIn(thrown: unknown): boolean {
  for (let cause = thrown; cause instanceof Error; cause = cause.cause)
    if (cause instanceof SignInNeeded || cause instanceof UnauthorizedError) return true
  return false
}

/**
 * Whether the server signs users in as revision 2025-03-26 says: it names no authorization server of its own, and the
 * issuer is at the server's address.
 */
export async function signsInAsBefore2025(thrown: unknown, config: ServerConfig): Promise<boolean> {
  if (!(thrown instanceof IssuerMismatchError) || config.kind !== 'http') return false
  const { origin, pathname } = new URL(config.url)
  const paths = [`/.well-known/oauth-protected-resource${pathname}`, '/.well-known/oauth-protected-resource']
  const answers = await Promise.all(
    paths.map((path) =>
      fetch(new URL(path, origin), { redirect: 'manual', signal: AbortSignal.timeout(METADATA_LIMIT) }),
    ),
  )
  const issuer = thrown.received ?? ''
  return (
    answers.every(({ status }) => status === 404) && URL.canParse(issuer) && new URL(issuer).origin === origin
  )
}
