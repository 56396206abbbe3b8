/** One run of ripgrep: its records as they come, ended as soon as there are enough. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'

/** What a search runs with. */
export interface Ripgrep {
  readonly rgPath: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** ms after which a search is given up. */
  readonly timeoutMs: number
}

export interface RipgrepRun {
  readonly args: readonly string[]
  /** What ends a record. */
  readonly separator: '\n' | '\0'
  /** Takes a record without its separator; false: that was enough. */
  readonly onRecord: (record: string) => boolean
  readonly signal: AbortSignal
}

/**
 * What all searches have in common: hidden files are searched, what git ignores is not (also in a copy that
 * is no repository), and `.git` never is.
 */
export const SCOPE = [
  '--hidden',
  '--no-require-git',
  '--glob=!.git',
  '--color=never',
  '--path-separator=/',
] as const

/** Longer records are cut: a path or a line of that length is of no use to anybody. */
const LONGEST_RECORD = 64 * 1024
const LONGEST_COMPLAINT = 8 * 1024

/**
 * Resolves when ripgrep has ended. Failures: `bad-pattern`, `not-found` (the program), `aborted`, `timeout`,
 * `io`. A place that can't be read is no failure: there may be much beside it.
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

/** Splits bytes into records, also where a character or a record arrives in pieces; null: that was all. */
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

/** What ripgrep's own words mean once it has failed. */
function verdictOn(complaint: string): Result<void> {
  const words = complaint.replace(/^rg: /gm, '').trim()
  if (
    /regex|PCRE2|unrecognized file type|error parsing glob|literal .* not allowed|invalid value/i.test(words)
  )
    return fail({ type: 'bad-pattern', message: words.slice(0, 2000) })
  // Lines about places that could not be read end with the system's number for it.
  const others = words.split('\n').filter((line) => line !== '' && !/\(os error \d+\)$/.test(line))
  return others.length === 0 ? ok(undefined) : fail({ type: 'io', message: words.slice(0, 2000) })
}

const abortedFailure = { type: 'aborted', message: 'The search was stopped.' }

function timeoutFailure(ms: number) {
  return {
    type: 'timeout',
    message: `The search took longer than ${Math.round(ms / 1000)} seconds and was ended. Search a smaller folder, or narrow it by glob or type.`,
  }
}
