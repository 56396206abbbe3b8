/** One run of ripgrep: its lines as they come, ended as soon as there are enough. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fail, ok, type Result } from '../../../shared/result.ts'

export interface Ripgrep {
  readonly rgPath: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** ms after which a search is given up. */
const LONGEST_MS = 60_000
/** Characters of one line that are kept: a minified file is one line. */
const LONGEST_LINE = 1000

/**
 * Hands each line to `onLine` until it returns false. Failures: `bad-pattern`, `not-found`, `aborted`,
 * `timeout`, `io`.
 */
export async function runRipgrep(
  { rgPath, environment }: Ripgrep,
  words: readonly string[],
  { cwd, signal, onLine }: { cwd: string; signal: AbortSignal; onLine: (line: string) => boolean },
): Promise<Result<void>> {
  if (signal.aborted) return aborted
  const child = spawn(rgPath, ['--no-config', ...words], {
    cwd,
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaint = ''
  let enough = false
  let timedOut = false
  const kill = () => child.kill('SIGKILL')
  const timer = setTimeout(() => {
    timedOut = true
    kill()
  }, LONGEST_MS)
  signal.addEventListener('abort', kill, { once: true })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (complaint.length < 4000) complaint += text
  })
  const lines = createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })
  lines.on('line', (line) => {
    if (enough) return
    const shown = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} […]` : line
    if (onLine(shown)) return
    enough = true
    kill()
  })
  const ended = new Promise<Result<number | null>>((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) =>
      resolve(
        fail(
          error.code === 'ENOENT'
            ? {
                type: 'not-found',
                message: `The search could not start: ${cwd} or ripgrep itself is missing.`,
              }
            : { type: 'io', message: `The search could not start: ${error.message}` },
        ),
      ),
    )
    child.on('close', (code) => resolve(ok(code)))
  })
  const read = new Promise<void>((resolve) => lines.on('close', resolve))
  const [end] = await Promise.all([ended, read])
  clearTimeout(timer)
  signal.removeEventListener('abort', kill)
  if (!end.ok) return end
  if (signal.aborted) return aborted
  if (timedOut)
    return fail({ type: 'timeout', message: 'The search took too long. Search a smaller folder.' })
  // 0: matches, 1: none, 2: an error, which for a part of the files is no reason to drop the rest.
  if (enough || end.value === 0 || end.value === 1) return ok(undefined)
  const message = complaint.trim().split('\n').slice(0, 5).join('\n')
  if (/regex parse error|unrecognized file type|error parsing glob|invalid/i.test(message))
    return fail({ type: 'bad-pattern', message })
  if (/No such file or directory/.test(message) && /os error 2/.test(message))
    return fail({ type: 'not-found', message })
  return ok(undefined)
}

const aborted = fail({ type: 'aborted', message: 'The search was stopped.' })
