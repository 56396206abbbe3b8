import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import type { EnvironmentAccess } from '../../shared/model-access.ts'
import { fail, ok, type Result } from '../../shared/result.ts'
import { EXIT } from './usage.ts'

/** Opens the window with the start script of a checkout. Resolves to the exit code when the window was closed. */
export function openWindow(
  script: string,
  {
    folder,
    keys: { key, authToken },
    environment,
  }: {
    readonly folder: string | null
    readonly keys: EnvironmentAccess
    /** Without keys. */
    readonly environment: Readonly<NodeJS.ProcessEnv>
  },
): Promise<Result<number>> {
  const child = spawn(process.execPath, [script, 'start', ...(folder === null ? [] : [folder])], {
    cwd: dirname(dirname(script)),
    env: {
      ...environment,
      ...(key !== null && { ANTHROPIC_API_KEY: key }),
      ...(authToken !== null && { ANTHROPIC_AUTH_TOKEN: authToken }),
    },
    stdio: 'inherit',
  })
  return new Promise((done) => {
    child.on('error', ({ message }) =>
      done(fail({ type: 'io', message: `The window did not open: ${message}` })),
    )
    child.on('exit', (code) => done(ok(code ?? EXIT.failed)))
  })
}
