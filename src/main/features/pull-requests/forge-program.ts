/**
 * Asks a forge through the user's `gh` or `glab`, with their `api` command: what is sent goes to its input as JSON, so no
 * branch name, title or comment can become an option, and the login stays with the program.
 */
import { execFile } from 'node:child_process'
import type { z } from 'zod'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { maskSecrets } from '../../../shared/kernel/mask-secrets.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { findOnPath } from '../../platform/system/find-on-path.ts'

export type ProgramName = 'gh' | 'glab'

interface Request {
  readonly host: string
  /** Made of names that `readRemoteAddress` accepted, and of numbers. */
  readonly path: string
  /** Given: the request is a POST with it. */
  readonly body?: object
}

export interface ForgeProgram {
  /** The path of the program; null: it is not installed. */
  find(): string | null
  /** Whether the user is logged in at a host. */
  knows(host: string): Promise<boolean>
  /** Fails with `login`, `offline`, `limit`, `not-found`, `no-program` or `forge`. */
  text(request: Request): Promise<Result<string>>
  json<T>(request: Request, schema: z.ZodType<T>): Promise<Result<T>>
}

interface ProgramOptions {
  readonly name: ProgramName
  /** Holds PATH, and where the program has its login. */
  readonly environment: Readonly<Record<string, string>>
  /** No repository, so that the program reads no settings of one. */
  readonly cwd: string
}

/** ms. A log of several megabytes arrives in this time. */
const PATIENCE = 60_000
/** Bytes of an answer. */
const LARGEST = 32 * 1024 * 1024

export function createForgeProgram({ name, environment, cwd }: ProgramOptions): ForgeProgram {
  const find = () => findOnPath(name, environment['PATH'] ?? '')

  async function run(args: readonly string[], input: string) {
    const file = find()
    if (file === null) return null
    return await new Promise<Ended>((resolve) => {
      const child = execFile(
        file,
        [...args],
        { cwd, env: { ...environment, ...QUIET }, timeout: PATIENCE, maxBuffer: LARGEST, windowsHide: true },
        (error, stdout, stderr) =>
          resolve({
            code: error === null ? 0 : typeof error.code === 'number' ? error.code : null,
            stdout,
            stderr:
              error?.killed === true
                ? 'timeout'
                : `${stderr}${typeof error?.code === 'string' ? error.message : ''}`,
          }),
      )
      // It may end before it has read its input.
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(input)
    })
  }

  async function text({ host, path, body }: Request): Promise<Result<string>> {
    const args = ['api', '--hostname', host]
    if (body !== undefined) {
      args.push('--method', 'POST', '--input', '-')
      if (name === 'glab') args.push('--header', 'Content-Type: application/json')
    }
    const ended = await run([...args, path], body === undefined ? '' : JSON.stringify(body))
    if (ended === null)
      return fail({
        type: 'no-program',
        message: `${name} was not found. Install it, and log in with ${name} auth login.`,
      })
    return ended.code === 0 ? ok(ended.stdout) : fail(failureOf(name, host, ended))
  }

  return {
    find,
    text,
    async knows(host) {
      const ended = await run(['auth', 'status', '--hostname', host], '')
      return ended?.code === 0
    },
    async json(request, schema) {
      const answer = await text(request)
      if (!answer.ok) return answer
      const read = schema.safeParse(jsonOrUndefined(answer.value))
      if (read.success) return ok(read.data)
      const where = read.error.issues[0]?.path.join('.') ?? ''
      return fail({
        type: 'forge',
        message: `${name} gave an answer that Troupe can’t read${where === '' ? '' : ` (${where})`}. Update ${name}, then try again.`,
      })
    },
  }
}

interface Ended {
  /** Null: it did not start, or was ended. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** No questions, colors, pagers and notes about updates. */
const QUIET = {
  ...{
    GH_PROMPT_DISABLED: '1',
    GH_NO_UPDATE_NOTIFIER: '1',
    GH_PAGER: 'cat',
    GLAB_PAGER: 'cat',
    PAGER: 'cat',
  },
  ...{ NO_PROMPT: '1', GLAB_CHECK_UPDATE: 'false', NO_COLOR: '1', LC_ALL: 'C' },
}

/** `gh` exits with this code where the user is not logged in. */
const NO_LOGIN = 4

function failureOf(name: ProgramName, host: string, { code, stdout, stderr }: Ended) {
  const forge = name === 'gh' ? 'GitHub' : 'GitLab'
  if (
    code === NO_LOGIN ||
    /\bauth login\b|HTTP 401|401 Unauthorized|Bad credentials|not logged in/i.test(stderr)
  )
    return {
      type: 'login',
      message: `${name} is not logged in at ${host}. Run ${name} auth login --hostname ${host} in a terminal, then try again.`,
    }
  if (/rate limit|HTTP 429|abuse detection/i.test(stderr))
    return { type: 'limit', message: `${forge} limits requests for now. Troupe asks again later.` }
  if (OFFLINE.test(stderr))
    return { type: 'offline', message: `${host} can’t be reached. Check the network, then try again.` }
  if (/HTTP 404|404 Not Found|Could not resolve to a/i.test(stderr))
    return {
      type: 'not-found',
      message: `${forge} finds no such repository or page at ${host}, or your login may not see it. Check the remote, and ${name} auth status.`,
    }
  if (/HTTP 403|403 Forbidden/i.test(stderr))
    return {
      type: 'forge',
      message: `${forge} does not allow this to your login. It said: ${lastLine(stderr)}`,
    }
  return { type: 'forge', message: `${name} failed. It said: ${reasonIn(stdout) ?? lastLine(stderr)}` }
}

const OFFLINE =
  /error connecting to|dial tcp|no such host|connection refused|network is unreachable|TLS handshake|i\/o timeout|^timeout$|Could not resolve host/i

/** The reasons in the body of a refused request: GitHub's `errors`, GitLab's `message`. */
function reasonIn(stdout: string): string | null {
  const answer = jsonOrUndefined(stdout) as
    | { errors?: { message?: unknown }[]; message?: unknown }
    | undefined
  const errors = Array.isArray(answer?.errors) ? answer.errors.map((one) => one?.message) : []
  const texts = [...errors, ...(Array.isArray(answer?.message) ? answer.message : [answer?.message])]
  const first = texts.find((text): text is string => typeof text === 'string' && text !== '')
  return first === undefined ? null : shown(first)
}

function lastLine(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  return shown(lines.at(-1) ?? 'nothing')
}

const shown = (text: string) => maskSecrets(makeVisible(text)).text.replace(/\s+/g, ' ').trim().slice(0, 300)
