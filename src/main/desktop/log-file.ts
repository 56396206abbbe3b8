/** The program's log: one file, for people who want to know what went wrong. Nothing said by a model or a user is in it. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Log } from './services.ts'

/** Bytes; a longer file is put aside at the next start, and the one before it is dropped. */
const LIMIT = 1024 * 1024

export interface LogFileOptions {
  readonly file: string
  /** ms since the epoch. */
  readonly now: () => number
  /** Says it here too, while developing. */
  readonly echo: ((line: string) => void) | null
}

/** Lines are written at once: the last ones before a crash are those that matter, and there are few. */
export function createLogFile({ file, now, echo }: LogFileOptions): Log {
  let ready = false

  const write = (level: string, message: string): void => {
    const line = `${new Date(now()).toISOString()} ${level} ${message.replaceAll('\n', '\n  ')}`
    echo?.(line)
    try {
      if (!ready) prepare(file)
      ready = true
      appendFileSync(file, `${line}\n`, { mode: 0o600 })
    } catch {
      // A full disk must not end the program by its log.
    }
  }

  return {
    info: (message) => write('info ', message),
    error: (message, cause) =>
      write('error', cause === undefined ? message : `${message}\n${wordsOf(cause)}`),
  }
}

function prepare(file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > LIMIT) renameSync(file, `${file}.1`)
}

function wordsOf(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}
