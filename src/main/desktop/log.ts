/** The program's log: one file, for diagnosis. It holds no text of models or users. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Never holds a key. */
export interface Log {
  info(message: string): void
  error(message: string, cause?: unknown): void
}

/** Bytes. At the next start a longer file is renamed, replacing the previous one. */
const LIMIT = 1024 * 1024

interface LogFileOptions {
  readonly file: string
  /** ms since the epoch. */
  readonly now: () => number
  /** Also prints each line during development. */
  readonly echo: ((line: string) => void) | null
}

/** Writes are synchronous: the last lines before a crash matter most, and there are few lines. */
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
      // A full disk must not crash the program through its log.
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
