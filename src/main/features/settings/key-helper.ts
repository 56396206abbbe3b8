/**
 * The API key that a command of the user prints (`apiKeyHelper`). The key is kept for five minutes; it and the
 * command's output are never logged or shown.
 */
import { execFile } from 'node:child_process'
import { fail, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import { userShell } from '../../platform/shell/user-shell.ts'

/** ms */
const LIMIT = 20_000
const KEPT = 5 * 60_000

export interface KeyHelper {
  /** Fails with `key-helper`. */
  key(): Promise<Result<string>>
  /** The API refused the key: the next call runs the command again. */
  refused(key: string): void
}

export function createKeyHelper(options: {
  readonly command: string
  readonly environment: Readonly<Record<string, string>>
  readonly now: () => number
  /** ms until the command is killed. */
  readonly limitMs?: number
}): KeyHelper {
  const { command, environment, now, limitMs = LIMIT } = options
  let kept: { readonly until: number; readonly key: Promise<Result<string>> } | null = null

  const run = async (): Promise<Result<string>> => {
    const shell = await userShell(environment, process.platform)
    return new Promise((resolve) => {
      const child = execFile(
        shell.path,
        shell.arguments(command),
        {
          env: { ...environment },
          timeout: limitMs,
          killSignal: 'SIGKILL',
          windowsVerbatimArguments: shell.verbatim,
          maxBuffer: 64 * 1024,
        },
        (error, output) => {
          const key = output.trim()
          const why =
            error?.killed === true
              ? `it did not end within ${limitMs / 1000} s`
              : error !== null
                ? `it failed (exit code ${error.code ?? 'unknown'})`
                : key === ''
                  ? 'it printed nothing'
                  : /^[\x21-\x7e]+$/.test(key)
                    ? null
                    : 'it printed more than one word'
          resolve(
            why === null
              ? ok(key)
              : fail({
                  type: 'key-helper',
                  message: `The command of the setting apiKeyHelper gave no key: ${sentence(why)}`,
                }),
          )
        },
      )
      child.stdin?.end()
    })
  }

  return {
    key() {
      if (kept !== null && now() < kept.until) return kept.key
      const key = run()
      const asked = { until: now() + KEPT, key }
      kept = asked
      // A failure is not kept.
      void key.then((found) => {
        if (!found.ok && kept === asked) kept = null
      })
      return key
    },
    refused(key) {
      const asked = kept
      void asked?.key.then((found) => {
        if (found.ok && found.value === key && kept === asked) kept = null
      })
    },
  }
}
