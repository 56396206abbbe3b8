/** Runs ripgrep and passes on its records, until the caller has enough. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'

/** The executable and its environment. */
export interface Ripgrep {
  readonly rgPath: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Time limit of a search in ms. */
  readonly timeoutMs: number
}

interface RipgrepRun {
  readonly args: readonly string[]
  /** The character that ends a record. */
  readonly separator: '\n' | '\0'
  /** Takes a record without its separator. False stops the search. */
  readonly onRecord: (record: string) => boolean
  readonly signal: AbortSignal
}

/** Arguments of every search: include hidden files, exclude ignored files (also outside a repository) and `.git`. */
export const SCOPE = [
  '--hidden',
  '--no-require-git',
  '--glob=!.git',
  '--color=never',
  '--path-separator=/',
] as const

/** Characters. Longer records are truncated. */
const LONGEST_RECORD = 64 * 1024
const LONGEST_COMPLAINT = 8 * 1024

/**
 * Resolves when ripgrep has ended. Fails with `bad-pattern`, `not-found` (the executable), `aborted`, `timeout` or
 * `io`. Unreadable files and folders are skipped.
 */
export function runRipgrep(program: Ripgrep, run: RipgrepRun): Promise<Result<void>> {
  if (run.signal.aborted) return Promise.resolve(fail(abortedFailure))
  let child: ChildProcess
  try {
    child = spawn(program.rgPath, ['--no-config', ...run.args], {
      env: { ...program.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
  } catch (thrown) {
    return Promise.resolve(fail({ type: 'bad-pattern', message: messageOf(thrown), cause: thrown }))
  }
  return new Promise((resolve) => {
    let end: 'enough' | 'timeout' | 'aborted' | null = null
    const stop = (why: typeof end) => {
      end ??= why
      child.kill('SIGKILL')
    }
    const onAbort = () => stop('aborted')
    const timer = setTimeout(() => stop('timeout'), program.timeoutMs)
    run.signal.addEventListener('abort', onAbort, { once: true })

    const take = splitRecords(run.separator, (record) => {
      if (end === null && !run.onRecord(record)) stop('enough')
    })
    let complaint = ''
    child.stdout?.on('data', (chunk: Uint8Array) => take(chunk))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (complaint.length < LONGEST_COMPLAINT) complaint += text
    })
    const settle = (result: Result<void>) => {
      clearTimeout(timer)
      run.signal.removeEventListener('abort', onAbort)
      resolve(result)
    }
    child.once('error', (thrown) =>
      settle(
        fail({ type: 'not-found', message: `The search could not start: ${thrown.message}`, cause: thrown }),
      ),
    )
    child.once('close', (code) => {
      if (end === null) take(null)
      if (end === 'aborted') settle(fail(abortedFailure))
      else if (end === 'timeout') settle(fail(timeoutFailure(program.timeoutMs)))
      else if (end === 'enough' || code === 0 || code === 1) settle(ok(undefined))
      else settle(verdictOn(complaint))
    })
  })
}

/** Splits bytes into records, also across chunks. Null: the end of the output. */
function splitRecords(separator: string, onRecord: (record: string) => void) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest = ''
  let skipping = false
  return (chunk: Uint8Array | null): void => {
    const records = (rest + decoder.decode(chunk ?? undefined, { stream: chunk !== null })).split(separator)
    rest = chunk === null ? '' : (records.pop() ?? '')
    for (const record of records) {
      if (!skipping && !(chunk === null && record === '')) onRecord(record)
      skipping = false
    }
    if (skipping) rest = ''
    if (rest.length <= LONGEST_RECORD) return
    onRecord(rest.slice(0, LONGEST_RECORD))
    rest = ''
    skipping = true
  }
}

/** Classifies ripgrep's error output. ripgrep has a single exit code for all errors. */
function verdictOn(complaint: string): Result<void> {
  const text = complaint.replace(/^rg: /gm, '').trim()
  if (
    /regex|PCRE2|unrecognized file type|error parsing glob|literal .* not allowed|invalid value/i.test(text)
  )
    return fail({ type: 'bad-pattern', message: text.slice(0, 2000) })
  // Lines about unreadable paths end with the system's error number.
  const others = text.split('\n').filter((line) => line !== '' && !/\(os error \d+\)$/.test(line))
  return others.length === 0 ? ok(undefined) : fail({ type: 'io', message: text.slice(0, 2000) })
}

const abortedFailure = { type: 'aborted', message: 'The search was stopped.' }

function timeoutFailure(ms: number) {
  return {
    type: 'timeout',
    message: `The search exceeded its limit of ${Math.round(ms / 1000)} seconds. Search a smaller folder, or narrow the search by glob or type.`,
  }
}
